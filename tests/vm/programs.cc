// Programs of one rank.
#include "programs.h"

#include <fmt/format.h>

#include "builder.h"
#include "nadi/base/error.h"

namespace nadi::vm {

Program straight_line() {
  ProgramBuilder builder("straight_line");
  ThreadBuilder main = builder.thread(0, "pt_main_thread");
  for (int i = 0; i < 5; ++i) {
    main.op("aten::add", [&] {
      main.work(4_us);
      main.launch(7, "add_kernel", 3_us * (i + 1));
      main.work(2_us);
    });
    main.work(1_us);
  }
  main.device_synchronize();
  return builder.take();
}

Program nested_parts() {
  ProgramBuilder builder("nested_parts");
  ThreadBuilder main = builder.thread(0, "pt_main_thread");
  main.op("aten::linear", [&] {
    main.work(6_us);
    main.op("aten::t", [&] {
      main.work(2_us);
      main.op("aten::transpose", 3_us);
      main.work(1_us);
    });
    main.op("aten::view", 2_us);  // directly behind its sibling
    main.work(5_us);
    main.op("aten::addmm", [&] {
      main.launch(7, "splitk_kernel", 12_us);  // first thing in the op
      main.launch(7, "reduce_kernel", 4_us);   // directly behind the first launch
      main.work(3_us);
      main.call("cudaStreamIsCapturing");
      main.set(7, 4096, 1_us);
      main.annotation("inside an op", [&] {
        main.work(2_us);
        main.launch(7, "annotated_kernel", 5_us);
      });
    });
    main.work(7_us);
  });
  return builder.take();
}

Program two_streams_event() {
  ProgramBuilder builder("two_streams_event");
  ThreadBuilder main = builder.thread(0, "pt_main_thread");
  main.op("aten::mm", [&] {
    main.work(2_us);
    main.launch(7, "producer", 40_us);
    main.launch(7, "late_producer", 10_us);
  });
  main.op("user::side", [&] {
    const int ready = main.record(7);
    main.launch(7, "not_waited_for", 200_us);
    main.launch(20, "before_the_wait", 5_us);
    main.wait(20, ready);
    main.launch(20, "consumer", 15_us);
    main.launch(24, "unrelated", 15_us);
  });
  return builder.take();
}

Program transitive_wait() {
  ProgramBuilder builder("transitive_wait");
  ThreadBuilder main = builder.thread(0, "pt_main_thread");
  main.op("user::relay", [&] {
    main.work(2_us);
    main.launch(7, "source", 60_us);
    main.launch(16, "older_work_of_the_relay", 3_us);
    const int first = main.record(7);
    main.wait(16, first);
    main.launch(7, "later_than_the_event", 90_us);
    const int second = main.record(16);  // nothing ran on 16 since the wait
    main.wait(20, second);
    main.launch(20, "sink", 8_us);
    main.wait(24, main.record(28));  // an event of a stream that never ran
    main.launch(24, "free", 8_us);
  });
  return builder.take();
}

Program join() {
  ProgramBuilder builder("join");
  ThreadBuilder main = builder.thread(0, "pt_main_thread");
  main.op("user::join", [&] {
    main.work(3_us);
    int events[3];
    for (int i = 0; i < 3; ++i) {
      main.launch(20 + 4 * i, fmt::format("branch_{}", i), 30_us + 11_us * i);
      events[i] = main.record(20 + 4 * i);
    }
    for (int event : events) main.wait(7, event);
    main.launch(7, "joined", 10_us);
    main.record(20, events[0], 2_us);  // recorded again: later waits mean this
    main.wait(24, events[0]);
    main.launch(24, "after_second_record", 4_us);
  });
  return builder.take();
}

Program host_syncs() {
  ProgramBuilder builder("host_syncs");
  ThreadBuilder main = builder.thread(0, "pt_main_thread");
  main.op("aten::item", [&] {
    main.work(2_us);
    main.launch(7, "waited_by_event", 50_us);
    const int event = main.record(7);
    main.launch(7, "behind_the_event", 300_us);
    main.query(event);
    main.event_synchronize(event);
    main.work(3_us);
    main.query(event);
    main.launch(20, "waited_by_stream", 30_us);
    main.stream_synchronize(20);
    main.op("aten::after", 4_us);
  });
  main.work(2_us);
  main.device_synchronize();
  main.op("aten::late", [&] {
    main.work(5_us);
    main.stream_synchronize(7);  // nothing left to wait for
    main.work(1_us);
  });
  return builder.take();
}

Program blocking_copy() {
  ProgramBuilder builder("blocking_copy");
  ThreadBuilder main = builder.thread(0, "pt_main_thread");
  main.op("aten::to", [&] {
    main.work(2_us);
    main.copy(7, "HtoD (Pageable -> Device)", 4096, 4_us);
    main.launch(7, "compute", 70_us);
    main.copy(7, "DtoH (Device -> Pinned)", 1024, 6_us);
    main.work(1_us);
    main.op("aten::_local_scalar_dense", [&] {
      main.work(1_us);
      main.blocking_copy(7, 4, 2_us);
      main.work(1_us);
      main.stream_synchronize(7);
      main.work(1_us);
    });
    main.launch(7, "next", 5_us);
  });
  return builder.take();
}

Program graph_launch() {
  ProgramBuilder builder("graph_launch");
  ThreadBuilder main = builder.thread(0, "pt_main_thread");
  main.op("aten::copy_", [&] { main.launch(7, "before_the_graph", 25_us); });
  main.annotation("decode", [&] {
    main.work(3_us);
    main.graph(7,
               {graph_kernel("chain_0", 7, 6_us, {}), graph_kernel("chain_1", 7, 7_us, {0}),
                graph_kernel("fork_left", 7, 9_us, {1}), graph_kernel("fork_right", 7, 4_us, {1}),
                graph_kernel("fork_join", 7, 3_us, {2, 3})});
  });
  main.op("aten::argmax", [&] {
    main.work(2_us);
    main.launch(7, "after_the_graph", 5_us);
  });
  main.graph(7,
             {graph_kernel("lane_7", 7, 12_us, {}), graph_kernel("lane_32", 32, 20_us, {}),
              graph_kernel("lane_32_next", 32, 6_us, {1}), graph_kernel("both", 7, 5_us, {0, 2})});
  main.op("aten::sum", [&] { main.launch(7, "last", 5_us); });
  main.stream_synchronize(7);
  return builder.take();
}

Program long_launches() {
  ProgramBuilder builder("long_launches");
  ThreadBuilder main = builder.thread(0, "pt_main_thread");
  for (int i = 0; i < 4; ++i) {
    main.op("aten::mm", [&] {
      main.work(6_us);
      main.launch(7, "gemm", 30_us, {i == 2 ? 300_us : 5_us, 8_us});
      main.work(4_us);
    });
  }
  main.launch(7, "loads_a_module", 15_us, {2000_us, 8_us});
  main.op("aten::add", [&] {
    main.work(3_us);
    main.launch(9, "other_stream", 40_us);
  });
  main.graph(7,
             {graph_kernel("uploaded_0", 7, 12_us, {}), graph_kernel("uploaded_1", 7, 9_us, {0})},
             {900_us, 12_us});
  main.op("aten::relu", [&] { main.launch(7, "last", 10_us, {45_us, 8_us}); });
  main.stream_synchronize(7);
  return builder.take();
}

Program forward_backward() {
  ProgramBuilder builder("forward_backward");
  builder.program().hand_off_latency = 9_us;
  ThreadBuilder main = builder.thread(0, "pt_main_thread");
  ThreadBuilder engine = builder.thread(0, "pt_autograd_0");
  int forward[3];
  for (int i = 0; i < 3; ++i)
    forward[i] = main.forward_op("aten::mul", [&] {
      main.work(4_us);
      main.launch(7, "forward_kernel", 15_us);
      main.work(1_us);
    });
  main.annotation("## backward ##", [&] {
    main.work(2_us);
    main.hand_over(engine, [&] {
      for (int i = 2; i >= 0; --i)
        engine.backward_op("MulBackward0", forward[i], [&] {
          engine.work(3_us);
          engine.op("aten::mul", [&] {
            engine.work(2_us);
            engine.launch(7, "backward_kernel", 12_us);
          });
        });
    });
    main.work(3_us);
  });
  main.op("aten::_foreach_add_", [&] {
    main.work(4_us);
    main.launch(7, "optimizer_kernel", 10_us);
  });
  return builder.take();
}

Program data_loader() {
  ProgramBuilder builder("data_loader");
  ThreadBuilder main = builder.thread(0, "pt_main_thread");
  ThreadBuilder loader = builder.thread(0, "pt_data_loader");
  for (int i = 0; i < 4; ++i) {
    main.op("aten::conv2d", [&] {
      main.work(6_us);
      main.launch(7, "conv", 30_us);
    });
    main.work(5_us);
    loader.work(3_us);
    loader.op("aten::stack", [&] {
      loader.work(7_us);
      loader.op("aten::cat", 4_us);
      loader.work(2_us);
    });
  }
  loader.op("aten::pin_memory", [&] { loader.copy(36, "HtoD (Pinned -> Device)", 65536, 20_us); });
  main.op("aten::loss", [&] {
    main.work(3_us);
    main.stream_synchronize(7);
    main.work(1_us);
  });
  return builder.take();
}

Program calls_outside_ops() {
  ProgramBuilder builder("calls_outside_ops");
  ThreadBuilder main = builder.thread(0, "pt_main_thread");
  main.launch(7, "first_of_all", 10_us);
  main.work(20_us);
  main.annotation("step", [&] {
    main.work(11_us);
    main.launch(7, "in_annotation", 30_us);
    main.work(6_us);
    main.op("aten::relu", [&] {
      main.work(2_us);
      main.launch(7, "in_op", 8_us);
    });
    main.work(9_us);
    main.annotation("inner", [&] {
      main.call("cudaStreamIsCapturing");
      main.launch(20, "in_inner_annotation", 15_us);
      main.launch(20, "directly_behind", 15_us);
      main.wait(7, main.record(20));
    });
    main.stream_synchronize(20);
    main.launch(7, "after_sync", 4_us);
  });
  main.work(15_us);
  main.device_synchronize();
  return builder.take();
}

Program multi_step() {
  ProgramBuilder builder("multi_step");
  ThreadBuilder main = builder.thread(0, "pt_main_thread");
  for (int step = 4; step <= 6; ++step) {
    main.annotation(fmt::format("ProfilerStep#{}", step), [&] {
      main.work(8_us);
      for (int i = 0; i < 3; ++i) {
        main.op("aten::matmul", [&] {
          main.work(3_us);
          main.launch(7, "gemm", 25_us);
        });
        main.work(2_us);
      }
      main.op("aten::item", [&] {
        main.work(1_us);
        if (step == 5) main.stream_synchronize(7);
        main.work(1_us);
      });
    });
    main.work(4_us);
  }
  return builder.take();
}

}  // namespace nadi::vm
