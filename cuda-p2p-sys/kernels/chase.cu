#include <cuda_p2p/kernel.cuh>

// Follows `hops` pointers from `start`, each word holding the device address of the next, and writes the address that it
// arrives at: one thread, one load in flight, so the time is the latency. Relaxed system-scope loads pass the caches of
// the multiprocessor by.
extern "C" __global__ void cuda_p2p_chase(const uint64_t *start, uint64_t hops, uint64_t *out_last) {
    if (cuda_p2p::global_thread_id() != 0)
        return;
    const uint64_t *at = start;
    for (uint64_t hop = 0; hop < hops; hop++)
        at = reinterpret_cast<const uint64_t *>(static_cast<uintptr_t>(cuda_p2p::load_relaxed_system(at)));
    *out_last = reinterpret_cast<uintptr_t>(at);
}
