// Packs what is written: gzip or zstd, by the name of the file.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace nadi {

enum class Compression { kNone, kGzip, kZstd };

/// ".gz" and ".zst" at the end of a file's name, in small letters or large.
Compression compression_of(std::string_view file_name);
/// The name without such an ending: "trace.json" of "trace.json.gz".
std::string_view without_compression(std::string_view file_name);

/// Same bytes in, same bytes out, whenever it is. Throws Error(kInternal) where the packing fails,
/// and what the sink throws.
class Compressor {
 public:
  /// compression is not kNone.
  Compressor(Compression compression, std::function<void(std::string_view)> sink);
  ~Compressor();
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  void write(std::string_view bytes);
  /// Sends what is left. Call once, last.
  void finish();

 private:
  struct Packer;
  std::unique_ptr<Packer> packer_;
};

}  // namespace nadi
