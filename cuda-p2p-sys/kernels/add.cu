#include <cuda_p2p/kernel.cuh>

// y[i] += peer_x[i]: a reduction's step. Vectors of four where both are aligned for them.
extern "C" __global__ void cuda_p2p_add_f32(float *y, const float *peer_x, uint64_t n) {
    const uint64_t id = cuda_p2p::global_thread_id(), count = cuda_p2p::global_thread_count();
    uint64_t done = 0;
    if ((reinterpret_cast<uintptr_t>(y) | reinterpret_cast<uintptr_t>(peer_x)) % 16 == 0) {
        float4 *const y4 = reinterpret_cast<float4 *>(y);
        const float4 *const x4 = reinterpret_cast<const float4 *>(peer_x);
        for (uint64_t i = id; i < n / 4; i += count) {
            const float4 a = y4[i], b = x4[i];
            y4[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
        }
        done = n / 4 * 4;
    }
    for (uint64_t i = done + id; i < n; i += count)
        y[i] += peer_x[i];
}
