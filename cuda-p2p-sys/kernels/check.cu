#include "pattern.cuh"

// Set to {0, UINT64_MAX, 0} before the launch. Both counts are added to, modulo 2^64, so either may also start at any
// number: then what a launch adds shows that it took place.
struct cuda_p2p_check_result {
    uint64_t mismatches; // bytes that differ from the pattern
    uint64_t first;      // lowest offset of one
    uint64_t compared;   // bytes that were compared
};

namespace cuda_p2p {
namespace {

// What one thread has seen.
struct mismatches {
    uint64_t count = 0, first = UINT64_MAX, compared = 0;

    __device__ __forceinline__ void byte(uint8_t found, uint64_t seed, uint64_t offset) {
        compared++;
        if (found == pattern::byte(seed, offset))
            return;
        count++;
        first = offset < first ? offset : first;
    }
    __device__ __forceinline__ void word(uint32_t found, uint32_t expected, uint64_t offset) {
        compared += 4;
        const uint32_t difference = found ^ expected;
        if (difference == 0)
            return;
        for (unsigned i = 0; i < 4; i++) {
            if ((difference >> (8 * i) & 0xff) == 0)
                continue;
            count++;
            first = offset + i < first ? offset + i : first;
        }
    }
};

} // namespace
} // namespace cuda_p2p

// Compares `bytes` bytes from `src` with the pattern of `seed`; adds what it finds to `*out`.
extern "C" __global__ void cuda_p2p_check(const uint8_t *src, uint64_t bytes, uint64_t seed,
                                          cuda_p2p_check_result *out) {
    const cuda_p2p::span16 span(src, bytes);
    const uint64_t id = cuda_p2p::global_thread_id(), count = cuda_p2p::global_thread_count();
    cuda_p2p::mismatches seen;
    for (uint64_t i = id; i < span.body; i += count) {
        const uint64_t offset = span.head + 16 * i;
        const uint4 found = cuda_p2p::load16(src + offset);
        const uint4 expected = cuda_p2p::pattern::sixteen(seed, offset);
        seen.word(found.x, expected.x, offset);
        seen.word(found.y, expected.y, offset + 4);
        seen.word(found.z, expected.z, offset + 8);
        seen.word(found.w, expected.w, offset + 12);
    }
    for (uint64_t i = id; i < span.head; i += count)
        seen.byte(src[i], seed, i);
    for (uint64_t i = span.tail() + id; i < bytes; i += count)
        seen.byte(src[i], seed, i);
    if (seen.compared != 0)
        atomicAdd(&out->compared, seen.compared);
    if (seen.count != 0) {
        atomicAdd(&out->mismatches, seen.count);
        atomicMin(&out->first, seen.first);
    }
}
