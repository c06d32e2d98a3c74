// The communication that traces record: operations and process groups.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/base/index.h"
#include "nadi/base/string_table.h"

namespace nadi {

/// One recorded communication operation (host: record_param_comms or attributes; device: args of a
/// kernel or of a record_param_comms row). Unknown numbers are -1, unknown text is empty.
struct CommRecord {
  StringId collective{};           ///< as recorded: "allreduce", "_allgather_base", "send", "wait"
  StringId dtype{};                ///< as recorded: "Float", "BFloat16"
  std::int64_t in_nelems = -1;     ///< "In msg nelems" / in_msg_nelems, elements
  std::int64_t out_nelems = -1;    ///< "Out msg nelems" / out_msg_nelems, elements
  std::int64_t input_bytes = -1;   ///< from the recorded tensors, bytes
  std::int64_t output_bytes = -1;  ///< from the recorded tensors, bytes
  StringId pg_name{};              ///< "Process Group Name" / pg_name; may be a hash
  StringId pg_desc{};              ///< "Process Group Description" / pg_desc
  std::int64_t group_size = -1;    ///< ranks in the group
  StringId group_ranks{};          ///< "Process Group Ranks" as text, cut after 30 entries
  std::int64_t rank_start = -1;    ///< "Global rank start" / global_rank_start
  std::int64_t rank_stride = -1;   ///< "Global rank stride" / global_rank_stride
  std::int64_t src_rank = -1;      ///< "Src Rank": global
  std::int64_t dst_rank = -1;      ///< "Dst Rank": global
  std::int64_t peer_rank = -1;     ///< "Rank" / positional argument: rank within the group
  std::int64_t seq = -1;           ///< "Seq" / positional argument
  bool is_p2p = false;             ///< the recorder said so ([seq, is_p2p], send, recv)
  /// "In split size", "Out split size" / in_split_size, out_split_size: lists as text, in device
  /// traces cut after 30 entries.
  StringId in_split{}, out_split{};
};
using CommIndex = Index<CommRecord>;

/// True for a list as text that was cut: "[0, 1, ..., ...]".
inline bool is_cut_list(std::string_view list) {
  return list.find("...") != std::string_view::npos;
}

/// All texts and numbers of a record, by their names in a linked JSON.
struct CommText {
  std::string_view name;
  StringId CommRecord::*member;  ///< kEmpty = not known
};
inline constexpr std::array kCommTexts{
    CommText{"collective", &CommRecord::collective},   CommText{"dtype", &CommRecord::dtype},
    CommText{"pg_name", &CommRecord::pg_name},         CommText{"pg_desc", &CommRecord::pg_desc},
    CommText{"group_ranks", &CommRecord::group_ranks}, CommText{"in_split", &CommRecord::in_split},
    CommText{"out_split", &CommRecord::out_split}};

struct CommNumber {
  std::string_view name;
  std::int64_t CommRecord::*member;  ///< -1 = not known
};
inline constexpr std::array kCommNumbers{CommNumber{"in_nelems", &CommRecord::in_nelems},
                                         CommNumber{"out_nelems", &CommRecord::out_nelems},
                                         CommNumber{"input_bytes", &CommRecord::input_bytes},
                                         CommNumber{"output_bytes", &CommRecord::output_bytes},
                                         CommNumber{"group_size", &CommRecord::group_size},
                                         CommNumber{"rank_start", &CommRecord::rank_start},
                                         CommNumber{"rank_stride", &CommRecord::rank_stride},
                                         CommNumber{"src_rank", &CommRecord::src_rank},
                                         CommNumber{"dst_rank", &CommRecord::dst_rank},
                                         CommNumber{"peer_rank", &CommRecord::peer_rank},
                                         CommNumber{"seq", &CommRecord::seq}};

/// A process group as `distributedInfo.pg_config` or the host trace's init node records it.
struct ProcessGroup {
  std::string name;                 ///< pg_name
  std::string desc;                 ///< pg_desc
  std::string backend_config;       ///< "cuda:nccl", …
  std::int64_t size = -1;           ///< ranks in it; -1 = not recorded
  std::vector<std::int64_t> ranks;  ///< global ranks; empty = all ranks, or not recorded in full
};

}  // namespace nadi
