#include "copy.cuh"

// Copies `bytes` bytes by the copy unit of each multiprocessor, which moves whole chunks between global and shared memory
// while the threads wait: a few blocks keep a link busy, and leave the rest of the device to other work. Either side may be a
// peer's memory. The ranges do not overlap. Any alignment, any size, any launch shape.
//
// One thread of each block moves chunks of `chunk` bytes, as many at a time as the launch's dynamic shared memory has room
// for, each with 8 bytes beside it. The copy is an ordinary one on devices before sm_90, where the two sides have different
// alignments, where `chunk` is no multiple of 16, and where there is no room for more chunks than are on their way out.

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

namespace cuda_p2p {
namespace {

// Chunks whose store may still read shared memory when the next load is started.
constexpr uint32_t STORES_BEHIND = 3;

__device__ __forceinline__ uint32_t dynamic_shared_bytes() {
    uint32_t bytes;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
    return bytes;
}

// `address` and `barrier` are addresses of shared memory.
__device__ __forceinline__ void bulk_load(uint32_t address, const uint8_t *from, uint32_t bytes, uint32_t barrier) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" : : "r"(barrier), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :
                 : "r"(address), "l"(from), "r"(bytes), "r"(barrier)
                 : "memory");
}

__device__ __forceinline__ void bulk_store(uint8_t *to, uint32_t address, uint32_t bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                 :
                 : "l"(to), "r"(address), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" : : : "memory");
}

__device__ __forceinline__ void wait_for_load(uint32_t barrier, uint32_t phase) {
    uint32_t done;
    do {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(barrier), "r"(phase)
                     : "memory");
    } while (done == 0);
}

// By one thread of each block. Both addresses and `bytes` are multiples of 16, and `stages` is more than STORES_BEHIND.
__device__ void copy_in_bulk(uint8_t *to, const uint8_t *from, uint64_t bytes, uint32_t chunk, uint32_t stages,
                             uint64_t block, uint64_t blocks) {
    const uint32_t buffers = uint32_t(__cvta_generic_to_shared(cuda_p2p_dynamic_shared_bytes));
    const uint32_t barriers = buffers + stages * chunk;
    for (uint32_t stage = 0; stage < stages; stage++)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" : : "r"(barriers + 8 * stage) : "memory");
    // The copy unit is to see the barriers.
    asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory");
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");

    const uint64_t chunks = (bytes + chunk - 1) / chunk;
    const auto size = [&](uint64_t index) { return uint32_t(min(uint64_t(chunk), bytes - index * chunk)); };
    uint64_t next = block; // the next chunk to load, into `next_stage`
    uint32_t next_stage = 0;
    const auto load_next = [&] {
        bulk_load(buffers + next_stage * chunk, from + next * chunk, size(next), barriers + 8 * next_stage);
        next += blocks;
        next_stage = next_stage + 1 == stages ? 0 : next_stage + 1;
    };
    for (uint32_t ahead = STORES_BEHIND; ahead < stages && next < chunks; ahead++)
        load_next();
    uint32_t stage = 0, phase = 0;
    for (uint64_t index = block; index < chunks; index += blocks) {
        wait_for_load(barriers + 8 * stage, phase);
        bulk_store(to + index * chunk, buffers + stage * chunk, size(index));
        if (next < chunks) {
            // The stage that comes next is that of the store before these.
            asm volatile("cp.async.bulk.wait_group.read %0;" : : "n"(STORES_BEHIND) : "memory");
            load_next();
        }
        if (++stage == stages) {
            stage = 0;
            phase ^= 1;
        }
    }
    asm volatile("cp.async.bulk.wait_group 0;" : : : "memory");
}

} // namespace
} // namespace cuda_p2p

extern "C" __global__ void cuda_p2p_copy_bulk(void *dst, const void *src, uint64_t bytes, uint32_t chunk) {
    uint8_t *const to = static_cast<uint8_t *>(dst);
    const uint8_t *const from = static_cast<const uint8_t *>(src);
    const bool aligned_alike = (reinterpret_cast<uintptr_t>(to) ^ reinterpret_cast<uintptr_t>(from)) % 16 == 0;
    const uint32_t stages = chunk == 0 || chunk % 16 != 0 ? 0 : cuda_p2p::dynamic_shared_bytes() / (uint64_t(chunk) + 8);
    if (!aligned_alike || stages <= cuda_p2p::STORES_BEHIND) {
        cuda_p2p::copy_plainly(to, from, bytes);
        return;
    }
    const cuda_p2p::span16 span(to, bytes);
    if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) {
        const uint64_t block = (uint64_t(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
        const uint64_t blocks = uint64_t(gridDim.x) * gridDim.y * gridDim.z;
        cuda_p2p::copy_in_bulk(to + span.head, from + span.head, 16 * span.body, chunk, stages, block, blocks);
    }
    // At most 15 bytes on either side.
    const uint64_t id = cuda_p2p::global_thread_id(), count = cuda_p2p::global_thread_count();
    for (uint64_t i = id; i < span.head; i += count)
        to[i] = from[i];
    for (uint64_t i = span.tail() + id; i < bytes; i += count)
        to[i] = from[i];
}

#else

extern "C" __global__ void cuda_p2p_copy_bulk(void *dst, const void *src, uint64_t bytes, uint32_t chunk) {
    (void)chunk;
    cuda_p2p::copy_plainly(dst, src, bytes);
}

#endif
