#include "nadi/converters/cli/verbs.h"

namespace nadi::cli {

namespace {

constexpr Verb kVerbs[] = {
    {"convert", "Turn a host trace and a device trace into a Chakra graph",
     "nadi convert device.0.json.gz host.0.json.gz --output out/step\n"
     "  nadi convert traces/ --output out/job1",
     add_convert},
    {"link", "Join a host trace and a device trace into the linked JSON",
     "nadi link device.0.json.gz host.0.json.gz --output linked.0.json", add_link},
    {"show", "Print a Chakra graph as JSON, or a summary of it",
     "nadi show out/step.0.et | head -c 2000\n  nadi show --summary out/step.0.et", add_show},
    {"check", "Check Chakra graphs: framing, ids, dependencies, cycles, types, attributes",
     "nadi check out/step.0.et out/step.1.et", add_check},
    {"doctor", "Say what traces lack for a good graph, and the profiler setting that gives it",
     "nadi doctor device.0.json.gz host.0.json.gz", add_doctor},
    {"profile", "Say where the time of a run goes, who waits for whom, and what looks wrong",
     "nadi profile device.json.gz\n"
     "  nadi profile traces/                       (all ranks of a job)\n"
     "  nadi profile traces/ --output page.html",
     add_profile},
    {"replay", "Run a graph again: how long it takes, what explains it, what if something changed",
     "nadi replay out/step.*.et\n"
     "  nadi replay device.0.json.gz host.0.json.gz\n"
     "  nadi replay out/step.0.et --scale 'kernel:gemm=0.5' --scale host=0.8\n"
     "  nadi replay out/step.0.et --output timeline.pftrace   (opens in ui.perfetto.dev)",
     add_replay},
    {"events", "Write the events of device traces as a table, with the attributes chosen",
     "nadi events device.0.json.gz --output events.sqlite\n"
     "  nadi events traces/ --args minimum,bandwidth --add-arg grid --iterations 3-5 "
     "--output events.csv\n"
     "  nadi events --list-args",
     add_events},
    {"diff", "Compare two runs: what was added, deleted, called more often, slower",
     "nadi diff before.json.gz after.json.gz\n"
     "  nadi diff --control before/ --test after/ --ranks all --iterations all --by kernel-family\n"
     "  nadi diff --control before/ --test after/ --iterations all --exclude ProfilerStep "
     "--output diff.csv --fail-if 'duration>5%,added>0'",
     add_diff},
    {"text",
     "Turn a text workload (a layer file of ASTRA-sim 1.0) into the Chakra graphs of all ranks",
     "nadi text --input resnet50.txt --output out/resnet --npus 16 --passes 2", add_text},
    {"graph", "Draw a Chakra graph: DOT, GraphML, SVG, PDF",
     "nadi graph out/step.0.et --collapse stream --output streams.svg\n"
     "  nadi graph out/step.0.et --around 1234 --hops 3 --output around.svg\n"
     "  nadi graph out/step.0.et --critical-path --collapse call --output path.pdf",
     add_graph},
    {"timeline", "Turn the log of a simulator into a timeline that ui.perfetto.dev opens",
     "nadi timeline --input astra.log --output timeline.json", add_timeline},
    {"generate", "Make the Chakra graphs of a training step, or of single nodes, that nobody ran",
     "nadi generate data-parallel --npus 16 --output out/dp\n"
     "  nadi generate pipeline --npus 64 --tensor 8 --pipeline 4 --layers 48 --output out/gpt\n"
     "  nadi generate mlcommons --npus 2 --output out/",
     add_generate},
};

}  // namespace

std::span<const Verb> verbs() { return kVerbs; }

}  // namespace nadi::cli
