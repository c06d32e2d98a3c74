// The tool under the names of MLCommons' tools.
#include <gtest/gtest.h>

#include "tests/cli/sample_traces.h"
#include "tests/cli/tool.h"

namespace nadi {
namespace {

TEST(Aliases, LinkTraces) {
  const TemporaryFolder folder;
  folder.write("host.json", kSampleHost);
  folder.write("device.json", kSampleDevice);
  const Outcome outcome =
      run_as("chakra_trace_link",
             "--rank 2 --chakra-host-trace host.json --chakra-device-trace=device.json "
             "--output-file linked.json --log-level ERROR",
             folder.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  ASSERT_EQ(run_tool("-q link --rank 2 --host host.json --device device.json --output own.json",
                     folder.path())
                .exit_code,
            0);
  EXPECT_EQ(read_file(folder.path() / "linked.json"), read_file(folder.path() / "own.json"));
}

TEST(Aliases, ConvertTextAndShowTheGraph) {
  const TemporaryFolder folder;
  folder.write("w.txt", "DATA\n1\nfc -1 10 NONE 0 20 NONE 0 30 ALLREDUCE 800 10\n");
  const Outcome converted =
      run_as("chakra_converter",
             "--log-filename x.log Text --input w.txt --output out --num-npus 2 --num-passes 1",
             folder.path());
  EXPECT_EQ(converted.exit_code, 0) << converted.err;
  const Outcome shown = run_as(
      "chakra_jsonizer", "--input_filename out.1.et --output_filename out.json", folder.path());
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_EQ(folder.listing(),
            "out.0.et out.1.et out.comm_groups.json out.json out.memory.json out.network.yml "
            "out.system.json w.txt");
  EXPECT_NE(read_file(folder.path() / "out.json").find("COMP_NODE_fc_FWD"), std::string::npos);
}

TEST(Aliases, ConvertLinkedJson) {
  const TemporaryFolder folder;
  folder.write("host.json", kSampleHost);
  folder.write("device.json", kSampleDevice);
  ASSERT_EQ(run_as("chakra_trace_link",
                   "--rank 0 --chakra-host-trace host.json --chakra-device-trace device.json "
                   "--output-file linked.json",
                   folder.path())
                .exit_code,
            0);
  const Outcome outcome =
      run_as("chakra_converter",
             "--log-filename PyTorch PyTorch --input linked.json --output graph.et --simulate",
             folder.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("graph.et: replayed "), std::string::npos) << outcome.out;
  EXPECT_EQ(run_tool("check graph.et", folder.path()).exit_code, 0);
}

TEST(Aliases, DrawGraphs) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_tool("generate one_comp_node --npus 1 -q", folder.path()).exit_code, 0);
  const Outcome outcome =
      run_as("chakra_visualizer", "--input_filename one_comp_node.0.et --output_filename g.dot",
             folder.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(read_file(folder.path() / "g.dot").find("COMP_NODE"), std::string::npos);
}

TEST(Aliases, GenerateAllGraphsOfSingleNodesHere) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_as("chakra_generator", "--num_npus 1 --default_runtime 9", folder.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(folder.listing(),
            "ALL_GATHER.0.et ALL_REDUCE.0.et ALL_TO_ALL.0.et BARRIER.0.et BROADCAST.0.et "
            "REDUCE_SCATTER.0.et one_comm_recv_node.0.et one_comm_send_node.0.et "
            "one_comp_node.0.et one_metadata_node_all_types.0.et one_remote_mem_load_node.0.et "
            "one_remote_mem_store_node.0.et two_comp_nodes_dependent.0.et "
            "two_comp_nodes_independent.0.et");
}

TEST(Aliases, MakeTimelines) {
  const TemporaryFolder folder;
  folder.write("x.log", "issue,a=0,b=1,c=2,d=COMP_NODE\ncallback,a=0,b=3,c=2,d=COMP_NODE\n");
  const Outcome outcome = run_as("chakra_timeline_visualizer",
                                 "--input_filename x.log --output_filename t.json --num_npus 1 "
                                 "--npu_frequency 1 --log_filename debug.log",
                                 folder.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(read_file(folder.path() / "t.json").find("\"ts\":1.000,\"dur\":2.000"),
            std::string::npos);
}

TEST(Aliases, NameOptionsAsTheUserDoes) {
  const auto said = [](const std::string& program, const std::string& arguments) {
    const Outcome outcome = run_as(program, arguments);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    return outcome.err;
  };
  EXPECT_EQ(
      said("chakra_trace_link", "--chakra-host-trace h --output-file x"),
      "nadi: --chakra-host-trace: a host trace has no times. Add the device trace of the same "
      "rank: --chakra-device-trace TRACE\n");
  EXPECT_EQ(said("chakra_jsonizer", "--output_filename x"),
            "nadi: --input_filename is required. See: chakra_jsonizer --help\n");
  EXPECT_EQ(said("chakra_timeline_visualizer", "--output_filename x"),
            "nadi: --input_filename is required. See: chakra_timeline_visualizer --help\n");
  EXPECT_NE(
      said("chakra_timeline_visualizer", "--input_filename a --output_filename b --npu_frequency x")
          .find("--npu_frequency x: is no whole number"),
      std::string::npos);
  EXPECT_NE(said("chakra_converter", "Text --input a --output b --num-passes 1 --num-npus=x")
                .find("--num-npus x: is no whole number"),
            std::string::npos);
  EXPECT_EQ(said("chakra_converter", "PyTorch --output a"),
            "nadi: --input: is required. See: chakra_converter --help\n");
}

TEST(Aliases, ExitAndExplainAsTheToolDoes) {
  const Outcome missing = run_as("chakra_converter", "--input a --output b");
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_EQ(missing.err,
            "nadi: chakra_converter: a subcommand is missing. Write PyTorch or Text behind it\n");
  EXPECT_EQ(run_as("chakra_converter", "Foo --input a").err,
            "nadi: chakra_converter: 'Foo' is no subcommand. Write PyTorch or Text behind it\n");
  EXPECT_NE(run_as("chakra_converter", "Text --input PyTorch --output b --num-npus 1")
                .err.find("PyTorch: "),
            std::string::npos)
      << "a file named as a subcommand";
  EXPECT_EQ(run_as("chakra_converter", "--version").out, run_tool("--version").out);
  EXPECT_EQ(run_as("chakra_jsonizer", "--input_filename none.et").exit_code, 3);
  EXPECT_EQ(run_as("chakra_jsonizer", "--unknown x").exit_code, 2);
  const Outcome help = run_as("chakra_jsonizer", "--help");
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_EQ(help.out,
            "Usage: chakra_jsonizer --input_filename X.et --output_filename X.json\n"
            "  nadi show: a Chakra graph as JSON\n"
            "See also: nadi --help\n");
}

}  // namespace
}  // namespace nadi
