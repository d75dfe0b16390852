#include <cuda_p2p/kernel.cuh>

// Holds so many words at once that a block of 1024 threads has too few registers for it: error 701 for such a launch.
extern "C" __global__ void test_many_registers(uint32_t *words) {
    constexpr int COUNT = 160;
    uint32_t held[COUNT];
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        held[i] = words[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        words[COUNT - 1 - i] = held[i] + threadIdx.x;
}
