#include <assert.h>

#include <cuda_p2p/kernel.cuh>

// Ends the launch with error 719, which no other launch of the process outlives.
extern "C" __global__ void test_trap() {
    __trap();
}

// Ends the launch with error 710 unless `value` is 0.
extern "C" __global__ void test_assert(uint32_t value) {
    assert(value == 0);
}
