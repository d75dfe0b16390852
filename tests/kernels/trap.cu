#include <cuda_p2p/kernel.cuh>

// Ends the launch with error 719, which no other launch of the process outlives.
extern "C" __global__ void test_trap() {
    __trap();
}
