#include <cuda_p2p/kernel.cuh>

// y = a * x + y, where x lies in a peer's memory.
extern "C" __global__ void saxpy_peer(float a, const float *x_peer, float *y, uint64_t n) {
    const uint64_t i = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x_peer[i] + y[i];
}
