#include "nadi/emit/compressor.h"

#include <archive.h>
#include <archive_entry.h>
#include <sys/types.h>

#include <algorithm>
#include <exception>
#include <string>

#include "nadi/base/error.h"

namespace nadi {

/// libarchive's raw format: one member without a name.
struct Compressor::Packer {
  Packer(Compression compression, std::function<void(std::string_view)> to)
      : sink(std::move(to)), archive(archive_write_new()) {
    if (archive == nullptr) throw std::bad_alloc();
    check(archive_write_set_format_raw(archive));
    if (compression == Compression::kGzip) {
      check(archive_write_add_filter_gzip(archive));
      check(archive_write_set_filter_option(archive, "gzip", "timestamp", nullptr));
    } else {
      check(archive_write_add_filter_zstd(archive));
    }
    check(archive_write_set_bytes_per_block(archive, 1 << 20));
    check(archive_write_set_bytes_in_last_block(archive, 1));
    check(archive_write_open(archive, this, nullptr, &Packer::take, nullptr));
    archive_entry* const entry = archive_entry_new();
    archive_entry_set_filetype(entry, AE_IFREG);
    const int status = archive_write_header(archive, entry);
    archive_entry_free(entry);
    check(status);
  }
  ~Packer() { archive_write_free(archive); }
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  /// What the sink threw passes through the C code as a failure.
  static la_ssize_t take(struct archive* /*archive*/, void* self, const void* bytes,
                         std::size_t size) {
    auto& packer = *static_cast<Packer*>(self);
    if (packer.failure) return -1;
    try {
      packer.sink({static_cast<const char*>(bytes), size});
      return static_cast<la_ssize_t>(size);
    } catch (...) {
      packer.failure = std::current_exception();
      return -1;
    }
  }

  void check(la_ssize_t status) const {
    if (failure) std::rethrow_exception(failure);
    if (status >= ARCHIVE_WARN) return;
    const char* const text = archive_error_string(archive);
    throw Error(ErrorCode::kInternal, "packing", text == nullptr ? "failed" : text);
  }

  std::function<void(std::string_view)> sink;
  struct archive* archive;
  std::exception_ptr failure;
};

Compressor::Compressor(Compression compression, std::function<void(std::string_view)> sink)
    : packer_(std::make_unique<Packer>(compression, std::move(sink))) {}
Compressor::~Compressor() = default;

void Compressor::write(std::string_view bytes) {
  packer_->check(archive_write_data(packer_->archive, bytes.data(), bytes.size()));
}

void Compressor::finish() { packer_->check(archive_write_close(packer_->archive)); }

}  // namespace nadi
