#include <cuda_p2p/kernel.cuh>

// Follows `hops` pointers from `start`, each word holding the device address of the next, and writes the address that it
// arrives at, and behind it the number of its block: one thread, one load in flight, so the time is the latency. Relaxed system-scope loads pass the caches of
// the multiprocessor by. It is the first thread of block `block` (in x, of y and z the first); the others return at once. How far
// it is to the memory depends on the multiprocessor, and with a block for each the choice of one is the choice of the other.
extern "C" __global__ void cuda_p2p_chase(const uint64_t *start, uint64_t hops, uint32_t block, uint64_t *out_last) {
    if (cuda_p2p::global_thread_id() != uint64_t(block) * blockDim.x * blockDim.y * blockDim.z || block >= gridDim.x)
        return;
    const uint64_t *at = start;
    for (uint64_t hop = 0; hop < hops; hop++)
        at = reinterpret_cast<const uint64_t *>(static_cast<uintptr_t>(cuda_p2p::load_relaxed_system(at)));
    out_last[0] = reinterpret_cast<uintptr_t>(at);
    out_last[1] = blockIdx.x;
}
