#include "nadi/converters/text/text_lines.h"

#include <algorithm>
#include <span>

#include "nadi/base/error.h"
#include "nadi/base/utf8.h"

namespace nadi {
namespace {

constexpr std::size_t kPiece = 1 << 16;
constexpr std::size_t kMostQuoted = 40;
constexpr std::size_t kMostWords = 64;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string read_all(ByteSource& source, std::size_t most_bytes) {
  std::string text;
  std::vector<char> piece(kPiece);
  while (const std::size_t size = source.read(std::span<char>(piece))) {
    text.append(piece.data(), size);
    if (text.size() > most_bytes)
      throw Error(ErrorCode::kInput, source.name(),
                  "is larger than " + std::to_string(most_bytes >> 20) + " MiB",
                  "Pass a text workload: a line per layer");
  }
  if (!source.damage().empty())
    throw Error(ErrorCode::kInput, source.name(), "is damaged (" + source.damage() + ")",
                "Write or copy the file again");
  return text;
}

}  // namespace

TextLines::TextLines(ByteSource source, std::size_t most_bytes)
    : name_(source.name()), text_(read_all(source, most_bytes)) {
  reject_binary();
  if (std::string_view(text_).starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
}

void TextLines::reject_binary() const {
  const std::size_t nul = text_.find('\0');
  if (nul == std::string::npos) return;
  TextLine line;
  line.number = 1 + static_cast<std::size_t>(
                        std::count(text_.begin(), text_.begin() + static_cast<long>(nul), '\n'));
  const std::size_t begin = text_.rfind('\n', nul) + 1;  // npos + 1 = 0
  fail(line, nul - begin + 1, "here is a NUL byte: the file is no plain text",
       "Pass a text workload in UTF-8 or ASCII");
}

bool TextLines::next(TextLine& line) {
  line.words.clear();
  while (line.words.empty() && at_ < text_.size()) {
    const std::size_t begin = at_, end = std::min(text_.find('\n', at_), text_.size());
    line.number = ++number_;
    for (std::size_t i = begin; i < end && line.words.size() < kMostWords;) {
      if (is_blank(text_[i])) {
        ++i;
        continue;
      }
      std::size_t behind = i;
      while (behind < end && !is_blank(text_[behind])) ++behind;
      line.words.push_back({std::string_view(text_).substr(i, behind - i), i - begin + 1});
      i = behind;
    }
    at_ = end + 1;
  }
  return !line.words.empty();
}

void TextLines::fail(const TextLine& line, std::size_t column, const std::string& what,
                     const std::string& remedy) const {
  throw Error(
      ErrorCode::kInput,
      name_ + ", line " + std::to_string(line.number) + ", column " + std::to_string(column), what,
      remedy);
}

void TextLines::fail(const std::string& what, const std::string& remedy) const {
  throw Error(ErrorCode::kInput, name_, what, remedy);
}

std::string quoted(std::string_view text) {
  std::string shown = repair_utf8(text.substr(0, kMostQuoted));
  for (char& c : shown)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  return "\"" + shown + (text.size() > kMostQuoted ? "…\"" : "\"");
}

}  // namespace nadi
