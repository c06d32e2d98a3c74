#include "nadi/graph/communications.h"

#include <gtest/gtest.h>

#include <limits>

#include "nadi/base/dtype.h"
#include "tests/unit/link/trace_text.h"

namespace nadi {
namespace {

TEST(CommKinds, OfRecordedNamesOldAndNew) {
  const std::pair<const char*, CommKind> names[] = {
      {"allreduce", CommKind::kAllReduce},
      {"allreduce_coalesced", CommKind::kAllReduce},
      {"all_reduce", CommKind::kAllReduce},
      {"_allgather_base", CommKind::kAllGather},
      {"all_gather_into_tensor", CommKind::kAllGather},
      {"_reduce_scatter_base", CommKind::kReduceScatter},
      {"reduce_scatter_tensor_coalesced", CommKind::kReduceScatter},
      {"all_to_allv", CommKind::kAllToAll},
      {"alltoall_base", CommKind::kAllToAll},
      {"broadcast", CommKind::kBroadcast},
      {"reduce", CommKind::kReduce},
      {"gather", CommKind::kGather},
      {"scatter", CommKind::kScatter},
      {"barrier", CommKind::kBarrier},
      {"send", CommKind::kSend},
      {"recv", CommKind::kRecv},
      {"recvAnySource", CommKind::kRecv},
      {"wait", CommKind::kNone},
      {"", CommKind::kNone},
  };
  for (const auto& [name, kind] : names) EXPECT_EQ(comm_kind_of_operation(name), kind) << name;
}

TEST(CommKinds, OfKernelsOfAllLibraries) {
  EXPECT_EQ(comm_kind_of_kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclArgs<4096ul>)"),
            CommKind::kAllReduce);
  EXPECT_EQ(comm_kind_of_kernel("ncclKernel_AllGather_RING_LL_Sum_int8_t(ncclWorkElem)"),
            CommKind::kAllGather);
  EXPECT_EQ(comm_kind_of_kernel("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL"),
            CommKind::kReduceScatter);
  EXPECT_EQ(comm_kind_of_kernel("HcclAllReduce"), CommKind::kAllReduce);
  EXPECT_EQ(comm_kind_of_kernel("ncclKernel_SendRecv(ncclWorkElem)"), CommKind::kNone);
  EXPECT_EQ(comm_kind_of_kernel("ncclDevKernel_Generic"), CommKind::kNone);
}

TEST(DtypeBytes, AreKnownForTheNamesOfPyTorch) {
  EXPECT_EQ(dtype_bytes("Float"), 4);
  EXPECT_EQ(dtype_bytes("BFloat16"), 2);
  EXPECT_EQ(dtype_bytes("Float8_e4m3fn"), 1);
  EXPECT_EQ(dtype_bytes("Long"), 8);
  EXPECT_EQ(dtype_bytes("Quantum"), 0);
}

/// Bytes of a collective of 4 ranks with these counts of floats.
std::int64_t bytes_of(const char* collective, std::int64_t in, std::int64_t out) {
  LinkedTrace linked;
  CommRecord record;
  record.collective = linked.strings.intern(collective);
  record.dtype = linked.strings.intern("Float");
  record.in_nelems = in;
  record.out_nelems = out;
  record.group_size = 4;
  Diagnostics diagnostics;
  return CommunicationMaker(linked, diagnostics).make(record, "ncclKernel").bytes;
}

TEST(CommBytes, AreWhatSimulatorsTakeThemForPerType) {
  EXPECT_EQ(bytes_of("allreduce", 100, 100), 400);
  EXPECT_EQ(bytes_of("_allgather_base", 100, 400), 400);        // the shard of one rank
  EXPECT_EQ(bytes_of("_reduce_scatter_base", 400, 100), 1600);  // the whole input
  EXPECT_EQ(bytes_of("alltoall_base", 100, 100), 400);
  EXPECT_EQ(bytes_of("broadcast", 0, 100), 400);
  EXPECT_EQ(bytes_of("scatter", 400, 100), 400);
  EXPECT_EQ(bytes_of("recv", 0, 100), 400);
  EXPECT_EQ(bytes_of("barrier", -1, -1), 0);
}

/// An all-to-all of floats by rank 0 of a group.
struct Exchange {
  const char* splits;
  std::int64_t elements = 50;
  std::int64_t own = 0;

  std::int64_t bytes(Diagnostics& diagnostics) const {
    LinkedTrace linked;
    CommRecord record;
    record.collective = linked.strings.intern("all_to_allv");
    record.dtype = linked.strings.intern("Float");
    record.in_split = linked.strings.intern(splits);
    record.in_nelems = elements;
    record.out_nelems = 70;
    record.peer_rank = own;
    return CommunicationMaker(linked, diagnostics).make(record, "ncclKernel").bytes;
  }
  std::int64_t bytes() const {
    Diagnostics diagnostics;
    return bytes(diagnostics);
  }
};

TEST(CommBytes, OfAnAllToAllWithUnevenSplitsAreThoseThatLeaveTheRank) {
  EXPECT_EQ((Exchange{"[11, 13, 13, 13]"}.bytes()), 156);         // 39 of 50 floats
  EXPECT_EQ((Exchange{"[11, 13, 13, 13]", 50, 1}.bytes()), 148);  // 37 of 50 floats
  EXPECT_EQ((Exchange{"[11, 39]"}.bytes()), 156);
  EXPECT_EQ((Exchange{"[10, 10, 10, 10, 10]"}.bytes()), 200);
  EXPECT_EQ((Exchange{"[]"}.bytes()), 200);
  EXPECT_EQ((Exchange{""}.bytes()), 200);
}

TEST(CommBytes, OfSplitsOfRowsCountTheirElements) {
  EXPECT_EQ((Exchange{"[2, 2, 1]", 50, 2}.bytes()), 160);  // 4 rows of 10 floats
  EXPECT_EQ((Exchange{"[7, 2, 2]"}.bytes()), 16);          // 11 rows do not fit into 50: elements
}

TEST(CommBytes, OfARankThatSendsNothingAreThoseThatItGets) {
  EXPECT_EQ((Exchange{"[0, 0]", 0}.bytes()), 280);
  EXPECT_EQ((Exchange{"[50, 0]"}.bytes()), 200);
}

TEST(CommBytes, OfSplitsThatAreCutOrGarbageAreThoseOfTheWholeInputAndSaid) {
  for (const Exchange& exchange :
       {Exchange{"[1, 2, ..., ...]"}, Exchange{"[24, 13, 13]", 50, 3}, Exchange{"[24, -13]"},
        Exchange{"24, 13"}, Exchange{"[24], [26]"}, Exchange{"["},
        Exchange{"[99999999999999999999, 1]"}}) {
    Diagnostics diagnostics;
    EXPECT_EQ(exchange.bytes(diagnostics), 200) << exchange.splits;
    EXPECT_EQ(diagnostics.count(Finding::kSplitsUnknown), 1U) << exchange.splits;
  }
  EXPECT_GT((Exchange{"[9223372036854775807, 9223372036854775807]"}.bytes()), 0);
}

TEST(CommBytes, ComeFromTheOtherSideWhereOneIsNotRecorded) {
  EXPECT_EQ(bytes_of("_allgather_base", -1, 400), 400);
  EXPECT_EQ(bytes_of("_reduce_scatter_base", -1, 100), 1600);
}

TEST(CommBytes, OfAbsurdCountsAreNotNegative) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (const char* name : {"allreduce", "_allgather_base", "_reduce_scatter_base", "scatter"})
    EXPECT_GE(bytes_of(name, most, most), 0) << name;
}

TEST(CommBytes, OfZeroAreCountedButForABarrier) {
  LinkedTrace linked;
  Diagnostics diagnostics;
  CommunicationMaker maker(linked, diagnostics);
  const auto make = [&](const char* collective, std::int64_t elements) {
    CommRecord record;
    record.collective = linked.strings.intern(collective);
    record.dtype = linked.strings.intern("Float");
    record.in_nelems = elements;
    maker.make(record, "ncclDevKernel_Generic");
  };
  for (const char* collective : {"allreduce", "barrier", "wait"}) make(collective, 100);
  make("barrier", 0);
  make("wait", 0);
  EXPECT_EQ(diagnostics.count(Finding::kCommSizeZero), 0U);
  make("allreduce", 0);
  make("alltoall_base", -1);
  EXPECT_EQ(diagnostics.count(Finding::kCommSizeZero), 2U);
  for (const Diagnostic& row : diagnostics.table()) {
    if (row.kind != Finding::kCommSizeZero) continue;
    EXPECT_EQ(severity_of(row.kind), Severity::kWarning);
    EXPECT_EQ(row.first.front(), "ALL_REDUCE (ncclDevKernel_Generic)");
  }
}

TEST(Messages, APeerThatAGraphCannotNameIsUnknown) {
  LinkedTrace linked;
  Diagnostics diagnostics;
  CommunicationMaker maker(linked, diagnostics);
  const auto send_to = [&](std::int64_t rank) {
    CommRecord record;
    record.collective = linked.strings.intern("send");
    record.dst_rank = rank;
    return maker.make(record, "ncclKernel_SendRecv");
  };
  EXPECT_EQ(send_to(2'147'483'647).dst, 2'147'483'647);
  EXPECT_EQ(send_to(2'147'483'648).kind, CommKind::kNone);
  linked.rank = 2'147'483'648;
  EXPECT_EQ(send_to(1).kind, CommKind::kNone);
  EXPECT_EQ(diagnostics.count(Finding::kPeerUnknown), 2U);
}

}  // namespace
}  // namespace nadi
