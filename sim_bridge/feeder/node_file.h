// The bytes of a graph's nodes, to be read at any place: the file itself, or a temporary copy.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace nadi {

/// An open file. Throws Error (kInput) with the name where the system refuses.
class NodeFile {
 public:
  /// Opens a file for reading.
  static NodeFile open(const std::string& path);
  /// Creates an empty file in the folder, without a name: it goes away with the object, or with the
  /// process. An empty folder is the system's.
  static NodeFile temporary(std::filesystem::path folder);

  NodeFile() = default;  ///< not open
  NodeFile(NodeFile&& other) noexcept;
  NodeFile& operator=(NodeFile&& other) noexcept;
  ~NodeFile();

  /// The file's name; of a temporary file "a temporary file in FOLDER".
  const std::string& name() const { return name_; }
  /// Bytes of the file.
  std::uint64_t size() const;
  /// Reads up to `size` bytes; fewer at the end of the file only.
  std::size_t read_at(std::uint64_t offset, char* bytes, std::size_t size) const;

  /// Adds bytes at the end of a temporary file; after flush() they can be read.
  void append(std::string_view bytes);
  void flush();

 private:
  NodeFile(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}
  [[noreturn]] void fail(const char* doing, int error, const std::string& remedy) const;

  int descriptor_ = -1;
  std::string name_;
  std::string unwritten_;
};

}  // namespace nadi
