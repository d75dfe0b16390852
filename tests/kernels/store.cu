#include <cuda_p2p/kernel.cuh>

// Writes one word, from the first thread of the grid.
extern "C" __global__ void test_store(uint32_t *place, uint32_t value) {
    if (cuda_p2p::global_thread_id() == 0)
        *place = value;
}

// Writes the index of each thread of the grid to its own word.
extern "C" __global__ void test_store_indices(uint32_t *words) {
    const uint64_t id = cuda_p2p::global_thread_id();
    words[id] = static_cast<uint32_t>(id);
}
