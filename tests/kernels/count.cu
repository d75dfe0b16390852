#include <cuda_p2p/kernel.cuh>

// Each thread adds 1 to the word `times` times, so that no other device's addition in between is lost.
extern "C" __global__ void test_count(uint32_t *word, uint32_t times) {
    for (uint32_t i = 0; i < times; ++i)
        atomicAdd_system(word, 1u);
}
