// A walk over the members of an archive from anywhere: what is given, what is refused, what ends
// it.
#include "nadi/input/archive_walk.h"

#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "nadi/base/error.h"
#include "tests/temporary_folder.h"

namespace nadi {
namespace {

struct Entry {
  std::string name, bytes;
  std::function<void(archive_entry*)> edit = [](archive_entry*) {};
};

struct Packing {
  int format = ARCHIVE_FORMAT_TAR_PAX_RESTRICTED;
  int filter = ARCHIVE_FILTER_NONE;
  const char* options = nullptr;
};

constexpr Packing kTar{};
constexpr Packing kTarGzip{.filter = ARCHIVE_FILTER_GZIP};
constexpr Packing kTarZstd{.filter = ARCHIVE_FILTER_ZSTD};
constexpr Packing kZip{.format = ARCHIVE_FORMAT_ZIP};

/// Packs entries in memory.
class Packer {
 public:
  explicit Packer(const Packing& packing) : out_(archive_write_new()) {
    archive_write_set_format(out_, packing.format);
    archive_write_add_filter(out_, packing.filter);
    if (packing.options != nullptr) {
      EXPECT_EQ(archive_write_set_options(out_, packing.options), ARCHIVE_OK);
      archive_write_set_passphrase(out_, "secret");
    }
    archive_write_set_bytes_in_last_block(out_, 1);
    archive_write_open(out_, &packed_, nullptr, &Packer::take, nullptr);
  }
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;
  ~Packer() { archive_write_free(out_); }

  void begin(const Entry& entry, std::size_t size) {
    archive_entry* header = archive_entry_new();
    archive_entry_set_pathname(header, entry.name.c_str());
    archive_entry_set_filetype(header, AE_IFREG);
    archive_entry_set_perm(header, 0644);
    archive_entry_set_size(header, static_cast<la_int64_t>(size));
    archive_entry_set_mtime(header, 1700000000, 0);
    entry.edit(header);
    EXPECT_GE(archive_write_header(out_, header), ARCHIVE_WARN) << archive_error_string(out_);
    archive_entry_free(header);
  }
  void write(std::string_view bytes) { archive_write_data(out_, bytes.data(), bytes.size()); }
  std::string finish() {
    archive_write_close(out_);
    return std::move(packed_);
  }

 private:
  static la_ssize_t take(archive*, void* packed, const void* data, std::size_t size) {
    static_cast<std::string*>(packed)->append(static_cast<const char*>(data), size);
    return static_cast<la_ssize_t>(size);
  }

  archive* out_;
  std::string packed_;
};

std::string pack(const Packing& packing, const std::vector<Entry>& entries) {
  Packer packer(packing);
  for (const Entry& entry : entries) {
    packer.begin(entry, entry.bytes.size());
    packer.write(entry.bytes);
  }
  return packer.finish();
}

/// An archive of a member "zeros" of so many zeros, and one "after".
std::string pack_zeros(const Packing& packing, std::size_t mebibytes) {
  const std::string zeros(1 << 20, '\0');
  Packer packer(packing);
  packer.begin({"zeros", ""}, mebibytes << 20);
  for (std::size_t i = 0; i < mebibytes; ++i) packer.write(zeros);
  packer.begin({"after", ""}, 1);
  packer.write("x");
  return packer.finish();
}

/// The bytes alone, compressed.
std::string compress(int filter, std::string_view bytes) {
  Packer packer({.format = ARCHIVE_FORMAT_RAW, .filter = filter});
  packer.begin({"x", ""}, bytes.size());
  packer.write(bytes);
  return packer.finish();
}

ByteSource::ReadFunction reader_of(std::string_view bytes, std::size_t piece = 5000) {
  return [=](std::span<char> into) mutable {
    const std::size_t size = std::min({bytes.size(), into.size(), piece});
    std::memcpy(into.data(), bytes.data(), size);
    bytes.remove_prefix(size);
    return size;
  };
}

/// What a walk gives: "NAME=BYTES" of each member, then the places of what was refused.
struct Walked {
  std::vector<std::string> members, refused;
  std::uint64_t refused_count = 0, bytes = 0;
  std::vector<std::string> member_damage;
  std::string damage;
};

enum class Visit { kRead, kSkip };

Walked walk(ArchiveWalk& walk, Diagnostics& diagnostics, Visit visit = Visit::kRead) {
  Walked walked;
  std::string buffer(100'000, '\0');
  while (const auto member = walk.next()) {
    std::string bytes;
    while (visit == Visit::kRead) {
      const std::size_t got = walk.read(buffer);
      if (got == 0) break;
      walked.bytes += got;
      if (bytes.size() < 1000) bytes.append(buffer, 0, std::min<std::size_t>(got, 1000));
    }
    walked.members.push_back(member->name + "=" + bytes);
    if (!walk.damage().empty()) walked.member_damage.push_back(walk.damage());
  }
  walked.damage = walk.damage();
  walked.refused_count = diagnostics.count(Finding::kMemberRefused);
  for (const Diagnostic& row : diagnostics.table())
    if (row.kind == Finding::kMemberRefused) walked.refused = row.first;
  return walked;
}

Walked walk_bytes(std::string_view packed, const UnpackLimits& limits = {},
                  Visit visit = Visit::kRead) {
  Diagnostics diagnostics;
  ArchiveWalk archive("a.tar", reader_of(packed), packed.size(), limits, diagnostics);
  return walk(archive, diagnostics, visit);
}

/// The reason why the one entry is refused.
std::string refusal_of(const Entry& entry, const Packing& packing = kTar) {
  const Walked walked = walk_bytes(pack(packing, {{"before", "1"}, entry, {"after", "2"}}));
  EXPECT_EQ(walked.members, (std::vector<std::string>{"before=1", "after=2"}));
  EXPECT_EQ(walked.damage, "");
  EXPECT_EQ(walked.refused_count, walked.refused.size());
  return walked.refused.empty() ? "" : walked.refused.front();
}

Entry of_kind(unsigned kind) {
  return {"odd", "", [=](archive_entry* entry) {
            archive_entry_set_filetype(entry, kind);
            if (kind == AE_IFLNK) archive_entry_set_symlink(entry, "/etc/passwd");
          }};
}

void expect_part(const std::string& message, const std::string& part) {
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInput);
    return error.what();
  }
  return {};
}

std::string walk_error(std::string_view packed) {
  return message_of([&] { walk_bytes(packed); });
}

TEST(ArchiveWalk, GivesMembersInTheirOrderWhateverTheArchive) {
  const std::vector<Entry> entries{{"z/1.json", "one"}, {"a.json", ""}, {"./m//x/./y.gz", "three"}};
  for (const Packing& packing :
       {kTar, kTarGzip, kTarZstd, kZip, Packing{.format = ARCHIVE_FORMAT_TAR_USTAR},
        Packing{.format = ARCHIVE_FORMAT_TAR_GNUTAR}, Packing{.filter = ARCHIVE_FILTER_XZ},
        Packing{.filter = ARCHIVE_FILTER_BZIP2}, Packing{.filter = ARCHIVE_FILTER_LZ4}}) {
    const Walked walked = walk_bytes(pack(packing, entries));
    EXPECT_EQ(walked.members,
              (std::vector<std::string>{"z/1.json=one", "a.json=", "m/x/y.gz=three"}))
        << packing.format << " " << packing.filter;
    EXPECT_EQ(walked.refused_count, 0U);
    EXPECT_EQ(walked.damage, "");
  }
}

TEST(ArchiveWalk, TellsSizeAndTimeOfAMemberAndItsProgress) {
  Diagnostics diagnostics;
  const std::string packed = pack(kTar, {{"a", "12345"}});
  ArchiveWalk archive("a.tar", reader_of(packed), packed.size(), {}, diagnostics);
  const auto member = archive.next();
  ASSERT_TRUE(member);
  EXPECT_EQ(member->size, 5U);
  EXPECT_EQ(member->modified_ns, 1'700'000'000'000'000'000);
  EXPECT_FALSE(archive.next());
  EXPECT_EQ(archive.total(), packed.size());
  EXPECT_GT(archive.consumed(), 0U);
  EXPECT_LE(archive.consumed(), packed.size());
}

TEST(ArchiveWalk, ReadsFilesAndStandardInput) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.tgz", pack(kTarGzip, {{"a", "1"}, {"b", "2"}}));
  Diagnostics diagnostics;
  ArchiveWalk from_file(path, {}, diagnostics);
  const std::vector<std::string> members{"a=1", "b=2"};
  EXPECT_EQ(walk(from_file, diagnostics).members, members);

  const int saved = dup(STDIN_FILENO);
  ASSERT_NE(freopen(path.c_str(), "rb", stdin), nullptr);
  ArchiveWalk from_input("-", {}, diagnostics);
  EXPECT_EQ(walk(from_input, diagnostics).members, members);
  dup2(saved, STDIN_FILENO);
  close(saved);
}

TEST(ArchiveWalk, MembersThatAreNotReadArePassed) {
  for (const Packing& packing : {kTar, kTarZstd, kZip}) {
    const Walked walked =
        walk_bytes(pack(packing, {{"a", std::string(300'000, 'a')}, {"b", "2"}}), {}, Visit::kSkip);
    EXPECT_EQ(walked.members, (std::vector<std::string>{"a=", "b="}));
    EXPECT_EQ(walked.damage, "");
  }
}

TEST(ArchiveWalk, RefusesWhatIsNoPlainFile) {
  EXPECT_EQ(refusal_of(of_kind(AE_IFLNK)), "odd: a symbolic link");
  EXPECT_EQ(refusal_of(of_kind(AE_IFCHR)), "odd: a device");
  EXPECT_EQ(refusal_of(of_kind(AE_IFBLK)), "odd: a device");
  EXPECT_EQ(refusal_of(of_kind(AE_IFIFO)), "odd: a FIFO");
  EXPECT_EQ(refusal_of({"odd", "",
                        [](archive_entry* entry) { archive_entry_set_hardlink(entry, "before"); }}),
            "odd: a hard link");
  EXPECT_EQ(refusal_of({"odd", std::string(100'000, 'x'),
                        [](archive_entry* entry) {
                          archive_entry_sparse_add_entry(entry, 0, 4096);
                          archive_entry_sparse_add_entry(entry, 65536, 4096);
                        }}),
            "odd: a sparse file");
}

TEST(ArchiveWalk, PassesFoldersAndFinderDataWithoutAWord) {
  EXPECT_EQ(refusal_of(of_kind(AE_IFDIR)), "");
  EXPECT_EQ(refusal_of({"dir/._before", "finder"}), "");
}

TEST(ArchiveWalk, RefusesNamesThatAreNotSafe) {
  EXPECT_EQ(refusal_of({"/etc/passwd", "x"}), "/etc/passwd: an absolute name");
  EXPECT_EQ(refusal_of({"a/../../b", "x"}), "a/../../b: a name with \"..\"");
  EXPECT_EQ(refusal_of({"..", "x"}), "..: a name with \"..\"");
  EXPECT_EQ(refusal_of({".", "x"}), ".: no name that can be read");
  EXPECT_EQ(refusal_of({"a\nb", "x"}), "a\\x0ab: a name with control characters");
  EXPECT_EQ(refusal_of({"a\x1b[31mb", "x"}), "a\\x1b[31mb: a name with control characters");
  EXPECT_EQ(refusal_of({"a\xc2\x9b"
                        "b",
                        "x"}),
            "a\\xc2\\x9bb: a name with control characters");
  EXPECT_EQ(refusal_of({"a\xff", "x"}), "a\\xff: a name that is not UTF-8");
  EXPECT_EQ(refusal_of({"./before", "x"}), "./before: a name that came before");
  const std::string long_name = refusal_of({"q" + std::string(4000, 'n'), "x"});
  expect_part(long_name, "…");
  expect_part(long_name, ": a name of more than 4,000 characters");
  EXPECT_LT(long_name.size(), 300U);
}

TEST(ArchiveWalk, GivesOddNamesThatAreSafe) {
  const std::string longest(4000, 'n');
  for (const std::string& name :
       {std::string("..a"), std::string("a/b..c/..."), std::string("a\\..\\b"),
        std::string("größe/日本.json"), longest}) {
    const Walked walked = walk_bytes(pack(kTar, {{name, "x"}}));
    EXPECT_EQ(walked.members, std::vector<std::string>{name + "=x"});
  }
}

constexpr std::size_t kZipFlagsAt = 6;

/// A local header of a zip, and the bytes behind it.
std::string zip_member(const std::string& name, const std::string& bytes, unsigned char flags_high,
                       std::uint32_t claimed) {
  const auto number = [](std::uint32_t value, int size) {
    std::string text;
    for (int i = 0; i < size; ++i) text.push_back(static_cast<char>(value >> (8 * i) & 0xff));
    return text;
  };
  return "PK\x03\x04" + number(20, 2) + number(flags_high * 256U, 2) + number(0, 2) + number(0, 4) +
         number(0, 4) + number(static_cast<std::uint32_t>(bytes.size()), 4) + number(claimed, 4) +
         number(static_cast<std::uint32_t>(name.size()), 2) + number(0, 2) + name + bytes;
}

TEST(ArchiveWalk, ReadsNamesOfZipsThatAreMarkedAsUtf8) {
  const Walked walked = walk_bytes(zip_member("größe", "", 8, 0) + "PK\x01\x02");
  EXPECT_EQ(walked.members, std::vector<std::string>{"größe="});
  EXPECT_EQ(walk_bytes(zip_member("a\xff", "", 8, 0) + "PK\x01\x02").refused_count, 1U);
}

TEST(ArchiveWalk, RefusesEncryptedMembersAndGoesOn) {
  std::string encrypted = zip_member("odd", std::string(17, 's'), 0, 5);
  encrypted[kZipFlagsAt] |= 1;
  const Walked walked = walk_bytes(zip_member("before", "1", 0, 1) + encrypted +
                                   zip_member("after", "2", 0, 1) + "PK\x01\x02");
  EXPECT_EQ(walked.members, (std::vector<std::string>{"before=1", "after=2"}));
  EXPECT_EQ(walked.refused, std::vector<std::string>{"odd: an encrypted file"});
  EXPECT_EQ(walked.damage, "");
}

TEST(ArchiveWalk, AnEncryptedMemberOfAStreamedZipEndsTheWalk) {
  const Packing encrypted{.format = ARCHIVE_FORMAT_ZIP, .options = "zip:encryption=zipcrypt"};
  const Walked walked = walk_bytes(pack(encrypted, {{"odd", "secret"}, {"after", "2"}}));
  EXPECT_EQ(walked.members, std::vector<std::string>{});
  EXPECT_EQ(walked.refused, std::vector<std::string>{"odd: an encrypted file"});
  expect_part(walked.damage, "after odd: Passphrase required");
}

TEST(ArchiveWalk, AMemberThatHoldsLessThanItClaimsSaysSo) {
  const Walked walked =
      walk_bytes(zip_member("short", "12345", 0, 10) + zip_member("next", "", 0, 0) + "PK\x01\x02");
  EXPECT_EQ(walked.members, (std::vector<std::string>{"short=12345", "next="}));
  ASSERT_EQ(walked.member_damage.size(), 1U);
  expect_part(walked.member_damage.front(), "short: ");
  expect_part(walked.member_damage.front(), "size");
  EXPECT_EQ(walked.damage, "");
}

TEST(ArchiveWalk, ACutArchiveNeverCrashesAndSaysSo) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += std::to_string(i * 7919 % 100003);
  for (const Packing& packing : {kTar, kTarGzip, kTarZstd, kZip}) {
    const std::string whole = pack(packing, {{"a", "1"}, {"b", text}, {"c", "3"}});
    // The end of a zip is its directory, that of a tar two blocks of zeros: they hold no members.
    const std::size_t end = packing.format == ARCHIVE_FORMAT_ZIP    ? whole.find("PK\x01\x02")
                            : packing.filter == ARCHIVE_FILTER_NONE ? whole.size() - 1024
                                                                    : whole.size() - 40;
    for (std::size_t size = 0; size < end; size += size < 600 ? 7 : 128) {
      std::vector<std::string> damage;
      const std::string error = message_of([&] {
        const Walked walked = walk_bytes(std::string_view(whole).substr(0, size));
        damage = {walked.damage};
      });
      const bool tells = !error.empty() || (!damage.empty() && !damage.front().empty());
      EXPECT_TRUE(tells) << packing.format << " " << packing.filter << " cut at " << size << " of "
                         << whole.size();
    }
  }
}

TEST(ArchiveWalk, ChangedBytesNeverCrash) {
  for (const Packing& packing : {kTar, kTarGzip, kTarZstd, kZip}) {
    const std::string whole =
        pack(packing, {{"a", "1"}, {"b", std::string(3000, 'b')}, {"c", "3"}});
    for (std::size_t at = 0; at < whole.size(); at += at < 600 ? 1 : 13) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ 0x55);
      message_of([&] { walk_bytes(changed); });
    }
  }
}

TEST(ArchiveWalk, WhatIsNoArchiveIsRefused) {
  expect_part(walk_error("{\"traceEvents\": []}"), "a.tar: is no archive");
  expect_part(walk_error(""), "a.tar: is no archive");
  expect_part(walk_error(compress(ARCHIVE_FILTER_GZIP, "{}")), "a.tar: is no archive");
  expect_part(walk_error(compress(ARCHIVE_FILTER_GZIP, pack(kTarGzip, {{"a", "1"}}))),
              "a.tar: is no archive");
  expect_part(message_of([] {
                Diagnostics diagnostics;
                ArchiveWalk("/nowhere/a.tar", {}, diagnostics);
              }),
              "No such file or directory");
}

TEST(ArchiveWalk, AReadFunctionThatThrowsEndsTheWalk) {
  const std::string whole = pack(kTar, {{"a", std::string(300'000, 'a')}});
  Diagnostics diagnostics;
  const auto read = [inner = reader_of(whole), count = 0](std::span<char> into) mutable {
    if (++count > 20) throw std::runtime_error("the line is dead");
    return inner(into);
  };
  ArchiveWalk archive("a.tar", read, 0, {}, diagnostics);
  const Walked walked = walk(archive, diagnostics);
  expect_part(walked.damage, "a: the line is dead");
}

TEST(ArchiveWalk, KnowsEachOfManyNamesAgain) {
  constexpr int kNames = 3000;
  std::vector<Entry> entries;
  for (int i = 0; i < 2 * kNames; ++i)
    entries.push_back({"job/trace." + std::to_string(i % kNames), ""});
  const std::string packed = pack(kTar, entries);
  Diagnostics diagnostics;
  ArchiveWalk archive("a.tar", reader_of(packed), 0, {}, diagnostics);
  int members = 0;
  while (archive.next()) ++members;
  EXPECT_EQ(members, kNames);
  EXPECT_EQ(diagnostics.count(Finding::kMemberRefused), static_cast<std::uint64_t>(kNames));
}

TEST(BeginsAsArchive, SaysWhichFilesDo) {
  const TemporaryFolder folder;
  const auto does = [&](const std::string& bytes) {
    return begins_as_archive(folder.write("x", bytes));
  };
  for (const Packing& packing : {kTar, kTarGzip, kTarZstd, kZip})
    EXPECT_TRUE(does(pack(packing, {{"a", "1"}})));
  const std::string text = "{\"traceEvents\": []}";
  for (const std::string& other : {text, std::string(), compress(ARCHIVE_FILTER_GZIP, text)})
    EXPECT_FALSE(does(other));
  EXPECT_THROW(begins_as_archive(folder / "nowhere"), Error);
}

/// Asks for the usual ratio early.
const UnpackLimits kStrict{.bytes_of_any_ratio = 64 << 20};

TEST(ArchiveWalk, ABombIsEndedByItsRatioWhetherReadOrSkipped) {
  for (const Packing& packing : {kTarZstd, kTarGzip, kZip}) {
    const std::string bomb = pack_zeros(packing, 200);
    EXPECT_LT(bomb.size(), 1U << 20);
    for (const Visit visit : {Visit::kRead, Visit::kSkip}) {
      const Walked walked =
          walk_bytes(bomb, {.most_ratio = 200, .bytes_of_any_ratio = 64 << 20}, visit);
      EXPECT_EQ(walked.members.size(), 1U);
      expect_part(walked.damage,
                  " unpacks to more than 200 times its packed size (taken for a bomb; "
                  "`max-ratio` changes the limit)");
      EXPECT_LT(walked.bytes, 150U << 20);
    }
  }
}

TEST(ArchiveWalk, ABombOfTheUsualRatioIsEndedToo) {
  expect_part(walk_bytes(pack_zeros(kTarZstd, 300), kStrict).damage, "more than 1,000 times");
  const Walked allowed = walk_bytes(pack_zeros(kTarZstd, 300));
  EXPECT_EQ(allowed.members.size(), 2U);
  EXPECT_EQ(allowed.bytes, (300U << 20) + 1);
}

TEST(ArchiveWalk, ABombOutsideTheMembersIsEndedToo) {
  // A zip is looked for its next header through whatever lies between.
  const std::string zip = zip_member("a", "", 0, 0) + std::string(300 << 20, '\0');
  const std::string bomb = compress(ARCHIVE_FILTER_ZSTD, zip);
  expect_part(walk_bytes(bomb, kStrict).damage, "after a: a.tar unpacks to more than 1,000 times");
}

TEST(ArchiveWalk, AMemberBeyondTheMostBytesEndsTheWalk) {
  const UnpackLimits limits{.most_bytes = 1000};
  for (const Visit visit : {Visit::kRead, Visit::kSkip}) {
    const Walked walked = walk_bytes(
        pack(kTar, {{"a", std::string(1000, 'a')}, {"b", std::string(1001, 'b')}, {"c", ""}}),
        limits, visit);
    EXPECT_EQ(walked.members.size(), 2U);
    EXPECT_EQ(
        walked.damage,
        "b unpacks to more than 1,000 bytes (taken for a bomb; `max-unpacked` changes the limit)");
  }
}

TEST(ArchiveWalk, MoreThanTheMostMembersEndTheWalk) {
  const Walked walked =
      walk_bytes(pack(kTar, {{"a", ""}, of_kind(AE_IFDIR), {"b", ""}}), {.most_members = 2});
  EXPECT_EQ(walked.members, std::vector<std::string>{"a="});
  expect_part(walked.damage, "a.tar holds more than 2 members (taken for a bomb; `max-members`");
}

ByteSource unpack(std::string_view bytes, const UnpackLimits& limits = {}) {
  return ByteSource::unpack("a/b", reader_of(bytes), bytes.size(), limits);
}

std::string content_of(ByteSource& source) {
  std::string bytes, buffer(1000, '\0');
  while (const std::size_t got = source.read(buffer)) bytes.append(buffer, 0, got);
  return bytes;
}

TEST(Unpack, GivesPackedAndPlainBytes) {
  const std::string text(10'000, 'x');
  ByteSource plain = unpack(text);
  EXPECT_EQ(content_of(plain), text);
  EXPECT_EQ(plain.container(), "");
  for (const int filter : {ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_ZSTD, ARCHIVE_FILTER_XZ,
                           ARCHIVE_FILTER_BZIP2, ARCHIVE_FILTER_LZ4}) {
    const std::string packed = compress(filter, text);
    ByteSource source = unpack(packed);
    EXPECT_EQ(content_of(source), text);
    EXPECT_NE(source.container(), "");
    EXPECT_EQ(source.damage(), "");
    EXPECT_EQ(source.consumed(), packed.size());
    EXPECT_EQ(source.total(), packed.size());
    if (filter == ARCHIVE_FILTER_LZ4) continue;  // libarchive 3.6 crashes when it writes nothing
    const std::string empty = compress(filter, "");
    ByteSource nothing = unpack(empty);
    EXPECT_EQ(content_of(nothing), "") << filter;
    EXPECT_EQ(nothing.damage(), "") << filter;
  }
}

TEST(Unpack, GivesWhatOnlyLooksPackedAsItIs) {
  for (const std::string text : {"", "BZhurch", "P", "\x1f\x8b"}) {
    ByteSource source = unpack(text);
    EXPECT_EQ(content_of(source), text);
  }
}

TEST(Unpack, TwoGzipFilesInARowAreOneStream) {
  const std::string two = compress(ARCHIVE_FILTER_GZIP, "a") + compress(ARCHIVE_FILTER_GZIP, "b");
  ByteSource source = unpack(two);
  EXPECT_EQ(content_of(source), "ab");
}

TEST(Unpack, OpensNoArchives) {
  for (const std::string& packed :
       {pack(kTar, {{"a", "1"}}), pack(kTarGzip, {{"a", "1"}}), pack(kZip, {{"a", "1"}})})
    expect_part(message_of([&] { unpack(packed); }),
                "a/b: is an archive inside an archive or a pipe. Unpack it, or pass it as a file "
                "of its own");
  const std::string twice = compress(ARCHIVE_FILTER_GZIP, compress(ARCHIVE_FILTER_ZSTD, "{}"));
  expect_part(message_of([&] { unpack(twice); }), "a/b: it is packed more than once");
}

TEST(Unpack, TruncatedBytesGiveWhatThereIsAndSaySo) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i * 7919 % 100003);
  for (const int filter : {ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_ZSTD, ARCHIVE_FILTER_XZ,
                           ARCHIVE_FILTER_BZIP2, ARCHIVE_FILTER_LZ4}) {
    const std::string whole = compress(filter, text);
    for (const std::size_t size : {std::size_t{12}, whole.size() / 2, whole.size() * 9 / 10}) {
      ByteSource source = unpack(std::string_view(whole).substr(0, size));
      EXPECT_TRUE(text.starts_with(content_of(source)));
      EXPECT_NE(source.damage(), "") << filter << " cut at " << size;
    }
  }
}

TEST(Unpack, ABombEndsWithDamage) {
  const std::string bomb = compress(ARCHIVE_FILTER_ZSTD, std::string(300 << 20, '\0'));
  const auto read_of = [&](const UnpackLimits& limits) {
    ByteSource source = unpack(bomb, limits);
    std::string buffer(100'000, '\0');
    std::uint64_t bytes = 0;
    while (const std::size_t got = source.read(buffer)) bytes += got;
    return std::pair(bytes, source.damage());
  };
  const auto [bytes, damage] = read_of(kStrict);
  EXPECT_LT(bytes, 100U << 20);
  expect_part(damage, "a/b unpacks to more than 1,000 times its packed size");
  const auto [fewer, limited] = read_of({.most_bytes = 100'000});
  EXPECT_LE(fewer, 100'000U);
  expect_part(limited, "a/b unpacks to more than 100,000 bytes");
}

TEST(Unpack, BeyondTheMostBytesThrowsWhereItIsAsked) {
  const std::string packed = compress(ARCHIVE_FILTER_GZIP, std::string(1001, 'x'));
  const TemporaryFolder folder;
  const std::string path = folder.write("x", packed);
  UnpackLimits limits{.most_bytes = 1000, .throws_beyond_bytes = true};
  const auto read_all = [](ByteSource source) { return content_of(source).size(); };
  EXPECT_THROW(read_all(unpack(packed, limits)), TooManyBytes);
  EXPECT_THROW(read_all(ByteSource::open(path, limits)), TooManyBytes);
  limits.most_bytes = 1001;
  EXPECT_EQ(read_all(ByteSource::open(path, limits)), 1001U);
}

TEST(Unpack, AMemberOfAWalkIsUnpackedAsItComes) {
  const std::string packed =
      pack(kTarZstd, {{"a.gz", compress(ARCHIVE_FILTER_GZIP, "one")}, {"b", "two"}});
  Diagnostics diagnostics;
  ArchiveWalk archive("a.tar", reader_of(packed), 0, {}, diagnostics);
  std::vector<std::string> texts;
  while (const auto member = archive.next()) {
    ByteSource source = ByteSource::unpack(
        member->name, [&](std::span<char> into) { return archive.read(into); }, member->size);
    texts.push_back(content_of(source));
  }
  EXPECT_EQ(texts, (std::vector<std::string>{"one", "two"}));
}

}  // namespace
}  // namespace nadi
