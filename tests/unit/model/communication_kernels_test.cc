#include "nadi/model/communication_kernels.h"

#include <gtest/gtest.h>

#include <string>

namespace nadi {
namespace {

TEST(CommunicationKernels, OfBackendsOfProcessGroupsAreKnown) {
  for (const char* name :
       {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        "void ncclKernel_AllGather_RING_LL(ncclWorkElem)", "ncclDevKernel_Generic_1",
        "ncclSymkDevKernel_AllReduce_RSxLDMC_AGxSTMC_sum_bf16", "mscclKernel_Sum_half_Simple_LL128",
        "HcclAllReduce", "hcom_allReduce__503_0_1", "oneccl_allreduce_pcie"})
    EXPECT_EQ(comm_kernel_of(name), CommKernelOrigin::kProcessGroup) << name;
}

TEST(CommunicationKernels, OfLibrariesThatRecordNothingAreKnown) {
  for (const char* name :
       {"void deep_ep::intranode::dispatch<8, 768, 8192>(int4*, float*, int*)",
        "void deep_ep::internode_ll::combine<true, 3, 10, 7168>(void*, void*, int*)",
        "void deep_ep::intranode::cached_notify_combine<8>(void**, int*, int)",
        "void hybrid_ep::dispatch_kernel<128>(hybrid_ep::param)",
        "EpDispatchIntraNodeKernel_bf16",
        "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 2>(vllm::RankData*)",
        "void aiter::reduce_scatter_cross_device_store<bf16, 8>(aiter::RankData*)",
        "void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*)",
        "void <unnamed>::two_shot_all_reduce_kernel_inplace<c10::BFloat16, (int)16>(c10::BFloat16)",
        "c10d::symmetric_memory::barrier_kernel(unsigned int**, int)",
        "exchangeSplitAndOffset(long*, int, int)",
        "allToAllV(void*, void*, long*, unsigned long)",
        "void barrier_on_stream_kernel_threadgroup<(threadgroup_t)1>(int, int)",
        "nvshmemi_transfer_kernel",
        "void tensorrt_llm::kernels::twoShotAllReduceKernel<half, 8>()",
        "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<(flash"
        "infer::trtllm_allreduce_fusion::AllReduceFusionPattern)1, __nv_bfloat16>(Params)",
        "void moe_comm::moeA2ADispatchKernel<4>(int const*)",
        "void pplx::a2a_dispatch_send_kernel<8>()",
        "a2a_combine_recv_kernel",
        "quickreduce::allreduce_prototype_twoshot<AllReduceTwoshot<half>, half>(half const*)",
        "void mscclpp::kernel<1>()",
        "kuserbuffers_pushsend(int*, int*, int4*, int4*, int)",
        "_ZN5aiter26cross_device_reduce_2stageIDF16bLi8ELb0EEEvPNS_8RankDataE",
        "_ZN7deep_ep9intranode8dispatchILi8EEEvP4int4"})
    EXPECT_EQ(comm_kernel_of(name), CommKernelOrigin::kUnrecorded) << name;
}

TEST(CommunicationKernels, AreNotTakenForThoseThatOnlyNameThem) {
  for (const char* name : {"",
                           "gemm",
                           "void at::native::nccl_like",
                           "void ns::copy<ncclDevComm>(ncclDevComm*)",
                           "void deep_ep::layout::get_dispatch_layout<256, 32>(long*)",
                           "triton_poi_fused_all_reduce_4",
                           "triton_spl_fused_reduce_scatter_cumsum_1",
                           "triton_unk_fused_all_gather_into_tensor_3",
                           "triton_fused_all_reduce_add_2",
                           "triton_mm_all_gather_copy",
                           "blockReduceScatterKernel",
                           "_Z15warpAllReduceSumPf",
                           "void oneflow::cuda::softmax::SoftmaxBlockAllReduce<float>(float*)",
                           "block_all_reduce_sum_f32_f32_kernel(float*, float*, int)",
                           "void cub::DispatchReduceByKey<long*>::kernel(long*)",
                           "dispatch",
                           "barrier_kernel",
                           "void at::native::vectorized_gather_kernel<16, long>(char*)",
                           "_Z4gemmPf",
                           "_ZN",
                           "_Z",
                           "_ZN99999999999999999999x",
                           "void f<g<h<(",
                           "a::b<c>::d",
                           "::",
                           "<unnamed>",
                           "(("})
    EXPECT_EQ(comm_kernel_of(name), CommKernelOrigin::kNone) << name;
}

TEST(CommunicationKernels, AreLookedAtOnceByName) {
  StringTable strings;
  const StringId reduce = strings.intern("ncclDevKernel_AllReduce");
  CommKernelNames kernels(strings);
  EXPECT_EQ(kernels.of(reduce), CommKernelOrigin::kProcessGroup);
  const StringId later = strings.intern("gemm");
  EXPECT_EQ(kernels.of(later), CommKernelOrigin::kNone);
  EXPECT_EQ(kernels.of(StringId::kEmpty), CommKernelOrigin::kNone);
}

}  // namespace
}  // namespace nadi
