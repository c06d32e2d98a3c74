#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string_view>

#include "write.h"
#include "write_comm.h"

namespace nadi::vm {

namespace {

/// A JSON string.
std::string quoted(const std::string& text) { return nlohmann::json(text).dump(); }

/// "" = the first.
void append(std::string& list, std::string_view element) {
  if (!list.empty()) list += ',';
  list += element;
}

/// Elements of the JSON lists that say of a node's inputs or outputs what they are. They are text
/// from the start: traces of large programs are written again and again.
struct Values {
  std::string values, shapes, types, strides;

  /// In JSON, but for the type.
  void add(std::string_view value, std::string_view shape, std::string_view type) {
    append(values, value);
    append(shapes, shape);
    append(types, fmt::format("\"{}\"", type));
  }
  void add_int(std::int64_t value) { add(std::to_string(value), "[]", "Int"); }
  void add_empty_lists() {
    for (int i = 0; i < 2; ++i) add("[]", "[]", "GenericList[]");
  }
  void add_tensor(std::int64_t id, std::int64_t elements, int bytes, const char* type, int device,
                  bool is_in_list = false) {
    const std::string value = fmt::format("[{},{},0,{},{},\"cuda:{}\"]", id, id + 1, elements,
                                          bytes, device),
                      shape = fmt::format("[{}]", elements);
    if (is_in_list)
      add(fmt::format("[{}]", value), fmt::format("[{}]", shape),
          fmt::format("GenericList[{}]", type));
    else
      add(value, shape, type);
    append(strides, "[1]");
  }
};

/// In JSON, but for name and type.
struct Attribute {
  const char *name, *type;
  std::string value;
};

/// Of a node, in the order of the trace.
struct Attributes {
  std::vector<Attribute> all;

  template <std::integral Int>
  void add(const char* name, const char* type, Int value) {
    all.push_back({name, type, std::to_string(value)});
  }
  void add(const char* name, const char* type, const std::string& value) {
    all.push_back({name, type, quoted(value)});
  }
};

const char* tensor_type(const std::string& dtype) {
  if (dtype == "BFloat16") return "Tensor(c10::BFloat16)";
  if (dtype == "Long") return "Tensor(long int)";
  return "Tensor(float)";
}

class HostTraceWriter {
 public:
  HostTraceWriter(const Program& program, const Execution& run, int rank,
                  const WriteOptions& options)
      : program_(program),
        code_(program.ranks[u(rank)]),
        run_(run.ranks[u(rank)]),
        rank_(rank),
        options_(options) {
    assign_ids();
  }

  std::string write() {
    std::string text = options_.host_schema == HostSchema::kFlat
                           ? "{\n  \"schema\": \"1.0.1\""
                           : "{\n  \"schema\": \"1.1.1-chakra.0.0.4\"";
    text += ", \"pid\": " + std::to_string(options_.pid + rank_) +
            ", \"time\": \"2025-06-26 13:28:44\", \"start_ts\": 3035474097,\n  \"nodes\": [\n";
    for (std::size_t thread = 0; thread < thread_ids_.size(); ++thread)
      if (thread_ids_[thread] > 0) text += root("thread", thread_ids_[thread], thread + 1) + ",\n";
    for (int op : exit_order()) text += node(op) + ",\n";
    text += root("process", 1, 0) + "\n  ],\n  \"finish_ts\": 3035489831\n}\n";
    return text;
  }

 private:
  bool is_left_out(int op) const {
    return !options_.has_steps_in_host_trace &&
           code_.ops[u(op)].name.rfind("ProfilerStep#", 0) == 0;
  }

  // As the observer: one counter for nodes and tensors, at op begin; threads when first seen.
  void assign_ids() {
    std::vector<int> order(code_.ops.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return run_.ops[u(a)].rf_id < run_.ops[u(b)].rf_id; });
    ids_.resize(order.size(), 0);
    thread_ids_.resize(code_.threads.size(), 0);
    std::map<std::pair<int, bool>, std::int64_t> last_seq;
    std::int64_t next = 2;
    for (int op : order) {
      if (is_left_out(op)) continue;
      auto& thread = thread_ids_[u(code_.ops[u(op)].thread)];
      if (thread == 0) thread = next++;
      ids_[u(op)] = next;
      for (const CommOp& comm : code_.ops[u(op)].comm)
        seqs_[op] = ++last_seq[{comm.group, comm.is_p2p()}];
      next += 5;  // its tensors and their storage
    }
  }

  // Nodes are written when their op exits: children first (H1).
  std::vector<int> exit_order() const {
    std::vector<int> order;
    std::vector<std::pair<Ns, std::size_t>> exits;  // time, place in program
    for (std::size_t thread = 0; thread < code_.threads.size(); ++thread)
      for (std::size_t i = 0; i < code_.threads[thread].code.size(); ++i)
        if (code_.threads[thread].code[i].action == Action::kOpEnd) {
          order.push_back(code_.threads[thread].code[i].index);
          exits.emplace_back(run_.threads[thread][i].end, exits.size());
        }
    std::sort(exits.begin(), exits.end());
    std::vector<int> sorted;
    for (const auto& [time, place] : exits)
      if (!is_left_out(order[place])) sorted.push_back(order[place]);
    return sorted;
  }

  std::int64_t parent_id(int op) const {
    for (int up = code_.ops[u(op)].parent; up >= 0; up = code_.ops[u(up)].parent)
      if (!is_left_out(up)) return ids_[u(up)];
    return thread_ids_[u(code_.ops[u(op)].thread)];
  }

  std::string node(int index) const {
    const Op& op = code_.ops[u(index)];
    Values inputs, outputs;
    const std::int64_t tensor = ids_[u(index)] + 1;
    if (op.work >= 0) {
      wait_values(op.work, inputs);
    } else if (!op.comm.empty()) {
      comm_values(index, tensor, inputs, outputs);
    } else if (op.is_host_only) {
      inputs.add(quoted(process_groups(program_).dump()), "[]", "String");
    } else if (!op.is_annotation) {
      inputs.add_tensor(tensor, op.elements, 4, "Tensor(float)", rank_);
      outputs.add_tensor(tensor + 2, op.elements, 4, "Tensor(float)", rank_);
    }
    Attributes attributes;
    attributes.add("rf_id", "uint64", run_.ops[u(index)].rf_id);
    attributes.add("fw_parent", "uint64", op.fw_parent < 0 ? 0 : ids_[u(op.fw_parent)]);
    attributes.add("seq_id", "int64", op.forward >= 0 && !op.is_backward ? -1 : op.seq_id);
    attributes.add("scope", "uint64", op.is_annotation ? 7 : op.is_backward ? 1 : 0);
    attributes.add("tid", "uint64", op.thread + 1);
    attributes.add("fw_tid", "uint64", op.is_backward ? code_.ops[u(op.forward)].thread + 1 : 0);
    attributes.add("op_schema", "string", schema_of(op));
    attributes.add("kernel_backend", "string", "");
    attributes.add("kernel_file", "string", "");
    if (op.comm.empty() || options_.host_schema == HostSchema::kFlat) {
      attributes.add("tensor_range", "string", "");
    } else {
      add_comm_attributes(op.comm[0], attributes);
    }
    return text(op.name, ids_[u(index)], parent_id(index), inputs, outputs, attributes);
  }

  static std::string schema_of(const Op& op) {
    if (op.name.rfind("aten::", 0) != 0) return "";
    return op.name + "(Tensor self) -> Tensor";
  }

  // record_param_comms (H7): tensors, [seq, is_p2p], [name, desc], rank, collective, splits, ranks.
  void comm_values(int index, std::int64_t tensor, Values& inputs, Values& outputs) const {
    const CommOp& comm = code_.ops[u(index)].comm[0];
    const Group& group = program_.groups[u(comm.group)];
    const int bytes = bytes_per_element(comm.dtype);
    const int argument =
        comm.is_p2p() ? rank_in_group(group, comm.peer) : rank_in_group(group, rank_);
    const bool is_in_list =
        comm.collective.find("_base") == std::string::npos && comm.collective != "all_to_all";
    inputs.add_tensor(tensor, comm.in_nelems, bytes, tensor_type(comm.dtype), rank_, is_in_list);
    add_seq(index, inputs);
    if (options_.host_schema == HostSchema::kFlat)
      inputs.add_int(94594108284448 + comm.group);
    else
      add_name(group.name, group.desc, inputs);
    inputs.add_int(argument);
    inputs.add(quoted(comm.collective), "[]", "String");
    inputs.add_empty_lists();
    if (options_.host_schema == HostSchema::kChakra) {
      inputs.add_int(group.ranks[0]);
      inputs.add_int(stride_of(group));
      inputs.add_int(static_cast<std::int64_t>(group.ranks.size()));
    }
    outputs.add_tensor(tensor + 2, comm.out_nelems, bytes, tensor_type(comm.dtype), rank_,
                       is_in_list);
  }

  static void add_name(const std::string& name, const std::string& description, Values& inputs) {
    inputs.add(fmt::format("[{},{}]", quoted(name), quoted(description)), "[[],[]]",
               "Tuple[String,String]");
  }

  void add_seq(int op, Values& inputs) const {
    const std::int64_t seq = seqs_.at(op);
    if (options_.host_schema == HostSchema::kFlat)
      inputs.add_int(seq);
    else
      inputs.add(fmt::format("[{},{}]", seq, code_.ops[u(op)].comm[0].is_p2p()), "[[],[]]",
                 "Tuple[Int,Bool]");
  }

  // "wait": the sequence number of the work, and of all else that there is none.
  void wait_values(int work, Values& inputs) const {
    add_seq(work, inputs);
    if (options_.host_schema == HostSchema::kFlat)
      inputs.add_int(0);
    else
      add_name("", "", inputs);
    inputs.add_int(0);
    inputs.add(quoted("wait"), "[]", "String");
    inputs.add_empty_lists();
    if (options_.host_schema == HostSchema::kFlat) return;
    for (int value : {-1, -1, 1}) inputs.add_int(value);
  }

  void add_comm_attributes(const CommOp& comm, Attributes& attributes) const {
    const Group& group = program_.groups[u(comm.group)];
    attributes.add("collective_name", "string", comm.collective);
    attributes.add("dtype", "string", comm.dtype);
    attributes.add("in_msg_nelems", "uint64", comm.in_nelems);
    attributes.add("out_msg_nelems", "uint64", comm.out_nelems);
    attributes.add("in_split_size", "string", "[]");
    attributes.add("out_split_size", "string", "[]");
    attributes.add("global_rank_start", "uint64", group.ranks[0]);
    attributes.add("global_rank_stride", "uint64", stride_of(group));
    attributes.add("pg_name", "string", group.name);
    attributes.add("pg_desc", "string", group.desc);
    attributes.add("pg_size", "uint64", group.ranks.size());
  }

  std::string root(const std::string& what, std::int64_t id, std::size_t tid) const {
    Attributes attributes;
    attributes.add("rf_id", "uint64", 0);
    attributes.add("fw_parent", "uint64", 0);
    attributes.add("seq_id", "int64", -1);
    attributes.add("scope", "uint64", 7);
    attributes.add("tid", "uint64", tid);
    attributes.add("fw_tid", "uint64", 0);
    attributes.add("op_schema", "string", "");
    attributes.add("kernel_backend", "string", "");
    attributes.add("kernel_file", "string", "");
    attributes.add("tensor_range", "string", "");
    return text("[pytorch|profiler|execution_trace|" + what + "]", id, 1, {}, {}, attributes);
  }

  std::string text(const std::string& name, std::int64_t id, std::int64_t parent,
                   const Values& inputs, const Values& outputs,
                   const Attributes& attributes) const {
    return options_.host_schema == HostSchema::kChakra
               ? chakra_text(name, id, parent, inputs, outputs, attributes)
               : flat_text(name, id, parent, inputs, outputs, attributes);
  }

  static std::string chakra_text(const std::string& name, std::int64_t id, std::int64_t parent,
                                 const Values& inputs, const Values& outputs,
                                 const Attributes& attributes) {
    const auto lists = [](const Values& of) {
      return fmt::format(R"({{"values":[{}],"shapes":[{}],"types":[{}],"strides":[{}]}})",
                         of.values, of.shapes, of.types, of.strides);
    };
    std::string attrs;
    for (const auto& [key, type, value] : attributes.all)
      append(attrs, fmt::format(R"({{"name":"{}","type":"{}","value":{}}})", key, type, value));
    return fmt::format(
        R"(    {{"id":{},"name":{},"ctrl_deps":{},"inputs":{},"outputs":{},"attrs":[{}]}})", id,
        quoted(name), parent, lists(inputs), lists(outputs), attrs);
  }

  static std::string flat_text(const std::string& name, std::int64_t id, std::int64_t parent,
                               const Values& inputs, const Values& outputs,
                               const Attributes& attributes) {
    std::string text = fmt::format(R"(    {{"name":{},"id":{})", quoted(name), id);
    for (const auto& [key, type, value] : attributes.all) {
      const std::string_view written = key;
      if (written == "kernel_backend" || written == "kernel_file" || written == "tensor_range")
        continue;
      text += fmt::format(R"(,"{}":{})", key, value);
      if (written == "rf_id") text += fmt::format(R"(,"parent":{})", parent);
    }
    const auto add_lists = [&](const char* of, const char* all, const Values& its) {
      text += fmt::format(R"(,"{}":[{}],"{}_shapes":[{}],"{}_types":[{}])", all, its.values, of,
                          its.shapes, of, its.types);
    };
    add_lists("input", "inputs", inputs);
    add_lists("output", "outputs", outputs);
    return text + "}";
  }

  const Program& program_;
  const RankProgram& code_;
  const RankRun& run_;
  int rank_;
  const WriteOptions& options_;
  std::vector<std::int64_t> ids_, thread_ids_;  // 0 = none
  std::map<int, std::int64_t> seqs_;            // of recorded communication, by op
};

}  // namespace

std::string write_host_trace(const Program& program, const Execution& run, int rank,
                             const WriteOptions& options) {
  return HostTraceWriter(program, run, rank, options).write();
}

}  // namespace nadi::vm
