#include <cuda_p2p/kernel.cuh>

struct __attribute__((packed)) packed_word {
    uint32_t word;
};

// One load at `place`, of the width and sort that `sort` says; what it gave goes to `seen`.
extern "C" __global__ void test_load(const void *place, uint32_t sort, uint64_t *seen) {
    switch (sort) {
    case 1:
        *seen = *static_cast<const uint8_t *>(place);
        break;
    case 2:
        *seen = *static_cast<const uint16_t *>(place);
        break;
    case 4:
        *seen = *static_cast<const uint32_t *>(place);
        break;
    case 8:
        *seen = *static_cast<const uint64_t *>(place);
        break;
    case 16: {
        const uint4 value = cuda_p2p::load16(place);
        *seen = uint64_t(value.x) + value.y + value.z + value.w;
        break;
    }
    case 208: {
        const uint2 value = *static_cast<const uint2 *>(place);
        *seen = uint64_t(value.x) + value.y;
        break;
    }
    case 416: {
        const float4 value = *static_cast<const float4 *>(place);
        *seen = uint64_t(value.x + value.y + value.z + value.w);
        break;
    }
    case 312: {
        const float3 value = *static_cast<const float3 *>(place);
        *seen = uint64_t(value.x + value.y + value.z);
        break;
    }
    case 1004:
        *seen = cuda_p2p::load_acquire_system(static_cast<const uint32_t *>(place));
        break;
    case 1008:
        *seen = cuda_p2p::load_relaxed_system(static_cast<const uint64_t *>(place));
        break;
    case 2004:
        *seen = static_cast<const packed_word *>(place)->word;
        break;
    default:
        *seen = UINT64_MAX;
    }
}

// One store or addition at `place`, of the width and sort that `sort` says, of ones in each of its parts.
extern "C" __global__ void test_write(void *place, uint32_t sort) {
    switch (sort) {
    case 1:
        *static_cast<uint8_t *>(place) = 1;
        break;
    case 2:
        *static_cast<uint16_t *>(place) = 1;
        break;
    case 4:
        *static_cast<uint32_t *>(place) = 1;
        break;
    case 8:
        *static_cast<uint64_t *>(place) = 1;
        break;
    case 16:
        cuda_p2p::store16(place, make_uint4(1, 1, 1, 1));
        break;
    case 208:
        *static_cast<uint2 *>(place) = make_uint2(1, 1);
        break;
    case 416:
        *static_cast<uint4 *>(place) = make_uint4(1, 1, 1, 1);
        break;
    case 312:
        *static_cast<uint3 *>(place) = make_uint3(1, 1, 1);
        break;
    case 1004:
        cuda_p2p::store_release_system(static_cast<uint32_t *>(place), 1u);
        break;
    case 1008:
        cuda_p2p::store_relaxed_system(static_cast<uint64_t *>(place), uint64_t(1));
        break;
    case 2004:
        static_cast<packed_word *>(place)->word = 1;
        break;
    case 3004:
        atomicAdd(static_cast<uint32_t *>(place), 1u);
        break;
    case 3008:
        atomicAdd_system(static_cast<uint64_t *>(place), uint64_t(1));
        break;
    default:
        break;
    }
}

// Stores a word `offset` bytes into the block's dynamic shared memory, and gives it back.
extern "C" __global__ void test_shared_word(uint32_t offset, uint32_t *seen) {
    CUDA_P2P_DYNAMIC_SHARED(unsigned char, bytes);
    uint32_t *const word = reinterpret_cast<uint32_t *>(bytes + offset);
    *word = 7;
    __syncthreads();
    *seen = *word;
}
