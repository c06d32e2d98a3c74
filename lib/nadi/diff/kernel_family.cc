#include "nadi/diff/kernel_family.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "nadi/model/communication_kernels.h"
#include "nadi/read/category_table.h"

namespace nadi {
namespace {

struct Word {
  std::string_view word;  ///< lower case, anywhere in the name
  std::string_view family;
};

// The first word found decides: what a kernel is for goes before how it is made. Words are from
// names of cuBLAS, CUTLASS, cuDNN, hipBLASLt/Tensile, MIOpen, Composable Kernel, PyTorch's ATen,
// FBGEMM, FlashAttention, Apex and Triton kernels. Communication has a table of its own.
constexpr std::array kWords = {
    Word{"flash", "attention"},
    Word{"fmha", "attention"},
    Word{"attention", "attention"},
    Word{"attn", "attention"},
    Word{"multi_tensor_apply", "optimizer"},
    Word{"multitensorapply", "optimizer"},
    Word{"adam", "optimizer"},
    Word{"conv", "convolution"},
    Word{"scudnn", "convolution"},
    Word{"winograd", "convolution"},
    Word{"implicit_gemm", "convolution"},
    Word{"wgrad", "convolution"},
    Word{"dgrad", "convolution"},
    Word{"rotary", "elementwise"},
    Word{"embedding", "embedding"},
    Word{"fbgemm_gpu::", "embedding"},  // makes and moves the indices of tables
    Word{"bounds_check_indices", "embedding"},
    Word{"gemm", "gemm"},
    Word{"gemv", "gemm"},
    Word{"bmm_", "gemm"},
    Word{"cijk_", "gemm"},
    Word{"cublas", "gemm"},
    Word{"nvjet", "gemm"},
    Word{"cutlass", "gemm"},
    Word{"splitk", "gemm"},
    Word{"matmul", "gemm"},
    Word{"dot_kernel", "gemm"},
    Word{"layer_norm", "normalisation"},
    Word{"layernorm", "normalisation"},
    Word{"batch_norm", "normalisation"},
    Word{"batchnorm", "normalisation"},
    Word{"rms_norm", "normalisation"},
    Word{"rmsnorm", "normalisation"},
    Word{"group_norm", "normalisation"},
    Word{"groupnorm", "normalisation"},
    Word{"bn_fw", "normalisation"},
    Word{"bn_bw", "normalisation"},
    Word{"softmax", "softmax"},
    Word{"pool", "pooling"},
    Word{"sort", "sort and scan"},
    Word{"topk", "sort and scan"},
    Word{"scan", "sort and scan"},
    Word{"cumsum", "sort and scan"},
    Word{"index", "gather and scatter"},
    Word{"gather", "gather and scatter"},
    Word{"scatter", "gather and scatter"},
    Word{"permute", "gather and scatter"},
    Word{"distribution", "random numbers"},
    Word{"dropout", "random numbers"},
    Word{"philox", "random numbers"},
    Word{"catarray", "copy"},
    Word{"copy", "copy"},
    Word{"transpose", "copy"},
    Word{"nchwtonhwc", "copy"},
    Word{"nhwctonchw", "copy"},
    Word{"reduce", "reduction"},
    Word{"elementwise", "elementwise"},
    Word{"pointwise", "elementwise"},
    Word{"triton", "triton"},
};

constexpr std::string_view kCopies = "memcpy", kSets = "memset";

// Begins of the names of copies and sets: CUPTI's, roctracer's and MTIA's.
constexpr std::array kMemoryNames = {
    Word{"Memcpy", kCopies},   Word{"Copy", kCopies}, Word{"Memset", kSets},
    Word{"FillBuffer", kSets}, Word{"dma", kCopies},
};

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

}  // namespace

std::string_view kernel_family_of(std::string_view category, std::string_view name) {
  switch (event_category_of(category)) {
    case EventCategory::kMemcpy:
      return kCopies;
    case EventCategory::kMemset:
      return kSets;
    case EventCategory::kSync:
    case EventCategory::kEventRecord:
      return "synchronisation";
    default:
      break;
  }
  if (comm_kernel_of(name) != CommKernelOrigin::kNone) return "communication";
  const std::string lower = lower_case(name);
  for (const Word& row : kWords)
    if (lower.find(row.word) != std::string::npos) return row.family;
  return "other";
}

std::string_view kernel_family_of(std::string_view name) {
  for (const Word& row : kMemoryNames)
    if (name.starts_with(row.word)) return row.family;
  return kernel_family_of("kernel", name);
}

bool is_memory_family(std::string_view family) { return family == kCopies || family == kSets; }

}  // namespace nadi
