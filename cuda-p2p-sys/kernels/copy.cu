#include "pattern.cuh"

// Copies `bytes` bytes; either side may be a peer's memory. The ranges do not overlap. Where both have the same
// alignment, in 16-byte accesses with four loads in flight for each thread: the latency of a link is many times that
// of local memory. Elsewhere byte by byte.
extern "C" __global__ void cuda_p2p_copy(void *dst, const void *src, uint64_t bytes) {
    uint8_t *const to = static_cast<uint8_t *>(dst);
    const uint8_t *const from = static_cast<const uint8_t *>(src);
    const uint64_t id = cuda_p2p::global_thread_id(), count = cuda_p2p::global_thread_count();
    if ((reinterpret_cast<uintptr_t>(to) ^ reinterpret_cast<uintptr_t>(from)) % 16 != 0) {
        for (uint64_t i = id; i < bytes; i += count)
            to[i] = from[i];
        return;
    }

    const cuda_p2p::span16 span(to, bytes);
    uint8_t *const to_body = to + span.head;
    const uint8_t *const from_body = from + span.head;
    uint64_t i = id;
    for (; i + 3 * count < span.body; i += 4 * count) {
        const uint4 a = cuda_p2p::load16(from_body + 16 * i);
        const uint4 b = cuda_p2p::load16(from_body + 16 * (i + count));
        const uint4 c = cuda_p2p::load16(from_body + 16 * (i + 2 * count));
        const uint4 d = cuda_p2p::load16(from_body + 16 * (i + 3 * count));
        cuda_p2p::store16(to_body + 16 * i, a);
        cuda_p2p::store16(to_body + 16 * (i + count), b);
        cuda_p2p::store16(to_body + 16 * (i + 2 * count), c);
        cuda_p2p::store16(to_body + 16 * (i + 3 * count), d);
    }
    for (; i < span.body; i += count)
        cuda_p2p::store16(to_body + 16 * i, cuda_p2p::load16(from_body + 16 * i));
    for (uint64_t j = id; j < span.head; j += count)
        to[j] = from[j];
    for (uint64_t j = span.tail() + id; j < bytes; j += count)
        to[j] = from[j];
}
