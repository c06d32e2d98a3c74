#include "nadi/model/call_names.h"

#include <gtest/gtest.h>

namespace nadi {
namespace {

TEST(CallNames, AreKnownOverAllBackendsVersionsAndSuffixes) {
  EXPECT_EQ(call_effect("cudaStreamSynchronize"), CallEffect::kSyncStream);
  EXPECT_EQ(call_effect("cuStreamSynchronize"), CallEffect::kSyncStream);
  EXPECT_EQ(call_effect("hipStreamSynchronize"), CallEffect::kSyncStream);
  EXPECT_EQ(call_effect("cudaStreamSynchronize_ptsz"), CallEffect::kSyncStream);
  EXPECT_EQ(call_effect("zeCommandQueueSynchronize"), CallEffect::kSyncStream);
  EXPECT_EQ(call_effect("cudaDeviceSynchronize"), CallEffect::kSyncDevice);
  EXPECT_EQ(call_effect("cuCtxSynchronize"), CallEffect::kSyncDevice);
  EXPECT_EQ(call_effect("hipEventSynchronize"), CallEffect::kSyncEvent);
  EXPECT_EQ(call_effect("cuMemFree_v2"), CallEffect::kAllocation);
  EXPECT_EQ(call_effect("cudaStreamBeginCapture_v10000"), CallEffect::kBeginCapture);
  EXPECT_EQ(call_effect("cudaEventRecordWithFlags"), CallEffect::kEventRecord);
  EXPECT_EQ(call_effect("cudaStreamWaitEvent"), CallEffect::kStreamWaitEvent);
}

TEST(CallNames, CopiesThatBlockAreToldFromCopiesThatMay) {
  EXPECT_EQ(call_effect("cudaMemcpy"), CallEffect::kCopyAndWait);
  EXPECT_EQ(call_effect("hipMemcpyWithStream"), CallEffect::kCopyAndWait);
  EXPECT_EQ(call_effect("cudaMemcpyAsync"), CallEffect::kCopyMayWait);
  EXPECT_EQ(call_effect("cuMemcpyDtoHAsync_v2"), CallEffect::kCopyMayWait);
}

TEST(CallNames, QueriesNeverWait) {
  EXPECT_EQ(call_effect("cudaEventQuery"), CallEffect::kQueryEvent);
  EXPECT_EQ(call_effect("hipStreamQuery"), CallEffect::kQueryStream);
}

TEST(CallNames, OtherNamesAreOther) {
  for (const char* name : {"cudaLaunchKernel", "cudaMallocAsync", "cudaStreamSynchronizeLater", "",
                           "cuda", "customStreamSynchronize", "curlDeviceSynchronize"})
    EXPECT_EQ(call_effect(name), CallEffect::kOther) << name;
}

TEST(CallNames, TellWhatIsLaunched) {
  for (const char* name : {"cudaLaunchKernelExC", "cuLaunchKernelEx", "hipExtModuleLaunchKernel",
                           "cudaLaunchCooperativeKernel_ptsz", "urEnqueueKernelLaunch"})
    EXPECT_EQ(call_launches(name), CallLaunches::kKernel) << name;
  for (const char* name : {"cudaMemcpy2DAsync", "cuMemcpyHtoDAsync_v2", "hipMemcpyWithStream"})
    EXPECT_EQ(call_launches(name), CallLaunches::kMemcpy) << name;
  for (const char* name : {"cuMemsetD8Async", "hipMemsetAsync"})
    EXPECT_EQ(call_launches(name), CallLaunches::kMemset) << name;
  for (const char* name : {"cudaGraphLaunch", "cuGraphLaunch", "hipGraphLaunch_spt"})
    EXPECT_EQ(call_launches(name), CallLaunches::kGraph) << name;
  for (const char* name : {"cudaLaunchHostFunc", "cudaGraphInstantiate", "cudaMallocAsync", ""})
    EXPECT_EQ(call_launches(name), CallLaunches::kNothing) << name;
}

}  // namespace
}  // namespace nadi
