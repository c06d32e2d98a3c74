// The programs tests run on the virtual machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "program.h"

namespace nadi::vm {

// One rank.
Program straight_line();      ///< ops one after the other, each one kernel, one stream
Program nested_parts();       ///< own time before, between and after children and launches
Program two_streams_event();  ///< a stream waits for another's event
Program transitive_wait();    ///< a wait passed on by a stream that runs nothing in between
Program join();               ///< one kernel waits for three streams
Program host_syncs();     ///< event, stream and device synchronisation, a query, done and not done
Program blocking_copy();  ///< cudaMemcpyAsync to pageable memory blocks, to pinned memory not
Program graph_launch();   ///< graph launches on one and two lanes, rows side by side
Program long_launches();  ///< module loading, a graph upload, a full queue: calls of up to 2 ms
Program forward_backward();   ///< the forward thread waits while the backward thread works
Program data_loader();        ///< a thread nobody waits for, with launches of its own
Program calls_outside_ops();  ///< launches and waits directly in annotations and outside everything
Program multi_step();         ///< ProfilerStep#4 to #6

// Several ranks.
Program ddp_step(
    int ranks);      ///< loader, forward, backward, bucketed all-reduce, optimizer, loss.item()
Program pipeline();  ///< 4 ranks: send and receive of activations and gradients
Program coalesced_exchange();  ///< 2 ranks: kernels that carry several sends and receives
Program tensor_parallel();     ///< 4 ranks, 2 groups: all-gather, reduce-scatter, all-reduce

/// A program with the given seed: valid by construction, 1 to 3 ranks, all features mixed. A
/// segment has about ten ops; a program has at least two.
Program random_program(std::uint64_t seed, int least_segments = 2);

// Training by seed: some ProfilerStep#N whose durations differ as those of real training do.
// Another run is the same program whose times vary otherwise.
Program data_parallel(std::uint64_t seed, CommCalls calls, std::uint64_t run = 0,
                      int ranks = 2);  ///< DDP or fully sharded
Program pipeline_tensor(std::uint64_t seed, CommCalls calls,
                        std::uint64_t run = 0);  ///< 4 ranks: 2 stages x 2 parts
Program autograd(std::uint64_t seed);    ///< 1 rank: backward thread, recomputation, side stream
Program sync_heavy(std::uint64_t seed);  ///< 1 rank: .item(), nonzero, copies the host waits for

// Frameworks of 2025 and later by seed.
Program server(std::uint64_t seed);     ///< vLLM: CUDA graphs; a thread waits for the tokens
Program scheduler(std::uint64_t seed);  ///< SGLang: scheduler and worker; even seeds query
Program offload(std::uint64_t seed);    ///< activations out and in; a CPU optimizer
Program fsdp2(std::uint64_t seed);      ///< fully_shard; odd seeds on two ranks
Program moe(std::uint64_t seed);        ///< experts on two ranks
Program two_gpus(std::uint64_t seed);   ///< stages; even seeds: a thread per device
Program compiled(std::uint64_t seed);   ///< compiled regions; even seeds: CUDA graphs

// Replays of CUDA graphs, one rank.
Program graph_fork_join();         ///< lanes fork and join
Program graph_many_roots();        ///< roots and ends on three lanes
Program graph_side_by_side();      ///< branches that share a lane
Program graph_equal_arrows();      ///< rows of one lane that end together, before one row (N23)
Program graph_ambiguous_arrows();  ///< as before, and a row behind one of them, which no time tells
Program graph_programmatic();      ///< rows that start before those they follow end (N34)
Program graph_child();             ///< a child graph, whose edges no profiler records (N35)
Program graph_loop();              ///< a node that runs three times in each launch (N36)
Program graph_host_node();         ///< a host node and an event-record node (N24, N25)
Program graph_early();             ///< one graph whose edges the profiler does not know (N4)
Program graphs(std::uint64_t seed);  ///< one to three graphs, replayed in any order

/// Names of all programs without a seed, "ddp_step_2" and "ddp_step_4" included.
std::vector<std::string> program_names();
/// Of programs whose graphs only a profiler that knows graphs tells: not among program_names().
std::vector<std::string> graph_program_names();
/// "random", "data_parallel", "data_parallel_2023", …: programs that take a seed.
std::vector<std::string> seeded_program_names();
/// By name; "random:SEED" and the like for those with a seed. Throws Error(kUsage) on an unknown
/// name.
Program make_program(std::string_view name);

}  // namespace nadi::vm
