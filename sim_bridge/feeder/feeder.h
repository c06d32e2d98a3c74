// Feeds a simulator with the nodes of a Chakra graph, in the order their dependencies allow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "et_def.pb.h"
#include "nadi/sim_bridge/feeder/feeder_node.h"

namespace nadi {

struct FeederOptions {
  bool data_deps = true;  ///< wait for these
  bool ctrl_deps = true;  ///< and for these, as ASTRA-sim does; MLCommons' feeder does not
  /// Bytes of the file held at once beside the index.
  std::size_t window_bytes = 64 << 20;
  /// The folder to which a gzip file or a stream is unpacked, once; empty = the system's temporary
  /// folder.
  std::filesystem::path tmp = {};
};

/// A node waits, is ready, is taken, is finished. Opening reads the file once from begin to end and
/// keeps an index (24 bytes a node, 4 a dependency; 7 to 15 more a node where ids have gaps); a
/// node's content is read again at lookup, through a window. All operations are O(1) in the number
/// of nodes, ready ones included, and finish() also goes through the node's dependents once. Not
/// thread-safe. Ids that are no node's, and steps out of order, throw Error (kUsage).
class Feeder {
 public:
  /// Opens the file ("-" = standard input), plain or gzip. Throws Error (kInput) that says where it
  /// is cut, has no metadata or no node, an id twice, a dependency on no node, or a cycle.
  explicit Feeder(const std::string& path, const FeederOptions& options = {});
  ~Feeder();
  Feeder(Feeder&&) noexcept;
  Feeder& operator=(Feeder&&) noexcept;

  /// The file's name, for messages.
  const std::string& name() const;
  const ChakraProtoMsg::GlobalMetadata& metadata() const;

  /// Counts of nodes; those that are neither ready, taken nor finished wait for others.
  std::size_t size() const;
  std::size_t ready_count() const;
  std::size_t taken_count() const;
  std::size_t finished_count() const;
  /// Dependencies that are waited for; one named twice by a node counts once.
  std::size_t dependency_count() const;
  /// True where all nodes are finished.
  bool is_done() const;

  /// Returns the smallest ready id.
  std::optional<std::uint64_t> next_ready() const;
  /// Returns the smallest ready id above `after`.
  std::optional<std::uint64_t> next_ready(std::uint64_t after) const;
  class ReadyIds;
  /// Ready ids, ascending: for (std::uint64_t id : feeder.ready()). Taking and finishing on the way
  /// is allowed; what becomes ready behind the current id is not visited.
  ReadyIds ready() const;

  bool contains(std::uint64_t id) const;
  bool is_ready(std::uint64_t id) const;
  bool is_taken(std::uint64_t id) const;
  bool is_finished(std::uint64_t id) const;

  /// Starts a ready node.
  void take(std::uint64_t id);
  /// Makes a taken node ready again.
  void put_back(std::uint64_t id);
  /// Finishes a taken node. Returns what became ready by it, ascending, until the next call: a
  /// simulator that keeps a queue per resource never needs to search the ready ones.
  std::span<const std::uint64_t> finish(std::uint64_t id);

  /// Returns the node's content. Throws Error (kInput) where the file has changed since it was
  /// opened.
  FeederNode lookup(std::uint64_t id) const;
  /// Position of the id among all ids, for columns of a simulator's own.
  std::size_t row(std::uint64_t id) const;
  std::uint64_t id_of_row(std::size_t row) const;
  /// Rows of the nodes that wait for this one.
  std::span<const std::uint32_t> dependent_rows(std::uint64_t id) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

class Feeder::ReadyIds {
 public:
  class Iterator {
   public:
    Iterator(const Feeder* feeder, std::optional<std::uint64_t> id) : feeder_(feeder), id_(id) {}
    std::uint64_t operator*() const { return *id_; }
    Iterator& operator++() {
      id_ = feeder_->next_ready(*id_);
      return *this;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.id_ == b.id_; }

   private:
    const Feeder* feeder_;
    std::optional<std::uint64_t> id_;
  };
  explicit ReadyIds(const Feeder& feeder) : feeder_(&feeder) {}
  Iterator begin() const { return {feeder_, feeder_->next_ready()}; }
  Iterator end() const { return {feeder_, std::nullopt}; }

 private:
  const Feeder* feeder_;
};

inline Feeder::ReadyIds Feeder::ready() const { return ReadyIds(*this); }

}  // namespace nadi
