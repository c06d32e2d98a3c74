// The registry of diagnostics: every kind that nadi reports, how bad it is, what it means and what
// to do. `nadi help findings` prints it, and schema/findings.md is what that prints.
#pragma once

#include <cstdint>
#include <string_view>

namespace nadi {

enum class Severity : std::uint8_t {
  kInfo,     ///< worth knowing; nothing is wrong
  kWarning,  ///< a guess was made or something looks odd; no data was lost
  kLoss,     ///< data was lost or repaired; --strict turns it into an error
};

struct DiagnosticInfo {
  std::string_view name;  ///< stable, kebab-case: "sync-unresolved"
  Severity severity;
  std::string_view meaning;  ///< one sentence: what was found, and what was made of it
  std::string_view remedy;   ///< one sentence: what to do; empty = nothing
};

/// In the order of their names. A name has two rows where its severity says which case it is.
inline constexpr DiagnosticInfo kDiagnosticKinds[] = {
    {"absent-ranks-copied", Severity::kWarning,
     "Ranks without a trace are copies of recorded ones.",
     "Record all ranks if they do different work."},
    {"absent-ranks-dropped", Severity::kWarning,
     "Ranks without a trace are not in the job, nor is what is exchanged with them "
     "alone.",
     "Record all ranks of the job."},
    {"all-gather-raised", Severity::kWarning,
     "An all-gather of a layer file has fewer bytes than ASTRA-sim finishes and was raised.",
     "Write the size that is meant."},
    {"all-to-all-in-two-groups", Severity::kWarning,
     "A rank uses all-to-all in two groups: ASTRA-sim may abort at its end and lose the results.",
     "See that its output says of every rank that it finished."},
    {"allocation-waited", Severity::kInfo,
     "Device work ended inside a call that allocates or frees memory: it is taken to have waited "
     "for that work.",
     ""},
    {"another-process", Severity::kWarning,
     "The host trace and the device trace name different processes: they may be of two runs or "
     "two ranks.",
     "Pass both traces of one process."},
    {"archive-ended-early", Severity::kLoss,
     "An archive is cut, damaged or beyond the limits: members after that place were not read.",
     "Copy it again, or raise the limit if it is no bomb."},
    {"attribute-of-another-type", Severity::kLoss,
     "The value of an attribute is not of the type of its column and was left out.",
     "Choose another type for its column."},
    {"backward-edge", Severity::kWarning, "A dependency would go back in time and was left out.",
     "Look for damaged times, and at how far back the first ones go."},
    {"barrier-replaced", Severity::kInfo,
     "A barrier is an all-reduce of one byte, for the simulator has no barriers.", ""},
    {"base-time-unknown", Severity::kInfo,
     "Graphs do not tell the base time of their clocks: ranks are put in order by what they "
     "communicate.",
     "Convert traces that have baseTimeNanoseconds (PyTorch 2.4 or later)."},
    {"broken-json-repaired", Severity::kLoss, "An event is no valid JSON and was repaired.",
     "Use a newer PyTorch, which writes valid JSON."},
    {"broken-json-skipped", Severity::kLoss,
     "A part of the file is no valid JSON, could not be repaired and was skipped.",
     "Let the process finish writing before it ends or the file is copied."},
    {"broken-log-line", Severity::kLoss,
     "A line of the simulator's log begins as one of its workload and cannot be read.",
     "Log to a file of its own, so that lines do not mix."},
    {"broken-packet", Severity::kLoss,
     "A packet of a Perfetto trace cannot be read and was skipped.",
     "Copy the file again, or record it again."},
    {"call-paths-cut", Severity::kWarning,
     "Call paths are too deep or too many: rows beyond are counted with their callers.",
     "Compare fewer iterations, or not by call path."},
    {"call-thread-ambiguous", Severity::kWarning,
     "A launch is of a thread that has no op then, and which other thread made it cannot be told: "
     "it stays on that thread.",
     ""},
    {"call-thread-repaired", Severity::kInfo,
     "A call is of a thread that has no op then: it is taken to be of the one thread that fits.",
     ""},
    {"callback-before-issue", Severity::kWarning,
     "The log says that a node ended before it was issued.", "Check that the log is of one run."},
    {"clock-corrected", Severity::kWarning,
     "A device's clock contradicts the calls of its host: its rows were moved onto the host's "
     "clock.",
     "Nothing; or convert with the times as recorded."},
    {"clock-foreign", Severity::kLoss,
     "A device's times are of another clock: what its rows waited for cannot be told.",
     "Use a newer driver and profiler."},
    {"clock-outlier", Severity::kInfo,
     "Communications of several ranks contradict the clocks found for their hosts.", ""},
    {"clock-outlier", Severity::kWarning,
     "Single device rows contradict their calls: their times are kept.", ""},
    {"clocks-contradict", Severity::kWarning,
     "The clocks of hosts contradict each other: ranks are put in order by the ends of what they "
     "communicate.",
     "Synchronise the hosts' clocks before recording."},
    {"collective-mapped", Severity::kWarning,
     "A collective that the simulator does not have is another one of the same traffic.",
     "Nothing; or let such collectives take their measured time."},
    {"collective-replayed", Severity::kWarning,
     "A collective that the simulator does not have takes its measured time.", ""},
    {"collective-without-bytes", Severity::kWarning,
     "A collective of a layer file has no bytes and was left out.", "Write its size, or NONE."},
    {"comm-size-zero", Severity::kWarning,
     "A communication has no bytes, for the trace does not tell them.",
     "Record with PyTorch 2.4 or later and profile(record_shapes=True)."},
    {"communication-replayed", Severity::kInfo,
     "Communication takes its measured time on ranks that stand behind those of the job.", ""},
    {"communication-restored", Severity::kWarning,
     "A communication that one rank's trace lacks was put back as the others have it.",
     "Record fewer steps at once: rows were lost."},
    {"communication-unmatched", Severity::kWarning,
     "Ranks do not agree in what they communicate: what has no partner waits for nobody.",
     "Replay the graphs of all ranks of one run."},
    {"communication-unrecorded", Severity::kWarning,
     "A kernel communicates, but neither its name nor a record tells what, how much and with whom: "
     "it takes its measured time, and waits for no other rank.",
     "Nothing; or compare with a run whose communication goes through process groups alone."},
    {"copy-not-offloaded", Severity::kInfo,
     "A copy between host and device stays a compute node: the memory is pageable, or no copy of "
     "its "
     "size goes the other way.",
     "Nothing; or take all of them, if parameters are kept on the host."},
    {"copy-offloaded", Severity::kInfo,
     "A copy between host and device is a load or store of memory.", ""},
    {"correlation-repaired", Severity::kInfo,
     "A device row carries the correlation of another launch: it is given to the one that its "
     "External id and the launch's kernel name.",
     ""},
    {"damaged-time", Severity::kLoss,
     "A device row cannot have run as long as it says, by the rows of its stream and the calls "
     "that launched it and waited for it: it was cut to what these allow.",
     "Record fewer steps at once; newer CUDA, ROCm and PyTorch lose fewer times."},
    {"damaged-times-kept", Severity::kLoss,
     "More than one in ten rows of a device cannot have run as long as they say: their times stay.",
     "Record fewer steps at once; newer CUDA, ROCm and PyTorch lose fewer times."},
    {"device-ops-outside-the-host-trace", Severity::kWarning,
     "The device trace began earlier or ended later than the host trace: its ops outside were "
     "left out.",
     "Start and stop both with one profile(execution_trace_observer=observer)."},
    {"device-row-recorded-twice", Severity::kInfo,
     "The linked JSON holds a device row twice: one was kept.", ""},
    {"device-rows-cut", Severity::kWarning,
     "Device rows end where the next row of their stream begins: a Perfetto trace cuts rows that "
     "overlap.",
     "Export the JSON of the same run too, which has their whole durations, and pass both."},
    {"device-rows-missing", Severity::kLoss,
     "Launches have no device row, though others of their name have one, or none of what they "
     "launch is there: rows were lost.",
     "Call torch.cuda.synchronize() and prof.step() before the profiler stops, and record fewer "
     "steps at once."},
    {"device-trace-rows-unjoined", Severity::kWarning,
     "Rows of CUDA graphs are in one of the two forms of the device trace only: dependencies "
     "recorded of them are missing.",
     "Look for lost rows."},
    {"document-unread", Severity::kLoss,
     "A further JSON document in the file is of another process, rank or clock, repeats an earlier "
     "one, or stands behind a trace that is one document, or is the rest of a longer file that was "
     "written over: it was not read.",
     "Split the file, and pass the traces one by one; record again what was written over."},
    {"documents-joined", Severity::kInfo,
     "The file holds several JSON documents of one process: they were read as one trace.", ""},
    {"edges-from-other-steps", Severity::kInfo,
     "Dependencies on nodes of steps that were not chosen are left out.", ""},
    {"empty-rank-filled", Severity::kInfo,
     "A rank without nodes has one that does nothing, for the simulator refuses it otherwise.", ""},
    {"end-node-added", Severity::kInfo,
     "A rank that ends with a message has a last node, which the simulator needs.", ""},
    {"exchange-left-out", Severity::kWarning,
     "Nothing waits for the input gradient of layer 0: its communication is left out.",
     "Write NONE, or another last bottom layer."},
    {"file-ignored", Severity::kInfo, "A file of the folder is no trace, or has another name.", ""},
    {"full-queue-waited", Severity::kInfo,
     "A long launch call found a full queue: it is taken to have waited for the oldest row in it.",
     ""},
    {"gap-filled-ops", Severity::kWarning,
     "Ops between matched ones were linked by their place, though order or names differ there.",
     "Record both traces in one run: then ids link them."},
    {"garbage-time", Severity::kLoss,
     "The times of a host event are no times of this trace: it is left out.",
     "Record fewer steps at once; newer CUDA and PyTorch lose fewer times."},
    {"garbage-time", Severity::kWarning,
     "The times of a device row or sync row are no times of this trace: it stands where its call "
     "is.",
     "Record fewer steps at once; newer CUDA and PyTorch lose fewer times."},
    {"graph-dependencies-contradict", Severity::kWarning,
     "Launches of a CUDA graph contradict each other in what waits for what: each keeps what was "
     "recorded in it.",
     "Look for lost rows."},
    {"graph-dependencies-too-many", Severity::kWarning,
     "A CUDA graph has more dependencies than can be given to all of its launches: each keeps what "
     "was recorded in it, and is ordered by time as well.",
     ""},
    {"graph-dependency-across-launches", Severity::kWarning,
     "A recorded dependency of a CUDA graph has an end that no launch is known of, or ends in two "
     "launches: it was left out.",
     ""},
    {"graph-dependency-ambiguous", Severity::kWarning,
     "A recorded dependency of a CUDA graph fits several pairs of rows in every launch: it was "
     "left out.",
     "Export the trace as .pftrace too, which names the rows."},
    {"graph-dependency-unmatched", Severity::kLoss,
     "A recorded dependency of a CUDA graph joins no two rows of the trace: it was left out.",
     "Look for lost or damaged rows."},
    {"group-file-name", Severity::kWarning,
     "ASTRA-sim does not read a group file whose path holds the word \"empty\".",
     "Choose another name."},
    {"group-guessed", Severity::kWarning,
     "A copied rank has the group of its original, moved by the distance of the two ranks.",
     "Record that rank, or leave missing ranks out."},
    {"host-delay", Severity::kInfo,
     "Time in which a rank did nothing that the trace explains is a delay node.", ""},
    {"host-ops-outside-the-device-trace", Severity::kWarning,
     "The host trace began earlier or ended later than the device trace: its ops outside were "
     "left out.",
     "Start and stop both with one profile(execution_trace_observer=observer)."},
    {"host-ops-outside-the-segment", Severity::kWarning,
     "Ops of the host trace are outside the part that was matched and were left out.",
     "Choose another part, or record both traces at once."},
    {"host-trace-without-ops", Severity::kWarning,
     "The host trace holds no ops: they are the device trace's own.",
     "Register the observer before the steps to be recorded."},
    {"idle-npus-added", Severity::kInfo,
     "A rank uses one type of collective in two groups: a second dimension and idle NPUs keep "
     "ASTRA-sim from aborting at its end.",
     ""},
    {"idle-rank-added", Severity::kInfo,
     "A job of one rank has an idle second one, for the simulator refuses it otherwise.", ""},
    {"interned-text-missing", Severity::kLoss,
     "An event of a Perfetto trace refers to a name that stands nowhere before it: it has none.",
     "Copy the file again, or record it again."},
    {"io-text-not-json", Severity::kWarning,
     "Inputs or outputs of an op are no valid JSON and are kept as text.", ""},
    {"issued-twice", Severity::kWarning,
     "The log issues a node again before it ended: the first time counts.",
     "Check that the log is of one run."},
    {"iterations-found", Severity::kInfo,
     "The host trace fits these iterations of the device trace: the first place says which was "
     "taken.",
     "Nothing; or choose another iteration, or all."},
    {"lanes-share-cpu", Severity::kWarning,
     "A rank has more lanes than the simulator has processors: some take turns on one.",
     "Choose one lane, or fewer steps."},
    {"late-returns-inferred", Severity::kInfo,
     "A synchronisation with an event returned late: it is taken to have waited for the last row "
     "before that event.",
     "Use a PyTorch whose profiler writes cuda_event rows."},
    {"linked-wait-dropped", Severity::kInfo, "A wait that linked JSON cannot express is not in it.",
     "Convert the two traces where the graph must have it."},
    {"longer-than-asked", Severity::kInfo, "Events are longer than asked for and were left out.",
     ""},
    {"lost-copy-waited", Severity::kInfo,
     "A copy whose row is lost is taken to have waited, as other copies of its name did.",
     "Record fewer steps at once: rows were lost."},
    {"many-groups", Severity::kWarning, "ASTRA-sim keeps no more than 2,147 groups apart.",
     "Choose smaller degrees of parallelism."},
    {"match-options-unused", Severity::kWarning,
     "Options of the matching have no effect without a host trace.",
     "Pass the host trace, or leave them out."},
    {"matched-threads", Severity::kInfo,
     "Threads of the two traces were matched by the names of their ops.", ""},
    {"member-refused", Severity::kWarning,
     "A member of an archive is no plain file with a safe name and was left out.",
     "Unpack the archive and pass the folder, if you trust it."},
    {"memory-node-replayed", Severity::kWarning,
     "A load or store of memory takes its measured time.", ""},
    {"message-dropped", Severity::kWarning,
     "A message goes to a rank that the job does not have, or to nobody known, and was left out.",
     "Record all ranks of the job."},
    {"message-to-itself-dropped", Severity::kWarning,
     "A message from a rank to itself was left out.", ""},
    {"message-without-partner-dropped", Severity::kWarning,
     "A message that only one of the two ranks recorded was left out.",
     "Record the same steps on all ranks."},
    {"metadata-dropped", Severity::kInfo,
     "A node of metadata, or of no known type, does nothing and is not in the job.", ""},
    {"no-events", Severity::kWarning, "A trace to be compared holds no events.",
     "Check that it is the right file."},
    {"no-iterations", Severity::kInfo,
     "A trace has no ProfilerStep#N: it is compared as one iteration.",
     "Call prof.step() after each step."},
    {"node-without-id", Severity::kLoss, "A node of the host trace has no id and was left out.",
     "Record the host trace again."},
    {"nodes-left-out", Severity::kInfo, "Nodes were not chosen and are not in the picture.", ""},
    {"nothing-matched", Severity::kWarning,
     "No op of the host trace is in the device trace, but the match was forced.",
     "Pass both traces of one run."},
    {"npu-beyond", Severity::kWarning, "The log names an NPU beyond the number of NPUs given.",
     "Pass the number of the run."},
    {"npu-missing", Severity::kWarning, "The log never names one of the NPUs that there should be.",
     "Check that the log is whole."},
    {"observer-not-stopped", Severity::kWarning,
     "The host trace lacks its end: the observer was not stopped, and the last ops may be lost.",
     "Stop the profiler, or call observer.stop() and unregister_callback()."},
    {"one-member-group-dropped", Severity::kInfo,
     "A collective of a group of one exchanges nothing and is not in the job.", ""},
    {"one-rank", Severity::kInfo, "One rank exchanges nothing: collectives are left out.",
     "Ask for two ranks or more."},
    {"operations-from-shapes", Severity::kInfo,
     "The operations of a kernel are computed from the shapes of its op.", ""},
    {"operations-from-time", Severity::kInfo,
     "The operations of a kernel are estimated from its measured time.",
     "Record with profile(record_shapes=True)."},
    {"ops-of-other-iterations", Severity::kInfo,
     "Ops of iterations that were not taken are left out.",
     "Nothing; or choose another iteration, or all."},
    {"overlap", Severity::kInfo,
     "A node starts a little before one ends that it certainly follows: the dependency stays.", ""},
    {"oversized-event", Severity::kLoss,
     "An event is longer than any real one, or is not closed, and was skipped.",
     "Let the process finish writing before it ends or the file is copied."},
    {"oversized-line", Severity::kLoss, "A line of the log is longer than any real one.",
     "Pass a log of text."},
    {"packet-clock-unknown", Severity::kLoss,
     "The time of a packet is of a clock that the Perfetto trace relates to no other: it was left "
     "out.",
     "Record it with clock snapshots."},
    {"peer-unknown", Severity::kWarning,
     "A send or receive does not tell the other rank: it takes its measured time.",
     "Record with PyTorch 2.4 or later, and init_process_group() before profiling starts."},
    {"perfetto-trace-lacks-facts", Severity::kWarning,
     "A Perfetto trace lacks process groups, links of forward to backward ops and the direction of "
     "copies, and may not tell its rank.",
     "Export the JSON of the same run too, and pass both."},
    {"process-groups-cut", Severity::kWarning,
     "PyTorch has cut the list of process groups: groups are missing.",
     "Pass the device trace too, which lists them in distributedInfo."},
    {"process-guessed", Severity::kWarning,
     "A row of a device may be of several processes, whose ids are alike: only times or the order "
     "of devices told of which.",
     "Give the file that each process wrote."},
    {"process-left-out", Severity::kWarning,
     "A process of the device trace was left out: another was asked for, or has all rows of "
     "devices.",
     "Choose it with --process to convert it."},
    {"profiler-only-ops", Severity::kInfo,
     "Ops of the device trace are not in the host trace: they have names and times only.", ""},
    {"ranks-apart", Severity::kWarning,
     "A rank begins long after the others have ended: it may be of another job.",
     "Pass the graphs of one run."},
    {"ranks-differ", Severity::kWarning,
     "The two sides are of different ranks, which may do different work.",
     "Compare the same ranks."},
    {"record-stream-inferred", Severity::kInfo,
     "A wait names its event record, but not the record's stream: that was inferred.", ""},
    {"recorded-wait-unresolved", Severity::kInfo,
     "The linked JSON tells of a wait for a node that it does not hold.", ""},
    {"row-against-api-order", Severity::kWarning,
     "A device row cannot have run when its stamps say, by the order of the calls: it keeps its "
     "times, and others do not wait for it.",
     ""},
    {"row-start-estimated", Severity::kWarning,
     "The linked JSON does not tell when a device row started: the start was estimated.",
     "Link the two traces again, with nadi link."},
    {"rows-outside-iterations", Severity::kInfo, "Rows outside of the iterations are not compared.",
     ""},
    {"rows-without-category", Severity::kLoss,
     "Complete events have no category, and the names of their process and thread tell none: they "
     "were left out.",
     "Record with torch.profiler, if they are of use."},
    {"samples-differ", Severity::kWarning, "The two sides have different numbers of iterations.",
     "Compare means, not totals."},
    {"several-processes", Severity::kInfo,
     "The device trace holds the rows of several processes, of which the count tells how many. Ids "
     "are looked up within one process, and each process becomes a graph of its own.",
     ""},
    {"size-raised", Severity::kInfo,
     "A collective has fewer bytes than the simulator finishes and was raised.", ""},
    {"slice-unmatched", Severity::kLoss,
     "Begins and ends of slices in a Perfetto trace do not fit: what has no partner was left out, "
     "and lengths of slices near it may be wrong.",
     "Copy the file again, or record it again."},
    {"slot-shared", Severity::kInfo,
     "A node ran beside others of the host, or of the device: it takes its share of that time, "
     "since the simulator runs them one after the other.",
     ""},
    {"splits-unknown", Severity::kWarning,
     "The parts of an all-to-all are recorded, but the list is cut, or it is not told which of "
     "them is the rank's own: its size is that of even parts.",
     "Pass the host trace too, which has the whole list."},
    {"surplus-words", Severity::kWarning, "A line of the layer file holds more words than count.",
     "Check its columns."},
    {"sync-row-unresolved", Severity::kWarning,
     "A sync row does not name what was waited for, and nothing else tells.",
     "Use a PyTorch whose profiler writes cuda_event rows, or CUDA before 12.9."},
    {"sync-unresolved", Severity::kWarning,
     "Nothing shows what a synchronisation waited for: all of the call is work.",
     "Record with _ExperimentalConfig(enable_cuda_sync_events=True)."},
    {"tensor-type-unknown", Severity::kWarning,
     "Tensors have a type whose size is not known and count nothing.", ""},
    {"too-many-columns", Severity::kLoss,
     "Events have more kinds of attributes than a table may have: further ones were left out.",
     "Choose the attributes that are needed."},
    {"trace-without-device-rows", Severity::kInfo,
     "A trace without device rows, of no rank of its own, lies beside those of ranks, as that of a "
     "coordinator does: it was passed over.",
     ""},
    {"truncated-input", Severity::kLoss, "A file ends too early: what is missing is lost.",
     "Record it again, to its end, or copy it again."},
    {"uneven-collective", Severity::kInfo,
     "Ranks tell different sizes of a collective: the largest stands for all.", ""},
    {"unfinished-node", Severity::kLoss,
     "The log issues a node that never ends: it is drawn to the end of the log.",
     "Check that the simulation has finished."},
    {"unknown-category", Severity::kInfo, "Events are of a category that is not known.", ""},
    {"unknown-collective", Severity::kWarning,
     "A communication is none that Chakra knows: it takes its measured time.", ""},
    {"unknown-dtype", Severity::kWarning,
     "The size of a data type is not known, and so the bytes of a communication may not be.", ""},
    {"unknown-schema", Severity::kWarning,
     "The host trace has a schema that is not known: every node is read by the fields it has.",
     "Check the graph, or use a newer nadi."},
    {"unknown-sync", Severity::kInfo, "A sync row is of a kind that is not known.", ""},
    {"unlaunched-anchored", Severity::kInfo,
     "A device row without a launch follows what its host did before it.", ""},
    {"unlaunched-rows", Severity::kWarning,
     "Device rows have no launch in the trace: they are held by their streams and times only.",
     "Record with a warm-up step, and call torch.cuda.synchronize() before the first active "
     "step."},
    {"unmatched-callback", Severity::kWarning,
     "The log ends a node that it never issued: the node is not drawn.",
     "Pass the log from its beginning."},
    {"untimed-ops", Severity::kInfo,
     "Ops of the host trace are not in the device trace: they take no time.", ""},
    {"wait-without-call", Severity::kInfo,
     "The call of a wait is lost: its sync row stands for it.",
     "Record fewer steps at once: rows were lost."},
    {"wait-without-record", Severity::kWarning,
     "A wait names a stream and no event: it is taken to be for what had been given to that "
     "stream by the last record.",
     "Use a PyTorch whose profiler writes cuda_event rows, or CUDA before 12.9."},
    {"waits-for-too-many-streams", Severity::kWarning,
     "A wait is for more streams than a device has at work: only those that end last count.", ""},
    {"window-lacks-rank", Severity::kWarning,
     "A rank has no trace of the window of the profiler that was chosen.",
     "Choose another window (`window`), or record all ranks alike."},
    {"window-passed-over", Severity::kInfo,
     "A rank has traces of several windows of the profiler, and this is of one that was not "
     "chosen.",
     "Choose the window (`window`, of `traces`): newest, its number, or all."},
};

/// A kind of the registry. A literal of its name stands for it; no other name compiles.
class DiagnosticKind {
 public:
  /// Takes the first row where a name has several severities.
  consteval DiagnosticKind(const char* name) : info_(find(name)) {}
  consteval DiagnosticKind(const char* name, Severity severity) : info_(find(name)) {
    while (info_->severity != severity) ++info_;
    if (info_->name != name) throw "no such kind of this severity";
  }

  constexpr std::string_view name() const { return info_->name; }
  constexpr Severity severity() const { return info_->severity; }
  constexpr bool operator==(const DiagnosticKind&) const = default;

 private:
  static consteval const DiagnosticInfo* find(std::string_view name) {
    for (const DiagnosticInfo& info : kDiagnosticKinds)
      if (info.name == name) return &info;
    throw "no such kind of diagnostic";
  }

  const DiagnosticInfo* info_;
};

std::string_view to_string(Severity severity);

}  // namespace nadi
