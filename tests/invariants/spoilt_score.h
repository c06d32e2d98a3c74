// How much of the truth graphs of spoilt records hold: recall, precision and what-if errors.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "nadi/base/hypothesis.h"
#include "tests/invariants/vm_conversion.h"
#include "tests/invariants/what_if.h"
#include "tests/vm/compare.h"
#include "tests/vm/spoil.h"
#include "tests/vm/write.h"

namespace nadi {

/// What is asked of graphs of spoilt records.
struct Limits {
  double least_recall = 1;  ///< of every kind of dependency
  double most_what_if = 0;  ///< error in %; 0 = nothing is asked
};

/// What is wrong with the records, by name.
struct Fault {
  std::string name;
  vm::Spoil spoil;
  vm::WriteOptions write;
  std::optional<Limits> limits;  ///< with them no edge may be false
  friend void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }
};

/// Clean records, clocks of devices and hosts, stamps that are read badly, lost records, windows.
std::vector<Fault> all_faults();

/// Sums over programs.
struct SpoiltScore {
  std::map<std::string, vm::Tally> required;  ///< by kind of dependency: recall
  vm::Tally edges;                            ///< precision
  /// %; over programs that are not random, where no row is damaged and the trace has the whole run
  double worst_what_if = 0;
  std::string worst_program, worst_change;
  std::vector<std::string> missing, false_edges;  ///< the first of them
  std::size_t most_findings = 20;                 ///< of each sort; then no more are noted
  /// Event waits and synchronisations together: recall of all, of those that no other dependencies
  /// imply, and of those of these that held something up.
  vm::Tally waits, needed_waits, binding_waits;
  vm::Tally binding_queues;                      ///< items of queues that a thread stood still for
  std::vector<std::string> missing_waits;        ///< the first of them
  std::map<std::string, vm::Tally> by_evidence;  ///< "event wait (inferred)", …: precision
  std::vector<std::string> what_ifs;             ///< each with its error

  double least_recall() const;
  /// Precision of inferred event waits and synchronisations, whatever they were inferred from.
  vm::Tally inferred_waits() const;
  /// The same and of hand-offs between threads.
  vm::Tally inferred_edges() const;
  /// Of one kind of dependency.
  vm::Tally recall_of(vm::EdgeKind kind) const;
  /// Adds what more programs give, but for findings.
  SpoiltScore& operator+=(const SpoiltScore& more);
};

/// A program that was run, and its spoilt records: they may be converted in several ways.
class ScoredProgram {
 public:
  ScoredProgram(vm::Program program, Fault fault, bool has_what_ifs);

  /// All ranks, without delays.
  std::vector<Conversion> convert(const Hypotheses& hypotheses) const;
  /// Adds what came of it. Dependencies count where both of their ends are in the records.
  void add(const std::vector<Conversion>& ranks, SpoiltScore& score);

 private:
  void add_what_ifs(const std::vector<Conversion>& ranks, SpoiltScore& score);

  vm::Program program_;
  Fault fault_;
  std::vector<Change> changes_;  ///< to ask for
  std::vector<Ns> true_spans_;   ///< of the changes, once they are asked for
  vm::Execution shown_;          ///< what is in the records
  std::vector<ReadTraces> ranks_;
};

/// Runs the program, spoils its records, converts them, and adds what came of it.
void add_program(const std::string& program, Fault fault, SpoiltScore& score);

/// Programs that are scored: those with a name, then random ones, half of which are held back.
std::vector<std::string> scored_programs(bool held_back);

}  // namespace nadi
