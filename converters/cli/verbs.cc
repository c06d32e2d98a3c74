#include "nadi/converters/cli/verbs.h"

namespace nadi::cli {

namespace {

constexpr Verb kVerbs[] = {
    {"convert", "Turn a host trace and a device trace into a Chakra graph",
     "nadi convert --host host.0.json.gz --device device.0.json.gz --output out/step", add_convert},
    {"link", "Join a host trace and a device trace into the linked JSON",
     "nadi link --host host.0.json.gz --device device.0.json.gz --output linked.0.json", add_link},
    {"show", "Print a Chakra graph as JSON, or a summary of it",
     "nadi show out/step.0.et | head -c 2000\n  nadi show --summary out/step.0.et", add_show},
    {"check", "Check Chakra graphs: framing, ids, dependencies, cycles, types, attributes",
     "nadi check out/step.0.et out/step.1.et", add_check},
    {"doctor", "Say what traces lack for a good graph, and the profiler setting that gives it",
     "nadi doctor --host host.0.json.gz --device device.0.json.gz", add_doctor},
    {"replay", "Run a graph again: how long it takes, what explains it, what if something changed",
     "nadi replay out/step.*.et\n"
     "  nadi replay out/step.0.et --scale 'kernel:gemm=0.5' --scale host=0.8\n"
     "  nadi replay out/step.0.et --output timeline.json   (opens in ui.perfetto.dev)",
     add_replay},
    {"events", "Write the events of device traces as a table, with the attributes chosen",
     "nadi events device.0.json.gz --output events.sqlite\n"
     "  nadi events traces/ --args minimum,bandwidth --add-arg grid --iterations 3-5 "
     "--output events.csv\n"
     "  nadi events --list-args",
     add_events},
};

}  // namespace

std::span<const Verb> verbs() { return kVerbs; }

}  // namespace nadi::cli
