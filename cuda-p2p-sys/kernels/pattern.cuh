// The test pattern: what fill.cu writes and check.cu expects. A host computes the same bytes so:
//
//   word(seed, i) = mix(seed + (i + 1) * 0x9e3779b97f4a7c15)       (64 bits, wrapping; splitmix64)
//   mix(z): z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9; z = (z ^ z >> 27) * 0x94d049bb133111eb; return z ^ z >> 31
//   byte(seed, n) = word(seed, n / 8) >> (8 * (n % 8))             (its low 8 bits: words are little endian)
//
// `n` counts from the start of the buffer, whatever its address: the pattern does not depend on alignment.
#ifndef CUDA_P2P_PATTERN_CUH
#define CUDA_P2P_PATTERN_CUH

#include <cuda_p2p/kernel.cuh>

namespace cuda_p2p {
namespace pattern {

__device__ __forceinline__ uint64_t word(uint64_t seed, uint64_t index) {
    uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

__device__ __forceinline__ uint8_t byte(uint64_t seed, uint64_t offset) {
    return uint8_t(word(seed, offset / 8) >> (8 * (offset % 8)));
}

// Eight bytes from any offset.
__device__ __forceinline__ uint64_t eight(uint64_t seed, uint64_t offset) {
    const uint64_t low = word(seed, offset / 8);
    const unsigned shift = 8 * unsigned(offset % 8);
    return shift == 0 ? low : low >> shift | word(seed, offset / 8 + 1) << (64 - shift);
}

// Sixteen bytes from any offset, as one store takes them.
__device__ __forceinline__ uint4 sixteen(uint64_t seed, uint64_t offset) {
    const uint64_t a = eight(seed, offset), b = eight(seed, offset + 8);
    return make_uint4(uint32_t(a), uint32_t(a >> 32), uint32_t(b), uint32_t(b >> 32));
}

} // namespace pattern

// A buffer as 16-byte accesses see it: `head` bytes up to the first aligned address, `body` whole groups, the rest.
struct span16 {
    uint64_t head, body;

    __device__ __forceinline__ span16(const void *start, uint64_t bytes) {
        const uint64_t to_aligned = (16 - reinterpret_cast<uintptr_t>(start) % 16) % 16;
        head = to_aligned < bytes ? to_aligned : bytes;
        body = (bytes - head) / 16;
    }
    // Offset of the first byte after the body.
    __device__ __forceinline__ uint64_t tail() const {
        return head + 16 * body;
    }
};

} // namespace cuda_p2p

#endif
