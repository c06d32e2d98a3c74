#include "nadi/link/call_names.h"

#include <gtest/gtest.h>

namespace nadi {
namespace {

TEST(CallNames, AreKnownOverAllBackendsVersionsAndSuffixes) {
  EXPECT_EQ(call_kind("cudaStreamSynchronize"), CallKind::kSyncStream);
  EXPECT_EQ(call_kind("cuStreamSynchronize"), CallKind::kSyncStream);
  EXPECT_EQ(call_kind("hipStreamSynchronize"), CallKind::kSyncStream);
  EXPECT_EQ(call_kind("cudaStreamSynchronize_ptsz"), CallKind::kSyncStream);
  EXPECT_EQ(call_kind("zeCommandQueueSynchronize"), CallKind::kSyncStream);
  EXPECT_EQ(call_kind("cudaDeviceSynchronize"), CallKind::kSyncDevice);
  EXPECT_EQ(call_kind("cuCtxSynchronize"), CallKind::kSyncDevice);
  EXPECT_EQ(call_kind("hipEventSynchronize"), CallKind::kSyncEvent);
  EXPECT_EQ(call_kind("cuMemFree_v2"), CallKind::kAllocation);
  EXPECT_EQ(call_kind("cudaStreamBeginCapture_v10000"), CallKind::kBeginCapture);
  EXPECT_EQ(call_kind("cudaEventRecordWithFlags"), CallKind::kEventRecord);
  EXPECT_EQ(call_kind("cudaStreamWaitEvent"), CallKind::kStreamWaitEvent);
}

TEST(CallNames, CopiesThatBlockAreToldFromCopiesThatMay) {
  EXPECT_EQ(call_kind("cudaMemcpy"), CallKind::kCopyAndWait);
  EXPECT_EQ(call_kind("hipMemcpyWithStream"), CallKind::kCopyAndWait);
  EXPECT_EQ(call_kind("cudaMemcpyAsync"), CallKind::kCopyMayWait);
  EXPECT_EQ(call_kind("cuMemcpyDtoHAsync_v2"), CallKind::kCopyMayWait);
}

TEST(CallNames, QueriesNeverWait) {
  EXPECT_EQ(call_kind("cudaEventQuery"), CallKind::kQuery);
  EXPECT_EQ(call_kind("hipStreamQuery"), CallKind::kQuery);
}

TEST(CallNames, OtherNamesAreOther) {
  for (const char* name : {"cudaLaunchKernel", "cudaMallocAsync", "cudaStreamSynchronizeLater", "",
                           "cuda", "customStreamSynchronize", "curlDeviceSynchronize"})
    EXPECT_EQ(call_kind(name), CallKind::kOther) << name;
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
