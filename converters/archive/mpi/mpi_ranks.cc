#include "nadi/converters/archive/mpi/mpi_ranks.h"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <mutex>
#include <new>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "nadi/base/error.h"
#include "nadi/base/json_document.h"
#include "nadi/converters/archive/workers.h"

namespace nadi {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kPieceBytes = 1 << 20;
constexpr int kEndTag = 0;  // those of slots begin behind it
constexpr std::chrono::microseconds kPollInterval{300};

/// MPI is called by one thread at a time.
std::mutex& mpi_mutex() {
  static std::mutex mutex;
  return mutex;
}

void send(const std::string& bytes, int process, int tag) {
  MPI_Request request{};
  {
    const std::lock_guard lock(mpi_mutex());
    MPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, process, tag, MPI_COMM_WORLD,
              &request);
  }
  for (;;) {
    {
      const std::lock_guard lock(mpi_mutex());
      int is_sent = 0;
      MPI_Test(&request, &is_sent, MPI_STATUS_IGNORE);
      if (is_sent != 0) return;
    }
    std::this_thread::sleep_for(kPollInterval);
  }
}

/// A message that waits, from the process with the tag (MPI_ANY_TAG: any, which it is then); false
/// = there is none.
bool try_receive(int process, int& tag, std::string& bytes) {
  const std::lock_guard lock(mpi_mutex());
  int waits = 0;
  MPI_Status status{};
  MPI_Iprobe(process, tag, MPI_COMM_WORLD, &waits, &status);
  if (waits == 0) return false;
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  bytes.resize(static_cast<std::size_t>(size));
  tag = status.MPI_TAG;
  MPI_Recv(bytes.data(), size, MPI_BYTE, process, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return true;
}

std::string receive(int process, int tag) {
  std::string bytes;
  while (!try_receive(process, tag, bytes)) std::this_thread::sleep_for(kPollInterval);
  return bytes;
}

Json kept_json(const std::shared_ptr<const KeptTrace>& kept) {
  if (!kept) return nullptr;
  return {{"size", kept->size()}, {"unpacked_bytes", kept->unpacked_bytes()}};
}

/// The bytes in pieces, an empty one behind the last.
void send_kept(const std::shared_ptr<const KeptTrace>& kept, int process, int tag) {
  if (!kept) return;
  const auto read = kept->packed();
  std::string piece;
  do {
    piece.resize(kPieceBytes);
    piece.resize(read(piece));
    send(piece, process, tag);
  } while (!piece.empty());
}

std::shared_ptr<const KeptTrace> receive_kept(const Json& json, TraceStore& store, int tag) {
  if (json.is_null()) return nullptr;
  std::string piece;
  std::size_t used = 0;
  const auto read = [&](std::span<char> into) -> std::size_t {
    if (used == piece.size()) {
      piece = receive(0, tag);
      used = 0;
    }
    const std::size_t count = std::min(into.size(), piece.size() - used);
    std::copy_n(piece.data() + used, count, into.data());
    used += count;
    return count;
  };
  return store.keep_packed(read, json.at("size"), json.at("unpacked_bytes"));
}

std::string task_text(const RankTask& task) {
  return document_text(Json{{"line", manifest_line(task.record)},
                            {"prefix", task.prefix},
                            {"host", task.host},
                            {"device", task.device},
                            {"kept_host", kept_json(task.kept_host)},
                            {"kept_device", kept_json(task.kept_device)},
                            {"host_bytes", task.host_bytes},
                            {"device_bytes", task.device_bytes},
                            {"is_measured", task.is_measured}});
}

/// Deals out; a slot is a process and a position in it.
class MpiDealer : public RankConverter {
 public:
  MpiDealer(int processes, unsigned jobs) : others_(processes - 1), jobs_(static_cast<int>(jobs)) {}
  ~MpiDealer() override {
    for (int process = 1; process <= others_; ++process) send("", process, kEndTag);
  }

  unsigned slots() const override { return static_cast<unsigned>(others_ * jobs_); }

  RankRecord convert(unsigned slot, const RankTask& task) override {
    const int process = 1 + static_cast<int>(slot) % others_;
    const int tag = 1 + static_cast<int>(slot) / others_;
    send(task_text(task), process, tag);
    send_kept(task.kept_host, process, tag);
    send_kept(task.kept_device, process, tag);
    const Json reply = parse_json(receive(process, tag));
    if (const auto error = reply.find("error"); error != reply.end())
      throw Error(ErrorCode::kInput, error->at("where"), error->at("what"), error->at("remedy"));
    if (reply.contains("out_of_memory")) throw std::bad_alloc();
    if (const auto larger = reply.find("larger"); larger != reply.end())
      throw LargerTraces(larger->at("host_bytes"), larger->at("device_bytes"));
    return parse_manifest_line(reply.at("line").get<std::string>()).value();
  }

 private:
  int others_, jobs_;
};

/// What a process answers to a task.
std::string answer(const RankTask& task, const ConvertOptions& options,
                   const UnpackLimits& limits) {
  Json reply;
  try {
    reply["line"] = manifest_line(convert_rank(task, options, limits));
  } catch (const Error& error) {
    reply["error"] = {
        {"where", error.where()}, {"what", error.problem()}, {"remedy", error.remedy()}};
  } catch (const std::bad_alloc&) {
    reply["out_of_memory"] = true;
  } catch (const LargerTraces& larger) {
    reply["larger"] = {{"host_bytes", larger.host_bytes}, {"device_bytes", larger.device_bytes}};
  } catch (const std::exception& error) {
    reply["error"] = {
        {"where", task.device}, {"what", error.what()}, {"remedy", "Please report it"}};
  }
  return document_text(reply);
}

/// From MPI_Init to MPI_Finalize.
class MpiProcess {
 public:
  /// Throws Error(kInput) where MPI cannot be begun with.
  MpiProcess() {
    int provided = 0;
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS ||
        provided < MPI_THREAD_SERIALIZED)
      throw Error(ErrorCode::kInput, "MPI", "does not let several threads send",
                  "Use an MPI with MPI_THREAD_SERIALIZED, or convert with `shard`");
    MPI_Comm_rank(MPI_COMM_WORLD, &process_);
    MPI_Comm_size(MPI_COMM_WORLD, &processes_);
    MPI_Comm here{};
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &processes_here_);
    MPI_Comm_free(&here);
  }
  ~MpiProcess() { MPI_Finalize(); }
  MpiProcess(const MpiProcess&) = delete;
  MpiProcess& operator=(const MpiProcess&) = delete;

  int process() const { return process_; }
  int processes() const { return processes_; }
  /// Of the job, on this machine.
  int processes_here() const { return processes_here_; }

 private:
  int process_ = 0, processes_ = 1, processes_here_ = 1;
};

/// Converts what the first process deals out, until it ends.
void serve(const ConvertArchiveOptions& options) {
  ConvertOptions of_rank = options.convert;
  of_rank.threads = 1;
  of_rank.traces.uses_one_thread = true;
  const MemoryShares shares = share_memory(options.memory);
  TraceStore store(shares.store, options.spool);
  std::mutex mutex;
  std::deque<std::pair<int, std::string>> replies;  // by tag
  Workers workers(options.jobs, shares.conversions);
  const auto send_replies = [&] {
    for (;;) {
      std::pair<int, std::string> reply;
      {
        const std::lock_guard lock(mutex);
        if (replies.empty()) return;
        reply = std::move(replies.front());
        replies.pop_front();
      }
      send(reply.second, 0, reply.first);
    }
  };
  for (;;) {
    send_replies();
    int tag = MPI_ANY_TAG;
    std::string text;
    if (!try_receive(0, tag, text)) {
      std::this_thread::sleep_for(kPollInterval);
      continue;
    }
    if (tag == kEndTag) return;
    const Json json = parse_json(text);
    RankTask task;
    task.record = parse_manifest_line(json.at("line").get<std::string>()).value();
    task.prefix = json.at("prefix");
    task.host = json.at("host");
    task.device = json.at("device");
    task.host_bytes = json.at("host_bytes");
    task.device_bytes = json.at("device_bytes");
    task.is_measured = json.at("is_measured");
    task.kept_host = receive_kept(json.at("kept_host"), store, tag);
    task.kept_device = receive_kept(json.at("kept_device"), store, tag);
    const std::uint64_t needed = bytes_needed(task);
    workers.submit(needed, [&, tag, task = std::move(task)](unsigned) {
      std::string reply = answer(task, of_rank, options.collect.sources.limits);
      const std::lock_guard lock(mutex);
      replies.emplace_back(tag, std::move(reply));
    });
  }
}

}  // namespace

std::optional<ConvertArchiveReport> convert_archive_with_mpi(const ConvertArchiveOptions& options) {
  const MpiProcess mpi;
  ConvertArchiveOptions of_process = options;
  of_process.jobs = std::max(1U, options.jobs);
  if (options.memory == 0)
    of_process.memory = default_memory() / static_cast<std::uint64_t>(mpi.processes_here());
  if (mpi.process() > 0) {
    of_process.spool += "-" + std::to_string(mpi.process());
    serve(of_process);
    return std::nullopt;
  }
  MpiDealer dealer(mpi.processes(), of_process.jobs);
  of_process.elsewhere = &dealer;
  return convert_archive(of_process);
}

}  // namespace nadi
