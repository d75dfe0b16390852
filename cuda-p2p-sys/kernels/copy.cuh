// A copy by a whole grid in ordinary accesses: what copy.cu is, and what copy_bulk.cu falls back to.
#ifndef CUDA_P2P_COPY_CUH
#define CUDA_P2P_COPY_CUH

#include "pattern.cuh"

namespace cuda_p2p {

// Copies `bytes` bytes; either side may be a peer's memory. The ranges do not overlap. Where both have the same
// alignment, in 16-byte accesses with four loads in flight for each thread: the latency of a link is many times that
// of local memory. Elsewhere byte by byte.
__device__ __forceinline__ void copy_plainly(void *dst, const void *src, uint64_t bytes) {
    uint8_t *const to = static_cast<uint8_t *>(dst);
    const uint8_t *const from = static_cast<const uint8_t *>(src);
    const uint64_t id = global_thread_id(), count = global_thread_count();
    if ((reinterpret_cast<uintptr_t>(to) ^ reinterpret_cast<uintptr_t>(from)) % 16 != 0) {
        for (uint64_t i = id; i < bytes; i += count)
            to[i] = from[i];
        return;
    }

    const span16 span(to, bytes);
    uint8_t *const to_body = to + span.head;
    const uint8_t *const from_body = from + span.head;
    uint64_t i = id;
    for (; i + 3 * count < span.body; i += 4 * count) {
        const uint4 a = load16(from_body + 16 * i);
        const uint4 b = load16(from_body + 16 * (i + count));
        const uint4 c = load16(from_body + 16 * (i + 2 * count));
        const uint4 d = load16(from_body + 16 * (i + 3 * count));
        store16(to_body + 16 * i, a);
        store16(to_body + 16 * (i + count), b);
        store16(to_body + 16 * (i + 2 * count), c);
        store16(to_body + 16 * (i + 3 * count), d);
    }
    for (; i < span.body; i += count)
        store16(to_body + 16 * i, load16(from_body + 16 * i));
    for (uint64_t j = id; j < span.head; j += count)
        to[j] = from[j];
    for (uint64_t j = span.tail() + id; j < bytes; j += count)
        to[j] = from[j];
}

} // namespace cuda_p2p

#endif
