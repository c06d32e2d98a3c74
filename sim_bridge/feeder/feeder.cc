#include "nadi/sim_bridge/feeder/feeder.h"

#include <algorithm>
#include <vector>

#include "nadi/base/error.h"
#include "nadi/base/index.h"
#include "nadi/sim_bridge/feeder/byte_window.h"
#include "nadi/sim_bridge/feeder/graph_index.h"
#include "nadi/sim_bridge/feeder/row_set.h"

namespace nadi {

namespace {

// In the column of what each row still waits for; counts stay below (GraphIndex, kNoIndex).
constexpr std::uint32_t kTaken = 0xffffffffU, kFinished = 0xfffffffeU;

}  // namespace

struct Feeder::State {
  State(GraphIndex read, std::size_t window_bytes)
      : index(std::move(read)),
        name(std::make_shared<const std::string>(index.name)),
        window(std::move(index.nodes), window_bytes),
        waits_for(std::move(index.dependency_count)),
        ready(waits_for.size()) {
    for (std::uint32_t row = 0; row < waits_for.size(); ++row)
      if (waits_for[row] == 0) ready.insert(row);
  }

  std::uint32_t row_of(std::uint64_t id) const {
    const std::uint32_t row = index.ids.row(id);
    if (row == kNoIndex) fail(id, "is no node of the graph", "Ask for ids the feeder gave");
    return row;
  }

  const char* condition(std::uint32_t row) const {
    if (waits_for[row] == kTaken) return "is taken already";
    if (waits_for[row] == kFinished) return "is finished already";
    return waits_for[row] == 0 ? "is ready, but not taken" : "waits for other nodes";
  }

  [[noreturn]] void fail(std::uint64_t id, const std::string& what,
                         const std::string& remedy) const {
    throw Error(ErrorCode::kUsage, *name + ", node " + std::to_string(id), what, remedy);
  }

  GraphIndex index;
  std::shared_ptr<const std::string> name;
  ByteWindow window;
  std::vector<std::uint32_t> waits_for;  // by row; 0 = ready
  RowSet ready;
  std::size_t taken = 0, finished = 0;
  std::vector<std::uint64_t> became_ready;
};

Feeder::Feeder(const std::string& path, const FeederOptions& options)
    : state_(std::make_unique<State>(index_graph(path, options), options.window_bytes)) {}
Feeder::~Feeder() = default;
Feeder::Feeder(Feeder&&) noexcept = default;
Feeder& Feeder::operator=(Feeder&&) noexcept = default;

const std::string& Feeder::name() const { return *state_->name; }
const ChakraProtoMsg::GlobalMetadata& Feeder::metadata() const { return state_->index.metadata; }
std::size_t Feeder::size() const { return state_->index.ids.size(); }
std::size_t Feeder::ready_count() const { return state_->ready.count(); }
std::size_t Feeder::taken_count() const { return state_->taken; }
std::size_t Feeder::finished_count() const { return state_->finished; }
std::size_t Feeder::dependency_count() const { return state_->index.dependents.node.size(); }
bool Feeder::is_done() const { return state_->finished == size(); }

std::optional<std::uint64_t> Feeder::next_ready() const {
  const std::uint32_t row = state_->ready.next(0);
  return row == kNoIndex ? std::nullopt : std::optional(state_->index.ids.id(row));
}

std::optional<std::uint64_t> Feeder::next_ready(std::uint64_t after) const {
  const std::uint32_t row = state_->ready.next(state_->row_of(after) + 1);
  return row == kNoIndex ? std::nullopt : std::optional(state_->index.ids.id(row));
}

bool Feeder::contains(std::uint64_t id) const { return state_->index.ids.row(id) != kNoIndex; }
bool Feeder::is_ready(std::uint64_t id) const { return state_->waits_for[state_->row_of(id)] == 0; }
bool Feeder::is_taken(std::uint64_t id) const {
  return state_->waits_for[state_->row_of(id)] == kTaken;
}
bool Feeder::is_finished(std::uint64_t id) const {
  return state_->waits_for[state_->row_of(id)] == kFinished;
}

void Feeder::take(std::uint64_t id) {
  const std::uint32_t row = state_->row_of(id);
  if (state_->waits_for[row] != 0)
    state_->fail(id, state_->condition(row), "Take ready nodes only");
  state_->waits_for[row] = kTaken;
  state_->ready.erase(row);
  ++state_->taken;
}

void Feeder::put_back(std::uint64_t id) {
  const std::uint32_t row = state_->row_of(id);
  if (state_->waits_for[row] != kTaken)
    state_->fail(id, state_->condition(row), "Put back taken nodes only");
  state_->waits_for[row] = 0;
  state_->ready.insert(row);
  --state_->taken;
}

std::span<const std::uint64_t> Feeder::finish(std::uint64_t id) {
  State& state = *state_;
  const std::uint32_t row = state.row_of(id);
  if (state.waits_for[row] != kTaken)
    state.fail(id, state.condition(row), "Finish taken nodes only");
  state.waits_for[row] = kFinished;
  --state.taken;
  ++state.finished;
  state.became_ready.clear();
  for (const std::uint32_t dependent : state.index.dependents.of(row)) {
    if (--state.waits_for[dependent] > 0) continue;
    state.ready.insert(dependent);
    state.became_ready.push_back(state.index.ids.id(dependent));
  }
  std::sort(state.became_ready.begin(), state.became_ready.end());
  return state.became_ready;
}

FeederNode Feeder::lookup(std::uint64_t id) const {
  const std::uint32_t row = state_->row_of(id);
  FeederNode node(state_->window.read(state_->index.offset[row], state_->index.bytes[row]),
                  state_->name);
  if (node.id() != id)
    throw Error(ErrorCode::kInput, name(), "has changed since it was opened",
                "Let nobody write the file while it is read");
  return node;
}

std::size_t Feeder::row(std::uint64_t id) const { return state_->row_of(id); }
std::uint64_t Feeder::id_of_row(std::size_t row) const {
  return state_->index.ids.id(static_cast<std::uint32_t>(row));
}
std::span<const std::uint32_t> Feeder::dependent_rows(std::uint64_t id) const {
  return state_->index.dependents.of(state_->row_of(id));
}

}  // namespace nadi
