#!/bin/sh
# What lib/cmake/commit.cmake says of a small project: the commit of its checkout, anew after each commit
# and otherwise without a build; none of a folder that is no checkout, or lies in that of another project.
# Exit 77 = skipped, with the reason.
# Usage: commit_test.sh COMPILER
set -eu
compiler=$1
sources=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
command -v git >/dev/null || { echo "skipped: no git"; exit 77; }
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b

commit() { git -C "$1" add . && git -C "$1" commit --quiet --allow-empty --message "$2"; }
head_of() { git -C "$1" rev-parse --short=8 HEAD; }

# make_project FOLDER
make_project() {
  mkdir -p "$1/converters/cli" "$1/lib/cmake" "$1/nadi"
  ln -s ../converters "$1/nadi/converters"
  cp "$sources"/converters/cli/build_commit.* "$1/converters/cli/"
  cp "$sources/lib/cmake/commit.cmake" "$sources/lib/cmake/write_commit.cmake" "$1/lib/cmake/"
  cat >"$1/main.cc" <<'CODE'
#include <iostream>
#include "nadi/converters/cli/build_commit.h"
int main() { std::cout << nadi::cli::build_commit() << "\n"; }
CODE
  cat >"$1/CMakeLists.txt" <<'CODE'
cmake_minimum_required(VERSION 3.22)
project(says LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 17)
include(lib/cmake/commit.cmake)
add_executable(says main.cc)
target_include_directories(says PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
add_commit_source(says)
CODE
}

# build FOLDER: prints what was compiled.
build() {
  [ -d "$1.build" ] || cmake -S "$1" -B "$1.build" -DCMAKE_CXX_COMPILER="$compiler" >/dev/null
  cmake --build "$1.build" | sed -n 's/.*Building CXX object .*\/\(.*\)\.o$/\1/p'
}

# expect FOLDER COMMIT FILE...: what it says when it is built, and what was compiled for that.
expect() {
  project=$1 commit=$2
  shift 2
  compiled=$(build "$project" | sort | tr '\n' ' ')
  said=$("$project.build/says")
  [ "$said" = "$commit" ] || { echo "failed: says '$said' instead of '$commit'"; exit 1; }
  [ "$compiled" = "$*${*:+ }" ] || { echo "failed: compiled '$compiled' instead of '$*'"; exit 1; }
}

one=$folder/one
make_project "$one"
git init --quiet "$one"
commit "$one" first
expect "$one" "$(head_of "$one")" build_commit.cc main.cc
expect "$one" "$(head_of "$one")"
commit "$one" second
expect "$one" "$(head_of "$one")" build_commit.cc

git -C "$one" worktree add --quiet "$folder/beside"
commit "$folder/beside" third
expect "$folder/beside" "$(head_of "$folder/beside")" build_commit.cc main.cc

make_project "$folder/tarball"
expect "$folder/tarball" "" build_commit.cc main.cc
mkdir "$one/third_party"
make_project "$one/third_party/two"
expect "$one/third_party/two" "" build_commit.cc main.cc
