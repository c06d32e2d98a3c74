#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "write.h"
#include "write_comm.h"

namespace nadi::vm {

using nlohmann::ordered_json;

namespace {

// Values, shapes and types of a node's inputs or outputs.
struct Values {
  ordered_json values = ordered_json::array(), shapes = ordered_json::array(),
               types = ordered_json::array(), strides = ordered_json::array();

  void add(ordered_json value, ordered_json shape, const char* type) {
    values.push_back(std::move(value));
    shapes.push_back(std::move(shape));
    types.push_back(type);
  }
  void add_tensor(std::int64_t id, std::int64_t elements, int bytes, const char* type, int device) {
    add({id, id + 1, 0, elements, bytes, "cuda:" + std::to_string(device)}, {elements}, type);
    strides.push_back({1});
  }
  // The tensor added last becomes a list of one.
  void make_list() {
    values.back() = ordered_json::array({values.back()});
    shapes.back() = ordered_json::array({shapes.back()});
    types.back() = "GenericList[" + types.back().get<std::string>() + "]";
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
      inputs.add(process_groups(program_).dump(), ordered_json::array(), "String");
    } else if (!op.is_annotation) {
      inputs.add_tensor(tensor, op.elements, 4, "Tensor(float)", rank_);
      outputs.add_tensor(tensor + 2, op.elements, 4, "Tensor(float)", rank_);
    }
    ordered_json attrs = ordered_json::array();
    auto add = [&](const char* name, const char* type, ordered_json value) {
      attrs.push_back({{"name", name}, {"type", type}, {"value", std::move(value)}});
    };
    add("rf_id", "uint64", run_.ops[u(index)].rf_id);
    add("fw_parent", "uint64", op.fw_parent < 0 ? 0 : ids_[u(op.fw_parent)]);
    add("seq_id", "int64", op.forward >= 0 && !op.is_backward ? -1 : op.seq_id);
    add("scope", "uint64", op.is_annotation ? 7 : op.is_backward ? 1 : 0);
    add("tid", "uint64", op.thread + 1);
    add("fw_tid", "uint64", op.is_backward ? code_.ops[u(op.forward)].thread + 1 : 0);
    add("op_schema", "string", schema_of(op));
    add("kernel_backend", "string", "");
    add("kernel_file", "string", "");
    if (op.comm.empty() || options_.host_schema == HostSchema::kFlat) {
      add("tensor_range", "string", "");
    } else {
      add_comm_attributes(op.comm[0], add);
    }
    return text(op.name, ids_[u(index)], parent_id(index), inputs, outputs, attrs);
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
    const ordered_json none = ordered_json::array();
    const bool is_list =
        comm.collective.find("_base") == std::string::npos && comm.collective != "all_to_all";
    inputs.add_tensor(tensor, comm.in_nelems, bytes, tensor_type(comm.dtype), rank_);
    if (is_list) inputs.make_list();
    add_seq(index, inputs);
    if (options_.host_schema == HostSchema::kFlat) {
      inputs.add(94594108284448 + comm.group, none, "Int");
    } else {
      inputs.add({group.name, group.desc}, {none, none}, "Tuple[String,String]");
    }
    inputs.add(argument, none, "Int");
    inputs.add(comm.collective, none, "String");
    inputs.add(none, none, "GenericList[]");
    inputs.add(none, none, "GenericList[]");
    if (options_.host_schema == HostSchema::kChakra) {
      inputs.add(group.ranks[0], none, "Int");
      inputs.add(stride_of(group), none, "Int");
      inputs.add(group.ranks.size(), none, "Int");
    }
    outputs.add_tensor(tensor + 2, comm.out_nelems, bytes, tensor_type(comm.dtype), rank_);
    if (is_list) outputs.make_list();
  }

  void add_seq(int op, Values& inputs) const {
    const ordered_json none = ordered_json::array();
    const std::int64_t seq = seqs_.at(op);
    if (options_.host_schema == HostSchema::kFlat)
      inputs.add(seq, none, "Int");
    else
      inputs.add({seq, code_.ops[u(op)].comm[0].is_p2p()}, {none, none}, "Tuple[Int,Bool]");
  }

  // "wait": the sequence number of the work, and of all else that there is none.
  void wait_values(int work, Values& inputs) const {
    const ordered_json none = ordered_json::array();
    add_seq(work, inputs);
    if (options_.host_schema == HostSchema::kFlat)
      inputs.add(0, none, "Int");
    else
      inputs.add({"", ""}, {none, none}, "Tuple[String,String]");
    inputs.add(0, none, "Int");
    inputs.add("wait", none, "String");
    inputs.add(none, none, "GenericList[]");
    inputs.add(none, none, "GenericList[]");
    if (options_.host_schema == HostSchema::kFlat) return;
    for (int value : {-1, -1, 1}) inputs.add(value, none, "Int");
  }

  template <class Add>
  void add_comm_attributes(const CommOp& comm, const Add& add) const {
    const Group& group = program_.groups[u(comm.group)];
    add("collective_name", "string", comm.collective);
    add("dtype", "string", comm.dtype);
    add("in_msg_nelems", "uint64", comm.in_nelems);
    add("out_msg_nelems", "uint64", comm.out_nelems);
    add("in_split_size", "string", "[]");
    add("out_split_size", "string", "[]");
    add("global_rank_start", "uint64", group.ranks[0]);
    add("global_rank_stride", "uint64", stride_of(group));
    add("pg_name", "string", group.name);
    add("pg_desc", "string", group.desc);
    add("pg_size", "uint64", group.ranks.size());
  }

  std::string root(const std::string& what, std::int64_t id, std::size_t tid) const {
    ordered_json attrs = ordered_json::array();
    auto add = [&](const char* name, const char* type, ordered_json value) {
      attrs.push_back({{"name", name}, {"type", type}, {"value", std::move(value)}});
    };
    add("rf_id", "uint64", 0);
    add("fw_parent", "uint64", 0);
    add("seq_id", "int64", -1);
    add("scope", "uint64", 7);
    add("tid", "uint64", tid);
    add("fw_tid", "uint64", 0);
    add("op_schema", "string", "");
    add("kernel_backend", "string", "");
    add("kernel_file", "string", "");
    add("tensor_range", "string", "");
    return text("[pytorch|profiler|execution_trace|" + what + "]", id, 1, {}, {}, attrs);
  }

  std::string text(const std::string& name, std::int64_t id, std::int64_t parent,
                   const Values& inputs, const Values& outputs, const ordered_json& attrs) const {
    ordered_json node;
    if (options_.host_schema == HostSchema::kChakra) {
      auto group = [](const Values& v) {
        return ordered_json{
            {"values", v.values}, {"shapes", v.shapes}, {"types", v.types}, {"strides", v.strides}};
      };
      node = {{"id", id},
              {"name", name},
              {"ctrl_deps", parent},
              {"inputs", group(inputs)},
              {"outputs", group(outputs)},
              {"attrs", attrs}};
      return "    " + node.dump();
    }
    node = {{"name", name}, {"id", id}};
    for (const auto& attr : attrs) {
      const std::string key = attr["name"];
      if (key == "kernel_backend" || key == "kernel_file" || key == "tensor_range") continue;
      node[key] = attr["value"];
      if (key == "rf_id") node["parent"] = parent;
    }
    node["inputs"] = inputs.values;
    node["input_shapes"] = inputs.shapes;
    node["input_types"] = inputs.types;
    node["outputs"] = outputs.values;
    node["output_shapes"] = outputs.shapes;
    node["output_types"] = outputs.types;
    return "    " + node.dump();
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
