#include "nadi/model/communication_kernels.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string>

namespace nadi {
namespace {

enum class Where : std::uint8_t {
  kNameBegins,      ///< the name as a whole, namespaces included
  kFunctionBegins,  ///< what stands behind the last `::`
  kFunctionHolds,
};

struct Row {
  std::string_view space;  ///< a namespace around the function; empty = any, or none
  Where where;
  std::string_view word;  ///< lower case; empty = all functions of the namespace
  CommKernelOrigin kernel;
};

constexpr CommKernelOrigin kNone = CommKernelOrigin::kNone;
constexpr CommKernelOrigin kGroup = CommKernelOrigin::kProcessGroup;
constexpr CommKernelOrigin kOwn = CommKernelOrigin::kUnrecorded;

// The first row that fits decides. Behind each row: where the names stand in source, or who writes
// them.
constexpr std::array kRows = {
    // Inductor names kernels after the ops around them: "triton_poi_fused_add_all_reduce_4" adds.
    Row{"", Where::kNameBegins, "triton_", kNone},  // torch/_inductor/codegen/triton.py

    // Reductions in which all threads of a block or a warp get the result.
    Row{"", Where::kFunctionHolds, "blockallreduce", kNone},      // OneFlow softmax.cuh
    Row{"", Where::kFunctionHolds, "block_all_reduce", kNone},    // LeetCUDA block_all_reduce.cu
    Row{"", Where::kFunctionHolds, "warpallreduce", kNone},       // OneFlow softmax.cuh
    Row{"", Where::kFunctionHolds, "blockreducescatter", kNone},  // its counterpart

    Row{"", Where::kNameBegins, "nccl", kGroup},    // NCCL and RCCL: ncclDevKernel_…, ncclSymk…
    Row{"", Where::kNameBegins, "rccl", kGroup},    // RCCL
    Row{"", Where::kNameBegins, "mscclpp", kOwn},   // MSCCL++: namespace mscclpp
    Row{"", Where::kNameBegins, "msccl", kGroup},   // MSCCL in RCCL: mscclKernel_…
    Row{"", Where::kNameBegins, "hccl", kGroup},    // Huawei's and Habana's: HcclAllReduce
    Row{"", Where::kNameBegins, "hcom_", kGroup},   // HCCL of CANN: hcom_allReduce__503_0_1
    Row{"", Where::kNameBegins, "oneccl", kGroup},  // oneCCL: oneccl_allreduce_pcie, …

    Row{"deep_ep", Where::kFunctionBegins, "dispatch", kOwn},         // DeepEP csrc/kernels
    Row{"deep_ep", Where::kFunctionBegins, "combine", kOwn},          // DeepEP csrc/kernels
    Row{"deep_ep", Where::kFunctionBegins, "notify_dispatch", kOwn},  // DeepEP csrc/kernels
    Row{"deep_ep", Where::kFunctionBegins, "cached_notify", kOwn},    // DeepEP csrc/kernels
    Row{"deep_ep", Where::kFunctionBegins, "barrier", kOwn},          // DeepEP csrc/kernels
    Row{"deep_ep", Where::kFunctionBegins, "clean_low_latency_buffer", kOwn},  // waits for all
    Row{"hybrid_ep", Where::kFunctionBegins, "dispatch", kOwn},     // DeepEP's hybrid-ep branch
    Row{"hybrid_ep", Where::kFunctionBegins, "combine", kOwn},      // DeepEP's hybrid-ep branch
    Row{"hybrid_ep", Where::kFunctionBegins, "device_sync", kOwn},  // DeepEP's hybrid-ep branch
    Row{"", Where::kFunctionBegins, "epdispatch", kOwn},            // MORI src/ops/dispatch_combine
    Row{"", Where::kFunctionBegins, "epcombine", kOwn},             // MORI src/ops/dispatch_combine
    Row{"", Where::kFunctionBegins, "moea2adispatch", kOwn},        // TensorRT-LLM, FlashInfer
    Row{"", Where::kFunctionBegins, "moea2acombine", kOwn},         // moeAlltoAllKernels.cu
    Row{"", Where::kFunctionBegins, "a2a_dispatch", kOwn},          // pplx-kernels a2a_kernels
    Row{"", Where::kFunctionBegins, "a2a_combine", kOwn},           // pplx-kernels a2a_kernels

    Row{"symmetric_memory", Where::kFunctionBegins, "", kOwn},  // torch CUDASymmetricMemory*.cu
    Row{"", Where::kFunctionBegins, "multimem_", kOwn},         // torch CUDASymmetricMemoryOps.cu
    Row{"", Where::kFunctionBegins, "exchangesplitandoffset", kOwn},  // torch nvshmem_extension.cu
    Row{"", Where::kFunctionBegins, "cross_device_reduce", kOwn},     // vLLM custom_all_reduce.cuh
    Row{"trtllm_mnnvl_allreduce", Where::kFunctionBegins, "", kOwn},  // FlashInfer; its tail waits
    Row{"", Where::kFunctionBegins, "userbuffers_", kOwn},      // TransformerEngine userbuffers.cu
    Row{"", Where::kFunctionBegins, "kuserbuffers_", kOwn},     // TransformerEngine userbuffers.cu
    Row{"", Where::kNameBegins, "nvshmem", kOwn},               // NVSHMEM: nvshmemi_…
    Row{"", Where::kFunctionHolds, "_on_stream_kernel", kOwn},  // NVSHMEM src/host/stream/coll

    // What the function is called after: vLLM's, SGLang's, aiter's, QuickReduce's, FBGEMM's,
    // FlashInfer's and TensorRT-LLM's kernels, Triton kernels on symmetric memory.
    Row{"", Where::kFunctionHolds, "allreduce", kOwn},       // twoShotAllReduceKernel
    Row{"", Where::kFunctionHolds, "all_reduce", kOwn},      // one_shot_all_reduce_kernel
    Row{"", Where::kFunctionHolds, "allgather", kOwn},       // userbuffers, MSCCL++
    Row{"", Where::kFunctionHolds, "all_gather", kOwn},      // multimem_all_gather_kernel
    Row{"", Where::kFunctionHolds, "reducescatter", kOwn},   // TensorRT-LLM
    Row{"", Where::kFunctionHolds, "reduce_scatter", kOwn},  // reduce_scatter_cross_device_store
    Row{"", Where::kFunctionHolds, "alltoall", kOwn},        // allToAllV of torch's NVSHMEM
    Row{"", Where::kFunctionHolds, "all_to_all", kOwn},      // Triton kernels
};

constexpr std::array<std::string_view, 2> kUnnamed = {"(anonymous namespace)", "<unnamed>"};

/// What stands at `at`, if it is how demanglers write an unnamed namespace.
std::size_t unnamed_length(std::string_view name, std::size_t at) {
  for (const std::string_view unnamed : kUnnamed)
    if (name.substr(at).starts_with(unnamed)) return unnamed.size();
  return 0;
}

/// Place behind the bracket that closes the one at `at`; the end where none does.
std::size_t skip_template_arguments(std::string_view name, std::size_t at) {
  std::size_t depth = 0;
  for (; at < name.size(); ++at) {
    if (name[at] == '<') ++depth;
    if (name[at] == '>' && --depth == 0) return at + 1;
  }
  return at;
}

/// The same path of a name that was too long to be demangled: "_ZN7deep_ep9intranode8dispatchI…".
/// Template arguments end it.
std::vector<std::string_view> path_of_mangled(std::string_view name) {
  std::vector<std::string_view> path;
  name.remove_prefix(name.starts_with("_ZN") ? 3 : 2);
  while (!name.empty()) {
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), length);
    const auto digits = static_cast<std::size_t>(end - name.data());
    if (error != std::errc{} || length > name.size() - digits) break;
    path.push_back(name.substr(digits, length));
    name.remove_prefix(digits + length);
  }
  if (path.empty()) path.emplace_back();
  return path;
}

/// "deep_ep", "intranode", "dispatch" of "void deep_ep::intranode::dispatch<8>(int4*)": neither
/// type of the result, nor arguments, nor those of templates. Never empty.
std::vector<std::string_view> path_of(std::string_view name) {
  if (name.starts_with("_Z")) return path_of_mangled(name);
  std::vector<std::string_view> path;
  std::size_t begin = name.starts_with("void ") ? std::string_view("void ").size() : 0;
  std::size_t end = begin;
  while (end < name.size()) {
    if (const std::size_t unnamed = unnamed_length(name, end); unnamed > 0) {
      end += unnamed;
    } else if (name[end] == '(') {
      break;
    } else if (name[end] == '<') {
      const std::size_t behind = skip_template_arguments(name, end);
      if (!name.substr(behind).starts_with("::")) break;
      path.push_back(name.substr(begin, end - begin));
      begin = end = behind + 2;
    } else if (name.substr(end).starts_with("::")) {
      path.push_back(name.substr(begin, end - begin));
      begin = end += 2;
    } else {
      ++end;
    }
  }
  path.push_back(name.substr(begin, end - begin));
  return path;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

/// Both lower case.
bool fits(Where where, std::string_view word, std::string_view first, std::string_view function) {
  switch (where) {
    case Where::kNameBegins:
      return first.starts_with(word);
    case Where::kFunctionBegins:
      return function.starts_with(word);
    case Where::kFunctionHolds:
      return function.find(word) != std::string_view::npos;
  }
  return false;
}

}  // namespace

CommKernelOrigin comm_kernel_of(std::string_view name) {
  const std::vector<std::string_view> path = path_of(name);
  const std::string first = lower_case(path.front()), function = lower_case(path.back());
  for (const Row& row : kRows) {
    const bool is_in_space =
        row.space.empty() || std::find(path.begin(), path.end() - 1, row.space) != path.end() - 1;
    if (is_in_space && fits(row.where, row.word, first, function)) return row.kernel;
  }
  return CommKernelOrigin::kNone;
}

CommKernelOrigin CommKernelNames::of(StringId name) {
  const auto index = static_cast<std::size_t>(name);
  if (index >= known_.size()) known_.resize(strings_.size(), kNotLookedAt);
  if (known_[index] == kNotLookedAt)
    known_[index] = static_cast<std::int8_t>(comm_kernel_of(strings_[name]));
  return static_cast<CommKernelOrigin>(known_[index]);
}

}  // namespace nadi
