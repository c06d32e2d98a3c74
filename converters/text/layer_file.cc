#include "nadi/converters/text/layer_file.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "et_def.pb.h"
#include "nadi/base/count_text.h"
#include "nadi/base/error.h"
#include "nadi/base/utf8.h"
#include "nadi/input/byte_source.h"

namespace nadi {
namespace {

// Words of a text file with their places, for error messages.

struct TextWord {
  std::string_view text;
  std::size_t column = 1;  ///< 1 = first byte of the line
};

struct TextLine {
  std::size_t number = 0;       ///< 1 = first line of the file
  std::vector<TextWord> words;  ///< the first 64
};

/// All of a text file in memory, given line by line.
class TextLines {
 public:
  /// Throws Error (kInput) for more than `most_bytes`, damaged input and bytes that are no text
  /// (NUL, UTF-16).
  TextLines(ByteSource source, std::size_t most_bytes);

  /// The next line that is not blank; false at the end. Words live as long as this object.
  bool next(TextLine& line);

  /// Throws Error (kInput): "FILE, line 3, column 7: WHAT. REMEDY".
  [[noreturn]] void fail(const TextLine& line, std::size_t column, const std::string& what,
                         const std::string& remedy) const;
  /// Of the whole file or its end.
  [[noreturn]] void fail(const std::string& what, const std::string& remedy) const;

 private:
  void reject_binary() const;

  std::string name_, text_;
  std::size_t at_ = 0, number_ = 0;
};

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

/// text in quotes for a message: at most 40 bytes, no control bytes, UTF-8.
std::string quoted(std::string_view text) {
  std::string shown = repair_utf8(whole_prefix(text, kMostQuoted));
  for (char& c : shown)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  return "\"" + shown + (text.size() > kMostQuoted ? "…\"" : "\"");
}

constexpr std::size_t kColumns = 12;
constexpr std::int64_t kLeastAllGather = 4;  // preferred-dataset-splits of ASTRA-sim's systems
constexpr const char* kColumnsText =
    "A layer has 12 columns: name, unused, compute us, collective and bytes of forward, input "
    "gradient and weight gradient, update time";

struct ParallelismName {
  std::string_view text;
  Parallelism parallelism;
};
constexpr ParallelismName kParallelisms[] = {
    {"MICRO", Parallelism::kMicro},
    {"DATA", Parallelism::kData},
    {"MODEL", Parallelism::kModel},
    {"HYBRID_DATA_MODEL", Parallelism::kHybridDataModel},
    {"HYBRID_MODEL_DATA", Parallelism::kHybridModelData},
    {"HYBRID_DLRM", Parallelism::kHybridDlrm},
    {"HYBRID_DLRM_ENHANCED", Parallelism::kHybridDlrm},
};

/// What their passes do, the program said and not the file.
constexpr std::string_view kOfAstraSim1Alone[] = {"HYBRID_TRANSFORMER",
                                                  "HYBRID_TRANSFORMER_FWD_IN_BCKWD",
                                                  "HYBRID_CUSTOMIZED", "DISTRIBUTED_INFERENCE"};

struct CollectiveName {
  std::string_view text;
  int comm_type;
};
constexpr CollectiveName kCollectives[] = {
    {"NONE", LayerWork::kNoComm},
    {"ALLREDUCE", ChakraProtoMsg::ALL_REDUCE},
    {"ALLTOALL", ChakraProtoMsg::ALL_TO_ALL},
    {"ALLGATHER", ChakraProtoMsg::ALL_GATHER},
    {"REDUCESCATTER", ChakraProtoMsg::REDUCE_SCATTER},
};

class LayerReader {
 public:
  LayerReader(ByteSource source, Diagnostics& diagnostics)
      : name_(source.name()),
        lines_(std::move(source), kMostLayerText),
        diagnostics_(diagnostics) {}

  TextWorkload read() {
    TextWorkload workload;
    if (!lines_.next(line_))
      lines_.fail("is empty", "The first line is the parallelism: DATA, MODEL, …");
    read_parallelism(workload);
    const TextLine first = line_;
    if (!lines_.next(line_)) lines_.fail("ends after line 1", "Line 2 is the number of layers");
    const TextLine count_line = line_;
    const std::int64_t count = number(line_.words[0], "the number of layers", kMostLayerText);
    report_surplus(1);
    if (count == 0)
      lines_.fail(line_, line_.words[0].column, "a workload of 0 layers is none",
                  "Line 2 is the number of layers");
    while (lines_.next(line_)) {
      if (std::ssize(workload.layers) == count)
        lines_.fail(line_, line_.words[0].column,
                    "one layer more than the " + std::to_string(count) + " that line " +
                        std::to_string(count_line.number) + " says",
                    "Correct the number of layers");
      workload.layers.push_back(read_layer());
    }
    if (std::ssize(workload.layers) < count)
      lines_.fail(count_line, count_line.words[0].column,
                  std::to_string(count) + " layers are said, the file holds " +
                      std::to_string(workload.layers.size()),
                  "Is the file cut? Else correct the number of layers");
    check_bottom(workload, first);
    return workload;
  }

 private:
  std::int64_t number(const TextWord& word, const std::string& what, std::int64_t most) const {
    std::string_view digits = word.text;
    if (digits.starts_with('+')) digits.remove_prefix(1);
    std::int64_t value = 0;
    const char* const end = digits.data() + digits.size();
    const auto parsed = std::from_chars(digits.data(), end, value);
    const bool is_whole = parsed.ptr == end && parsed.ec != std::errc::invalid_argument;
    if (!is_whole)
      lines_.fail(line_, word.column, what + " is " + quoted(word.text) + ", no whole number",
                  "Write a number without unit or fraction");
    if (parsed.ec == std::errc::result_out_of_range || value < 0 || value > most)
      lines_.fail(line_, word.column, what + " is " + quoted(word.text),
                  "It must be from 0 to " + std::to_string(most));
    return value;
  }

  void read_parallelism(TextWorkload& workload) {
    const TextWord& word = line_.words[0];
    const auto* known = std::find_if(std::begin(kParallelisms), std::end(kParallelisms),
                                     [&](const auto& row) { return row.text == word.text; });
    const std::string names = list_of(kParallelisms, &ParallelismName::text);
    if (std::find(std::begin(kOfAstraSim1Alone), std::end(kOfAstraSim1Alone), word.text) !=
        std::end(kOfAstraSim1Alone))
      lines_.fail(line_, word.column,
                  std::string(word.text) +
                      " has no graph: its meaning stood in ASTRA-sim 1.0 alone, not in the file",
                  "Write the layers as one of " + names);
    if (known == std::end(kParallelisms))
      lines_.fail(line_, word.column, "no parallelism is named " + quoted(word.text),
                  "There are " + names);
    workload.parallelism = known->parallelism;
    if (known->parallelism != Parallelism::kHybridDlrm) return report_surplus(1);
    // "HYBRID_DLRM 3" (MLCommons) or "HYBRID_DLRM DLRM_LAST_BOTTOM_LAYER: 3" (ASTRA-sim 1.0)
    bottom_word_ =
        line_.words.size() > 2 && line_.words[1].text == "DLRM_LAST_BOTTOM_LAYER:" ? 2 : 1;
    if (line_.words.size() <= bottom_word_)
      lines_.fail(line_, word.column + word.text.size(), "the last bottom layer is missing",
                  "Write it behind: " + std::string(word.text) + " 3");
    workload.last_bottom_layer = static_cast<std::size_t>(
        number(line_.words[bottom_word_], "the last bottom layer", kMostLayerText));
    report_surplus(bottom_word_ + 1);
  }

  void check_bottom(const TextWorkload& workload, const TextLine& first) {
    if (workload.parallelism != Parallelism::kHybridDlrm) return;
    const std::size_t bottom = workload.last_bottom_layer, layers = workload.layers.size();
    if (bottom == 0 || bottom >= layers)
      lines_.fail(
          first, first.words[bottom_word_].column,
          "layer " + std::to_string(bottom) + " cannot be the last bottom layer of " +
              std::to_string(layers) + " layers",
          "Layers count from 0, layer 0 is the embedding it waits for: write 1 to the last");
    if (bottom + 1 == layers && workload.layers[0].input_gradient.communicates())
      diagnostics_.report(
          Finding::kExchangeLeftOut,
          name_ + ": input gradient of layer 0, no layer above the last bottom one");
  }

  TextLayer read_layer() {
    const auto& words = line_.words;
    if (words.size() < kColumns)
      lines_.fail(line_, words.back().column + words.back().text.size(),
                  "the line ends after " + std::to_string(words.size()) + " of 12 columns",
                  kColumnsText);
    TextLayer layer;
    layer.name = repair_utf8(words[0].text);
    layer.forward = read_work(2, "forward");
    layer.input_gradient = read_work(5, "input-gradient");
    layer.weight_gradient = read_work(8, "weight-gradient");
    report_surplus(kColumns);
    return layer;
  }

  /// What stands behind the words that count: MLCommons' converter passes over it, too.
  void report_surplus(std::size_t known) {
    if (line_.words.size() <= known) return;
    const TextWord& word = line_.words[known];
    diagnostics_.report(Finding::kSurplusWords,
                        name_ + ", line " + std::to_string(line_.number) + ", column " +
                            std::to_string(word.column) + ": " + quoted(word.text),
                        line_.words.size() - known);
  }

  LayerWork read_work(std::size_t first, const std::string& phase) {
    LayerWork work;
    const TextWord& type = line_.words[first + 1];
    work.compute_us =
        number(line_.words[first], "the " + phase + " compute time", kMostLayerMicros);
    const auto* known = std::find_if(std::begin(kCollectives), std::end(kCollectives),
                                     [&](const auto& row) { return row.text == type.text; });
    if (known == std::end(kCollectives))
      lines_.fail(line_, type.column, "no " + phase + " collective is named " + quoted(type.text),
                  "There are " + list_of(kCollectives, &CollectiveName::text));
    work.comm_type = known->comm_type;
    work.comm_bytes = number(line_.words[first + 2], "the " + phase + " size", kMostLayerBytes);
    settle_size(work, phase);
    return work;
  }

  void settle_size(LayerWork& work, const std::string& phase) {
    const std::string place =
        name_ + ", line " + std::to_string(line_.number) + ": " + phase + " of layer ";
    const std::string layer = quoted(line_.words[0].text);
    if (work.communicates() && work.comm_bytes == 0) {
      diagnostics_.report(Finding::kCollectiveWithoutBytes, place + layer);
      work.comm_type = LayerWork::kNoComm;
    }
    if (!work.communicates()) work.comm_bytes = 0;
    if (work.comm_type == ChakraProtoMsg::ALL_GATHER && work.comm_bytes < kLeastAllGather) {
      diagnostics_.report(Finding::kAllGatherRaised, place + layer);
      work.comm_bytes = kLeastAllGather;
    }
  }

  std::string name_;
  TextLines lines_;
  Diagnostics& diagnostics_;
  TextLine line_;
  std::size_t bottom_word_ = 1;
};

}  // namespace

std::string_view layer_collective_name(int comm_type) {
  const auto* known = std::find_if(std::begin(kCollectives), std::end(kCollectives),
                                   [&](const auto& row) { return row.comm_type == comm_type; });
  return known == std::end(kCollectives) ? "NONE" : known->text;
}

TextWorkload read_layer_file(ByteSource source, Diagnostics& diagnostics) {
  return LayerReader(std::move(source), diagnostics).read();
}

}  // namespace nadi
