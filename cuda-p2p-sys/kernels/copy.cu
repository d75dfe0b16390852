#include "copy.cuh"

// Copies `bytes` bytes; either side may be a peer's memory. The ranges do not overlap. Any alignment, any size, any grid.
extern "C" __global__ void cuda_p2p_copy(void *dst, const void *src, uint64_t bytes) {
    cuda_p2p::copy_plainly(dst, src, bytes);
}
