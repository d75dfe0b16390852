#include <cuda_p2p/kernel.cuh>

// Turns the words of each block around, through static shared memory: right only if the barrier holds all threads up.
// Blocks of 64 threads.
extern "C" __global__ void __launch_bounds__(64) test_reverse_block(uint32_t *words) {
    CUDA_P2P_SHARED(uint32_t, turned, 64);
    const uint64_t id = cuda_p2p::global_thread_id();
    turned[threadIdx.x] = words[id];
    __syncthreads();
    words[id] = turned[blockDim.x - 1 - threadIdx.x];
}

// The same, through as much dynamic shared memory as the launch gives: one word a thread.
extern "C" __global__ void test_reverse_dynamic(uint32_t *words) {
    CUDA_P2P_DYNAMIC_SHARED(uint32_t, turned);
    const uint64_t id = cuda_p2p::global_thread_id();
    turned[threadIdx.x] = words[id];
    __syncthreads();
    words[id] = turned[blockDim.x - 1 - threadIdx.x];
}
