#include "tests/growth/inputs.h"

namespace nadi::test {
namespace {

/// Each row with its launch; stream and correlation by the row's number.
template <class Stream, class Correlation>
Lines launched_rows(int size, const Stream& stream, const Correlation& correlation) {
  Lines events;
  for (int i = 0; i < size; ++i) {
    events.push_back(launch(10.0 * i, 1, correlation(i)));
    events.push_back(row("k", 10.0 * i + 5, 1, correlation(i), stream(i)));
  }
  return events;
}

int number(int i) { return i + 1; }
int one(int) { return 1; }
/// Multiples of what the hash tables of the standard library have buckets of at both sizes.
std::int64_t of_one_bucket(int i) { return (i + 1LL) * 5087 * 10273; }

Lines one_stream(int size) { return launched_rows(size, one, number); }
Lines own_streams(int size) { return launched_rows(size, number, number); }
Lines one_correlation(int size) { return launched_rows(size, one, one); }
Lines colliding_correlations(int size) { return launched_rows(size, one, of_one_bucket); }

/// A wait for the stream, all of whose work the waiting one waits for; by its correlation.
void add_wait(Lines& events, double time, int correlation, int waiting, int stream) {
  events.push_back(call("cudaEventRecord", time, 1, correlation));
  events.push_back(call("cudaStreamWaitEvent", time + 2, 1, correlation + 1));
  events.push_back(
      sync("Stream Wait Event", time + 2, correlation + 1, waiting,
           fmt::format(R"("wait_on_stream": {}, "wait_on_cuda_event_record_corr_id": {})", stream,
                       correlation)));
}

/// Stream by stream records an event, and the next waits for it, after all have run something.
Lines one_wait_a_stream(int size) {
  Lines events = own_streams(size);
  for (int i = 0; i + 1 < size; ++i)
    add_wait(events, 10.0 * (size + i), size + 2 * i + 1, i + 2, i + 1);
  return events;
}

Lines device_synchronisations(int size) {
  Lines events = own_streams(size);
  for (int i = 0; i < size; ++i)
    events.push_back(call("cudaDeviceSynchronize", 10.0 * (size + i), 1, size + i + 1));
  return events;
}

Lines one_external_id(int size) {
  Lines events;
  const std::string id = R"("External id": 7)";
  for (int i = 0; i < size; ++i) {
    events.push_back(op(fmt::format("op{}", i), 10.0 * i, 5, i + 1, 100, id));
    events.push_back(row("k", 10.0 * i + 6, 1, 1000000 + i, 7, id));
  }
  return events;
}

/// Flows that all finish when the rows begin, each on another lane.
Lines flows_at_one_time(int size) {
  Lines events;
  for (int i = 0; i < size; ++i) {
    events.push_back(fmt::format(
        R"({{"ph": "s", "id": {}, "pid": 1, "tid": 100, "ts": {}, "cat": "ac2g", "name": "ac2g"}})",
        i, i));
    events.push_back(fmt::format(
        R"({{"ph": "f", "id": {}, "pid": 0, "tid": {}, "ts": 900000, "cat": "ac2g", "name": "ac2g"}})",
        i, i));
    events.push_back(row("k", 900000, 1, 1000000 + i, i));
  }
  return events;
}

Lines ops_of_one_id(int size) {
  Lines events;
  for (int i = 0; i < size; ++i) events.push_back(op(fmt::format("op{}", i), 10.0 * i, 5, 7));
  return events;
}
/// The same in the other order.
Lines nodes_of_one_id(int size) {
  Lines nodes = {node(1, "[pytorch|profiler|execution_trace|process]", 1, 0)};
  for (int i = size; i-- > 0;) nodes.push_back(node(size - i + 1, fmt::format("op{}", i), 1, 7));
  return nodes;
}

/// Half of the threads run backward ops, each of another forward thread.
Lines own_threads(int size) {
  Lines events;
  for (int i = 0; i < size; ++i) {
    const std::string args =
        fmt::format(R"("Sequence number": {}, "Fwd thread id": {})", i / 2, i % 2 == 0 ? 0 : i);
    events.push_back(
        op(i % 2 == 0 ? "op" : "autograd::engine::op", 10.0 * i, 5, i + 1, i + 1, args));
  }
  return events;
}
Lines nodes_of_own_threads(int size) {
  Lines nodes = {node(1, "[pytorch|profiler|execution_trace|process]", 1, 0)};
  for (int i = 0; i < size; ++i)
    nodes.push_back(node(i + 2, i % 2 == 0 ? "op" : "autograd::engine::op", 1, i + 1, i + 1,
                         fmt::format(R"("fw_tid": {})", i % 2 == 0 ? 0 : i)));
  return nodes;
}

/// Each thread was idle for long, and goes on when no other does.
Lines threads_with_gaps(int size) {
  Lines events;
  for (int i = 0; i < size; ++i) {
    events.push_back(op("op", 0.01 * i, 0.005, 2 * i + 1, i + 1));
    events.push_back(op("op", 5000 + size + 60.0 * i, 10, 2 * i + 2, i + 1));
  }
  return events;
}

/// A thread is idle again and again, each time until another ended something, three times at each
/// place of its program.
Lines hand_offs_from_own_places(int size) {
  Lines events;
  for (int i = 0; i < size; ++i) {
    const double time = 1e6 * i;  // so far apart that three times are no chance
    events.push_back(op(fmt::format("source {}", i / 3), time, 50, 2 * i + 1, 200));
    events.push_back(op("target", time + 150, 10, 2 * i + 2, 100));
  }
  return events;
}

Lines nodes_of_own_groups(int size) {
  Lines nodes = {node(1, "[pytorch|profiler|execution_trace|process]", 1, 0)};
  for (int i = 0; i < size; ++i) {
    const std::string group =
        fmt::format(R"([{{\"pg_name\": \"{}\", \"pg_size\": 2, \"ranks\": [0, 1]}}])", i);
    nodes.push_back(node(i + 2, "## process_group:init ##", 1, i + 1, 1,
                         fmt::format(R"("inputs": ["{}"], "input_shapes": [[]], )"
                                     R"("input_types": ["String"])",
                                     group)));
  }
  return nodes;
}

Lines nested_ops(int size) {
  Lines events;
  for (int i = 0; i < size; ++i) events.push_back(op("op", i, 2.0 * (size - i) + 1, i + 1));
  return events;
}

/// All rows begin as the first does, on one stream.
Lines rows_at_one_time(int size) {
  Lines events;
  for (int i = 0; i < size; ++i) {
    events.push_back(launch(10.0 * i, 1, i + 1));
    events.push_back(row("k", 10.0 * size, 1 + i % 7, i + 1));
  }
  return events;
}

/// Synchronisations of which the trace tells the call alone, with all streams at work.
Lines stream_synchronisations(int size) {
  Lines events = own_streams(size);
  for (int i = 0; i < size; ++i)
    events.push_back(call("cudaStreamSynchronize", 10.0 * (size + i), 9, size + i + 1));
  return events;
}

/// Of which the trace tells the call alone, each by a thread of its own.
Lines synchronisations_of_own_threads(int size) {
  Lines events;
  for (int i = 0; i < size; ++i) {
    const double time = 100.0 * i;
    const int tid = 1000 + i;
    events.push_back(launch(time, 1, 3 * i + 1, tid));
    events.push_back(row("k", time + 3, 10, 3 * i + 1, i % 2));
    events.push_back(call("cudaStreamSynchronize", time + 5, 10, 3 * i + 2, tid));
    events.push_back(call("cudaEventSynchronize", time + 20, 10, 3 * i + 3, tid));
  }
  return events;
}

/// With two streams at work whose rows end after all of them.
Lines event_synchronisations(int size) {
  Lines events;
  for (int i = 0; i < size; ++i) {
    events.push_back(launch(0.01 * i, 0.005, i + 1));
    events.push_back(row("k", 20 + 0.02 * i, 1e7, i + 1, i % 2));
    events.push_back(call("cudaEventSynchronize", 30.0 * (size + i), 25, size + i + 1));
  }
  return events;
}

/// Each by a thread of its own, and in each ends all that two streams were given after its begin.
Lines event_synchronisations_at_one_time(int size) {
  Lines events;
  for (int i = 0; i < size; ++i) {
    events.push_back(call("cudaEventSynchronize", 0.01 * i, 20.0 * size, size + i + 1, 1000 + i));
    events.push_back(launch(100 + 10.0 * i, 1, i + 1));
    events.push_back(row("k", 105 + 10.0 * i, 3, i + 1, i % 2));
  }
  return events;
}

/// Each event is waited for again and again, and known by its id alone; the thread that records
/// them launches nothing, so that no record can be one of them.
Lines waits_for_events_by_id(int size) {
  Lines events;
  for (int i = 0; i < size; ++i) {
    const double time = 10.0 * i;
    events.push_back(launch(time, 1, 3 * i + 1));
    events.push_back(call("cudaEventRecord", time + 1, 1, 3 * i + 2, 200));
    events.push_back(row("k", time + 2, 1, 3 * i + 1));
    events.push_back(call("cudaEventSynchronize", time + 4, 2, 3 * i + 3));
    events.push_back(sync("Event Sync", time + 4, 3 * i + 3, -1,
                          fmt::format(R"("wait_on_cuda_event_id": {})", i / 4)));
  }
  return events;
}

/// Each op forks to two streams, after a launch on a stream of its own.
Lines forks(int size) {
  Lines events;
  for (int i = 0; i < size; ++i) {
    const double time = 100.0 * i;
    events.push_back(launch(time, 1, 3 * i + 1));
    events.push_back(row("k", time + 3, 5, 3 * i + 1, 100 + i));
    events.push_back(op("fork", time + 10, 30, i + 1));
    for (const int fork : {1, 2}) {
      events.push_back(launch(time + 11 + fork, 1, 3 * i + 1 + fork));
      events.push_back(row("k", time + 20, 5, 3 * i + 1 + fork, fork));
    }
  }
  return events;
}

/// All launches are inside all forward ops, which nest; each backward op is of another one.
Lines nested_forward_ops(int size) {
  Lines events;
  for (int i = 0; i < size; ++i) {
    const double forward = size + 2.0 * i, backward = 10.0 * (size + i);
    const std::string number = fmt::format(R"("Sequence number": {}, "Fwd thread id": )", i);
    events.push_back(op("forward", i, 8.0 * size - 2.0 * i, i + 1, 100, number + "0"));
    events.push_back(launch(forward, 1, 2 * i + 1));
    events.push_back(row("k", forward + 1, 1, 2 * i + 1));
    events.push_back(
        op("autograd::engine::backward", backward, 8, size + i + 1, 200, number + "100"));
    events.push_back(launch(backward + 1, 1, 2 * i + 2, 200));
    events.push_back(row("k", backward + 4, 1, 2 * i + 2));
  }
  return events;
}

/// Waits of which the trace tells the call alone, one an op.
Lines waits_for_one_stream(int size) {
  Lines events;
  for (int i = 0; i < size; ++i) {
    events.push_back(op("op", 20.0 * i, 19, i + 1));
    events.push_back(launch(20.0 * i + 1, 1, 4 * i + 1));
    events.push_back(row("k", 20.0 * i + 5, 30, 4 * i + 1, 7));
    events.push_back(call("cudaEventRecord", 20.0 * i + 4, 1, 4 * i + 2));
    events.push_back(call("cudaStreamWaitEvent", 20.0 * i + 6, 1, 4 * i + 3));
    events.push_back(launch(20.0 * i + 8, 1, 4 * i + 4));
    events.push_back(row("k", 20.0 * i + 40, 5, 4 * i + 4, 9));
  }
  return events;
}

/// Ops with a launch each, one after the other; by the host trace in two chains of parents.
Lines ops_of_two_chains(int size) {
  Lines events;
  for (int i = 0; i < size; ++i) {
    events.push_back(op("op", 10.0 * i, 8, i + 1));
    events.push_back(launch(10.0 * i + 1, 1, i + 1));
    events.push_back(row("k", 10.0 * i + 5, 1, i + 1));
  }
  return events;
}
Lines nodes_of_two_chains(int size) {
  Lines nodes = {node(1, "[pytorch|profiler|execution_trace|process]", 1, 0)};
  for (int i = 0; i < size; ++i) nodes.push_back(node(i + 2, "op", i < 2 ? 1 : i, i + 1));
  return nodes;
}

/// Rows whose launch lies before the trace, and launched ones that each wait for other work.
Lines unlaunched_rows(int size) {
  Lines events;
  for (int i = 0; i < 2 * size; ++i) events.push_back(row(i % 2 == 0 ? "a" : "b", 5.0 * i, 2, i));
  for (int i = 0; i < size; ++i) {
    const double time = 10.0 * size + 40.0 * i;
    const int id = 2 * size + 10 * i;
    events.push_back(launch(time, 1, id));
    events.push_back(row(fmt::format("work{}", i), time + 3, 2, id, 9));
    events.push_back(launch(time + 5, 1, id + 1));
    events.push_back(row("a", time + 8, 2, id + 1));
    add_wait(events, time + 9, id + 2, 7, 9);
    events.push_back(launch(time + 13, 1, id + 4));
    events.push_back(row("b", time + 16, 2, id + 4));
  }
  return events;
}

/// Four graph launches of so many rows that run side by side.
template <class Stream>
Lines graph_launches(int size, const Stream& stream) {
  Lines events;
  for (int launched = 0; launched < 4; ++launched) {
    const double begin = 1000.0 * launched;
    events.push_back(call("cudaGraphLaunch", begin, 5, launched + 1));
    for (int i = 0; i < size / 4; ++i)
      events.push_back(row("k", begin + 10, 500 + i % 5, launched + 1, stream(i)));
  }
  return events;
}
Lines wide_graph_launches(int size) { return graph_launches(size, one); }
Lines wide_graph_launches_on_own_streams(int size) { return graph_launches(size, number); }

Lines ops_of_one_name(int size) {
  Lines events;
  for (int i = 0; i < size; ++i) events.push_back(op("op", 10.0 * i, 5, i + 1));
  return events;
}
Lines nodes_of_one_name(int size) {
  Lines nodes = {node(1, "[pytorch|profiler|execution_trace|process]", 1, 0)};
  for (int i = 0; i < size; ++i) nodes.push_back(node(i + 2, "op", 1, 0));
  return nodes;
}

/// So many ops are not compared with as many one by one.
constexpr int kBeyondComparison = 8000;

/// Names that a generator draws from four.
std::string drawn_name(std::uint32_t& state) {
  state = state * 1664525 + 1013904223;
  return fmt::format("op{}", state >> 30);
}
Lines ops_of_drawn_names(int size) {
  Lines events;
  std::uint32_t state = 1;
  for (int i = 0; i < size; ++i) events.push_back(op(drawn_name(state), 10.0 * i, 5, 0));
  return events;
}
/// Drawn with another seed.
Lines nodes_of_other_names(int size) {
  Lines nodes = {node(1, "[pytorch|profiler|execution_trace|process]", 1, 0)};
  std::uint32_t state = 2;
  for (int i = 0; i < size; ++i) nodes.push_back(node(i + 2, drawn_name(state), 1, 0));
  return nodes;
}

Lines ops_of_own_names(int size) {
  Lines events;
  for (int i = 0; i < size; ++i) events.push_back(op(fmt::format("op{}", i), 10.0 * i, 5, 0));
  return events;
}
Lines nodes_in_other_order(int size) {
  Lines nodes = {node(1, "[pytorch|profiler|execution_trace|process]", 1, 0)};
  for (int i = size; i-- > 0;) nodes.push_back(node(size - i + 1, fmt::format("op{}", i), 1, 0));
  return nodes;
}

/// A communication with its launch and row; peer -1 = a collective.
void add_communication(Lines& events, int place, const std::string& name, int group,
                       int peer = -1) {
  const double time = 20.0 * place;
  const std::string args = fmt::format(
      R"("Collective name": "{}", "In msg nelems": 16, "Out msg nelems": 16, "Group size": 2, )"
      R"("dtype": "Float", "Process Group Name": "{}", "Process Group Ranks": "[0, 1]"{})",
      name, group,
      peer < 0 ? "" : fmt::format(R"(, "{} Rank": {})", name == "send" ? "Dst" : "Src", peer));
  events.push_back(launch(time, 1, place + 1));
  events.push_back(row("ncclDevKernel", time + 5, 5, place + 1, 7, args));
}

/// Two kernels, each behind half of all records.
Lines rows_of_many_records(int size) {
  Lines events;
  for (int i = 0; i < size; ++i) {
    const double time = 10.0 * i;
    events.push_back(
        op("record_param_comms", time, 1, i + 1, 100,
           R"("Collective name": "allreduce", "In msg nelems": 16, "dtype": "Float")"));
    if (2 * (i + 1) % size != 0) continue;
    events.push_back(launch(time + 2, 1, i + 1));
    events.push_back(row("ncclDevKernel", time + 4, 5, i + 1));
  }
  return events;
}

/// All inside of ops that are nested.
Lines nested_communication(int size) {
  Lines events;
  for (int i = 0; i < size; ++i) events.push_back(op("op", i, 30.0 * size - 2 * i, i + 1));
  for (int i = 0; i < size; ++i) {
    events.push_back(launch(size + 10.0 * i, 1, i + 1));
    events.push_back(row("ncclDevKernel", size + 10.0 * i + 3, 5, i + 1));
  }
  return events;
}

/// Rows side by side of one launch, which an op makes.
Lines wide_graph_launch_of_an_op(int size) {
  Lines events = {op("op", 0, 100, 1), call("cudaGraphLaunch", 10, 50, 1)};
  for (int i = 0; i < size; ++i) events.push_back(row("k", 100, 50, 1, 7, R"("graph id": 1)"));
  return events;
}

template <class Name, class Group>
Lines collectives(int size, const Name& name, const Group& group) {
  Lines events;
  for (int i = 0; i < size; ++i) add_communication(events, i, name(i), group(i));
  return events;
}
const char* allreduce(int) { return "allreduce"; }

Lines collectives_of_one_group(int size, int) { return collectives(size, allreduce, one); }
Lines collectives_of_own_groups(int size, int) { return collectives(size, allreduce, number); }
/// The second rank lost every other one of them.
Lines collectives_that_one_rank_lost(int size, int rank) {
  const auto name = [](int i) { return i % 3 == 0 ? "allreduce" : "allgather"; };
  Lines events;
  for (int i = 0; i < size; ++i)
    if (rank == 0 || i % 2 == 0) add_communication(events, i, name(i), 1);
  return events;
}
/// Names that each rank draws for itself.
Lines other_collectives(int size, int rank) {
  auto state = static_cast<std::uint32_t>(rank);
  return collectives(
      size, [&](int) { return drawn_name(state).back() < '2' ? "allreduce" : "allgather"; }, one);
}
Lines messages(int size, int rank) {
  Lines events;
  for (int i = 0; i < size; ++i)
    add_communication(events, i, rank == 0 ? "send" : "recv", 1, 1 - rank);
  return events;
}
Lines messages_that_nobody_receives(int size, int rank) {
  return messages(rank == 0 ? size : 1, rank);
}

}  // namespace

const std::vector<HardJob>& hard_jobs() {
  static const std::vector<HardJob> jobs = {
      {"CollectivesOfOneGroup", collectives_of_one_group},
      {"CollectivesOfOwnGroups", collectives_of_own_groups},
      {"CollectivesThatOneRankLost", collectives_that_one_rank_lost},
      {"OtherCollectives", other_collectives},
      {"Messages", messages},
      {"MessagesThatNobodyReceives", messages_that_nobody_receives}};
  return jobs;
}

const std::vector<HardInput>& hard_inputs() {
  static const std::vector<HardInput> inputs = {
      {"OneStream", one_stream},
      {"OwnStreams", own_streams},
      {"OneCorrelation", one_correlation},
      {"CollidingCorrelations", colliding_correlations, nullptr, MatchMethod::kForce, 4000},
      {"OneWaitAStream", one_wait_a_stream},
      {"DeviceSynchronisations", device_synchronisations},
      {"OneExternalId", one_external_id},
      {"FlowsAtOneTime", flows_at_one_time},
      {"OpsOfOneId", ops_of_one_id, nodes_of_one_id},
      {"OwnThreads", own_threads, nodes_of_own_threads},
      {"ThreadsWithGaps", threads_with_gaps},
      {"HandOffsFromOwnPlaces", hand_offs_from_own_places},
      {"OwnGroups", ops_of_one_id, nodes_of_own_groups},
      {"NestedOps", nested_ops},
      {"RowsAtOneTime", rows_at_one_time},
      {"StreamSynchronisations", stream_synchronisations},
      {"SynchronisationsOfOwnThreads", synchronisations_of_own_threads},
      {"EventSynchronisations", event_synchronisations},
      {"EventSynchronisationsAtOneTime", event_synchronisations_at_one_time},
      {"WaitsForEventsById", waits_for_events_by_id, nullptr, MatchMethod::kForce, 4000},
      {"WaitsForOneStream", waits_for_one_stream},
      {"Forks", forks},
      {"NestedForwardOps", nested_forward_ops},
      {"OpsOfTwoChains", ops_of_two_chains, nodes_of_two_chains},
      {"UnlaunchedRows", unlaunched_rows},
      {"RowsOfManyRecords", rows_of_many_records},
      {"NestedCommunication", nested_communication},
      {"WideGraphLaunchOfAnOp", wide_graph_launch_of_an_op},
      {"WideGraphLaunches", wide_graph_launches},
      {"WideGraphLaunchesOnOwnStreams", wide_graph_launches_on_own_streams},
      {"OpsOfOneName", ops_of_one_name, nodes_of_one_name},
      {"OneNameByOrder", ops_of_one_name, nodes_of_one_name, MatchMethod::kOrder},
      {"OneNameByTree", ops_of_one_name, nodes_of_one_name, MatchMethod::kTree},
      {"DrawnNamesByOrder", ops_of_drawn_names, nodes_of_other_names, MatchMethod::kOrder,
       kBeyondComparison},
      {"DrawnNamesByTree", ops_of_drawn_names, nodes_of_other_names, MatchMethod::kTree,
       kBeyondComparison},
      {"OtherOrderByTree", ops_of_own_names, nodes_in_other_order, MatchMethod::kTree}};
  return inputs;
}

}  // namespace nadi::test
