#include <cuda_p2p/kernel.cuh>

// y = a * x + y, where x lies in a peer's memory. Strides by the grid: right in any launch shape.
extern "C" __global__ void saxpy_peer(float a, const float *x_peer, float *y, uint64_t n) {
    for (uint64_t i = cuda_p2p::global_thread_id(); i < n; i += cuda_p2p::global_thread_count())
        y[i] = a * x_peer[i] + y[i];
}
