// Packs what is written: gzip or zstd, by the name of the file.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "nadi/base/compression.h"

namespace nadi {

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
