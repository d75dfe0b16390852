#include "pattern.cuh"

// Writes the pattern of `seed` to `bytes` bytes from `dst`. Any alignment, any size, any grid in x.
extern "C" __global__ void cuda_p2p_fill(uint8_t *dst, uint64_t bytes, uint64_t seed) {
    const cuda_p2p::span16 span(dst, bytes);
    const uint64_t id = cuda_p2p::global_thread_id(), count = cuda_p2p::global_thread_count();
    for (uint64_t i = id; i < span.body; i += count) {
        const uint64_t offset = span.head + 16 * i;
        cuda_p2p::store16(dst + offset, cuda_p2p::pattern::sixteen(seed, offset));
    }
    for (uint64_t i = id; i < span.head; i += count)
        dst[i] = cuda_p2p::pattern::byte(seed, i);
    for (uint64_t i = span.tail() + id; i < bytes; i += count)
        dst[i] = cuda_p2p::pattern::byte(seed, i);
}
