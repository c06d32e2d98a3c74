#include "builder.h"

#include <utility>

namespace nadi::vm {

void ThreadBuilder::append(Action action, int index, Ns ns) {
  code().threads[static_cast<std::size_t>(thread_)].code.push_back({action, index, ns});
}

int ThreadBuilder::begin(Op op) {
  op.thread = thread_;
  op.parent = open_;
  open_ = static_cast<int>(code().ops.size());
  code().ops.push_back(std::move(op));
  append(Action::kOpBegin, open_);
  return open_;
}

void ThreadBuilder::end(int op) {
  append(Action::kOpEnd, op);
  open_ = code().ops[static_cast<std::size_t>(op)].parent;
}

int ThreadBuilder::op(std::string name, const Body& body) {
  Op op;
  op.name = std::move(name);
  const int index = begin(std::move(op));
  body();
  end(index);
  return index;
}

int ThreadBuilder::op(std::string name, Ns own) {
  return op(std::move(name), [&] { work(own); });
}

int ThreadBuilder::annotation(std::string name, const Body& body) {
  Op op;
  op.name = std::move(name);
  op.is_annotation = true;
  const int index = begin(std::move(op));
  body();
  end(index);
  return index;
}

int ThreadBuilder::forward_op(std::string name, const Body& body) {
  std::int64_t seq = 0;
  for (const Op& earlier : code().ops) seq = std::max(seq, earlier.seq_id + 1);
  Op op;
  op.name = std::move(name);
  op.seq_id = seq;
  const int index = begin(std::move(op));
  body();
  end(index);
  return index;
}

int ThreadBuilder::backward_op(std::string name, int forward, const Body& body) {
  Op engine;
  engine.name = "autograd::engine::evaluate_function: " + name;
  engine.forward = forward;
  engine.seq_id = code().ops[static_cast<std::size_t>(forward)].seq_id;
  Op function;
  function.name = std::move(name);
  function.forward = forward;
  function.seq_id = engine.seq_id;
  function.fw_parent = fw_parent_;
  function.is_backward = true;
  const int outer = begin(std::move(engine));
  work(2_us);
  const int inner = begin(std::move(function));
  body();
  end(inner);
  work(1_us);
  end(outer);
  return inner;
}

void ThreadBuilder::work(Ns ns) {
  if (ns > 0) append(Action::kWork, -1, ns);
}

int ThreadBuilder::add_call(Call call) {
  code().calls.push_back(std::move(call));
  const int index = static_cast<int>(code().calls.size()) - 1;
  append(Action::kCall, index);
  return index;
}

void ThreadBuilder::call(std::string name, Ns duration) {
  Call call;
  call.name = std::move(name);
  call.duration = duration;
  add_call(std::move(call));
}

namespace {

Call launching(CallKind kind, std::string name, Row row, LaunchCost cost) {
  Call call;
  call.kind = kind;
  call.name = std::move(name);
  call.duration = cost.call;
  call.latency = cost.latency;
  call.stream = row.stream;
  call.rows.push_back(std::move(row));
  return call;
}

Row device_row(EventCategory kind, std::string name, int stream, Ns duration, std::int64_t bytes) {
  Row row;
  row.kind = kind;
  row.name = std::move(name);
  row.stream = stream;
  row.duration = duration;
  row.bytes = bytes;
  return row;
}

Call on_stream(CallKind kind, std::string name, int stream, int event, Ns duration) {
  Call call;
  call.kind = kind;
  call.name = std::move(name);
  call.duration = duration;
  call.stream = stream;
  call.event = event;
  return call;
}

}  // namespace

int ThreadBuilder::launch(int stream, std::string kernel, Ns duration, LaunchCost cost) {
  Row row = device_row(EventCategory::kKernel, std::move(kernel), stream, duration, -1);
  return add_call(launching(CallKind::kLaunch, "cudaLaunchKernel", std::move(row), cost));
}

int ThreadBuilder::copy(int stream, std::string direction, std::int64_t bytes, Ns duration,
                        LaunchCost cost) {
  Row row = device_row(EventCategory::kMemcpy, "Memcpy " + direction, stream, duration, bytes);
  return add_call(launching(CallKind::kLaunch, "cudaMemcpyAsync", std::move(row), cost));
}

int ThreadBuilder::set(int stream, std::int64_t bytes, Ns duration, LaunchCost cost) {
  Row row = device_row(EventCategory::kMemset, "Memset (Device)", stream, duration, bytes);
  return add_call(launching(CallKind::kLaunch, "cudaMemsetAsync", std::move(row), cost));
}

int ThreadBuilder::blocking_copy(int stream, std::int64_t bytes, Ns duration, LaunchCost cost) {
  Row row = device_row(EventCategory::kMemcpy, "Memcpy DtoH (Device -> Pageable)", stream, duration,
                       bytes);
  return add_call(launching(CallKind::kBlockingCopy, "cudaMemcpyAsync", std::move(row), cost));
}

void ThreadBuilder::item(int stream, Ns copy) {
  op("aten::item", [&] {
    work(1_us);
    op("aten::_local_scalar_dense", [&] {
      work(1_us);
      blocking_copy(stream, 4, copy);
      work(1_us);
      stream_synchronize(stream);
      work(1_us);
    });
    work(1_us);
  });
}

void ThreadBuilder::pageable_copy(int stream, std::int64_t bytes, Ns duration) {
  op("aten::copy_", [&] {
    work(3_us);
    copy(stream, "HtoD (Pageable -> Device)", bytes, duration);
    work(1_us);
    stream_synchronize(stream);
    work(1_us);
  });
}

int ThreadBuilder::graph(int stream, std::vector<Row> rows, LaunchCost cost) {
  Call call;
  call.kind = CallKind::kGraphLaunch;
  call.name = "cudaGraphLaunch";
  call.duration = cost.call;
  call.latency = cost.latency;
  call.stream = stream;
  call.graph = code().graphs++;
  call.rows = std::move(rows);
  return add_call(std::move(call));
}

int ThreadBuilder::replay(int launched, const Vary& vary) {
  Call call = at(code().calls, launched);
  for (std::size_t place = 0; place < call.rows.size(); ++place) {
    Row& row = call.rows[place];
    row.duration = vary(place, row.duration);
    if (row.gap > 0) row.gap = vary(place, row.gap);
  }
  return add_call(std::move(call));
}

Row graph_kernel(std::string name, int stream, Ns duration, std::vector<int> after) {
  Row row = device_row(EventCategory::kKernel, std::move(name), stream, duration, -1);
  row.after = std::move(after);
  return row;
}

int ThreadBuilder::record(int stream, Ns duration) {
  const int event = code().events++;
  record(stream, event, duration);
  return event;
}

void ThreadBuilder::record(int stream, int event, Ns duration) {
  add_call(on_stream(CallKind::kEventRecord, "cudaEventRecord", stream, event, duration));
}

void ThreadBuilder::wait(int stream, int event, Ns duration) {
  add_call(on_stream(CallKind::kStreamWaitEvent, "cudaStreamWaitEvent", stream, event, duration));
}

void ThreadBuilder::event_synchronize(int event, Ns duration) {
  add_call(on_stream(CallKind::kEventSynchronize, "cudaEventSynchronize", -1, event, duration));
}

void ThreadBuilder::stream_synchronize(int stream, Ns duration) {
  add_call(on_stream(CallKind::kStreamSynchronize, "cudaStreamSynchronize", stream, -1, duration));
}

void ThreadBuilder::device_synchronize(Ns duration) {
  add_call(on_stream(CallKind::kDeviceSynchronize, "cudaDeviceSynchronize", -1, -1, duration));
}

void ThreadBuilder::query(int event, Ns duration) {
  add_call(on_stream(CallKind::kEventQuery, "cudaEventQuery", -1, event, duration));
}

void ThreadBuilder::query_until_done(int event, Ns pause, Ns duration) {
  constexpr int kMostQueries = 400;
  const int loop = static_cast<int>(code().calls.size());
  for (int i = 0; i < kMostQueries; ++i) {
    query(event, duration);
    code().calls.back().loop = loop;
    code().calls.back().pause = pause;
  }
  event_synchronize(event);
  code().calls.back().loop = loop;
}

void ThreadBuilder::signal(int token) { append(Action::kSignal, token); }
void ThreadBuilder::await(int token) { append(Action::kAwait, token); }

int ThreadBuilder::put() {
  const int token = code().tokens++;
  signal(token);
  return token;
}

void ThreadBuilder::get(int token) {
  await(token);
  code().threads[u(thread_)].code.back().is_queue = true;
}

void ThreadBuilder::hand_over(ThreadBuilder& worker, const Body& body) {
  const int go = code().tokens++, done = code().tokens++;
  worker.fw_parent_ = open_;
  signal(go);
  worker.await(go);
  body();
  worker.signal(done);
  await(done);
}

ProgramBuilder::ProgramBuilder(std::string name, int ranks) {
  program_.name = std::move(name);
  program_.ranks.resize(static_cast<std::size_t>(ranks));
  if (ranks == 1) return;
  std::vector<int> all;
  for (int rank = 0; rank < ranks; ++rank) all.push_back(rank);
  group("default_pg", all);
}

int ProgramBuilder::group(std::string desc, std::vector<int> ranks) {
  const int index = static_cast<int>(program_.groups.size());
  program_.groups.push_back({std::to_string(index), std::move(desc), std::move(ranks)});
  return index;
}

ThreadBuilder ProgramBuilder::thread(int rank, std::string name) {
  auto& threads = program_.ranks[static_cast<std::size_t>(rank)].threads;
  threads.push_back({std::move(name), {}});
  ThreadBuilder thread(program_, rank, static_cast<int>(threads.size()) - 1);
  if (program_.ranks.size() > 1 && threads.size() == 1) {
    Op init;
    init.name = "## process_group:init ##";
    init.is_annotation = init.is_host_only = true;
    thread.end(thread.begin(std::move(init)));
  }
  return thread;
}

}  // namespace nadi::vm
