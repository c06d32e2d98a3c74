// Work cut into chunks that threads make in any order and one caller takes in order.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace nadi {

/// Calls make(chunk, worker, buffer) for chunk 0 … chunk_count - 1, each once, on `threads` threads
/// (0 = as many as the machine has; worker < the number used, one call at a time per worker), and
/// take(buffer) for each in chunk order on the calling thread. At most 2 x threads + 1 buffers
/// exist; they come back to `make` emptied but with their capacity. Throws what make or take
/// throws.
void make_in_order(
    std::size_t chunk_count, unsigned threads,
    const std::function<void(std::size_t chunk, unsigned worker, std::string& buffer)>& make,
    const std::function<void(const std::string& buffer)>& take);

/// The number of workers make_in_order uses: at least 1, at most chunk_count and 64.
unsigned worker_count(std::size_t chunk_count, unsigned threads);

}  // namespace nadi
