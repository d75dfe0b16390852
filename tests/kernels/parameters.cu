#include <cuda_p2p/kernel.cuh>

// Parameters of four sizes, so that their offsets have gaps.
extern "C" __global__ void test_parameters(uint8_t one, uint16_t two, uint32_t four, uint64_t eight, uint64_t *sum) {
    *sum = one + two + four + eight;
}
