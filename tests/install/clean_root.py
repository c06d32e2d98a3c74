"""Fills a folder with installed Debian packages and all they depend on, and with nothing else:
    clean_root.py FOLDER PACKAGE...|FILE.deb...
Of a FILE.deb only what it depends on comes. The folder has dpkg's own record of what is in it, so that
`dpkg --root=FOLDER --install` knows. Prints what is missing on this machine, and fails then."""

import re
import subprocess
import sys
from pathlib import Path


def fields_of(stanza):
    """The fields of a stanza of dpkg's, with their continuation lines."""
    return dict(re.findall(r"^([\w-]+):((?:.*)(?:\n[ \t].*)*)", stanza, re.MULTILINE))


def alternatives_of(fields):
    """Lists of names, of each of which one is needed."""
    relations = ",".join(fields.get(kind, "") for kind in ("Pre-Depends", "Depends"))
    for relation in filter(None, (part.strip() for part in relations.split(","))):
        yield [re.match(r"[^\s(:]+", name.strip())[0] for name in relation.split("|")]


def installed_packages():
    """By name: the stanza of what is installed; those that provide a name stand under that, too."""
    packages, provided = {}, {}
    for stanza in Path("/var/lib/dpkg/status").read_text().split("\n\n"):
        fields = fields_of(stanza)
        if not fields.get("Status", "").endswith("ok installed"):
            continue
        packages[fields["Package"].strip()] = stanza
        for name in re.findall(r"(?:^|,)\s*([^\s(,]+)", fields.get("Provides", "")):
            provided[name] = stanza
    return provided | packages


def closure(wanted, packages):
    """The stanzas of what is wanted, and of all it depends on, by name."""
    found, missing = {}, []
    queue = list(wanted)
    while queue:
        names = queue.pop()
        name = next((name for name in names if name in packages), None)
        if name is None:
            missing.append(" | ".join(names))
            continue
        fields = fields_of(packages[name])
        if fields["Package"].strip() not in found:
            found[fields["Package"].strip()] = packages[name]
            queue += alternatives_of(fields)
    return found, missing


def copy_files(names, root):
    """All files of the packages; folders come with them."""
    told = subprocess.run(["dpkg", "--listfiles", *names], check=True, capture_output=True, text=True)
    links = [root / name for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32")]
    for link in links:
        (root / "usr" / link.name).mkdir(parents=True)
        link.symlink_to(f"usr/{link.name}")
    files = {line[1:] for line in told.stdout.splitlines() if line.startswith("/")}
    files = {name for name in files if Path("/", name).is_symlink() or Path("/", name).is_file()}
    files -= {link.name for link in links}
    with subprocess.Popen(
            ["tar", "--create", "--directory=/", "--no-recursion", "--files-from=-"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE) as pack, subprocess.Popen(
            ["tar", "--extract", "--keep-directory-symlink", f"--directory={root}"],
            stdin=pack.stdout) as unpack:
        pack.stdin.write("\n".join(sorted(files)).encode())
        pack.stdin.close()
        if pack.wait() or unpack.wait():
            sys.exit("files cannot be copied")


def main(folder, *wanted):
    needs = []
    for word in wanted:
        if not word.endswith(".deb"):
            needs.append([word])
            continue
        told = subprocess.run(["dpkg-deb", "--field", word], check=True, capture_output=True, text=True)
        needs += alternatives_of(fields_of(told.stdout))
    found, missing = closure(needs, installed_packages())
    if missing:
        sys.exit("not installed here: " + ", ".join(sorted(missing)))
    root = Path(folder)
    for name in ("tmp", "dev", "proc", "var/lib/dpkg/info", "var/lib/dpkg/updates"):
        (root / name).mkdir(parents=True)
    (root / "var/lib/dpkg/status").write_text("\n\n".join(found.values()) + "\n\n")
    copy_files(found, root)


main(*sys.argv[1:])
