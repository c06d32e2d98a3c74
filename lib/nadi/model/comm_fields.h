// The names of a communication record's fields where linked JSON carries it.
#pragma once

#include <array>
#include <string_view>

#include "nadi/model/comm_record.h"

namespace nadi {

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

}  // namespace nadi
