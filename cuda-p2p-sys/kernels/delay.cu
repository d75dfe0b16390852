#include <cuda_p2p/kernel.cuh>

namespace cuda_p2p {
namespace {

__device__ void spin_for(uint64_t ns) {
    const uint64_t start = global_timer_ns();
    while (global_timer_ns() - start < ns)
        spin_hint();
}

} // namespace
} // namespace cuda_p2p

// Keeps the device busy for `ns` nanoseconds: makes what is asynchronous visible.
extern "C" __global__ void cuda_p2p_delay(uint64_t ns) {
    cuda_p2p::spin_for(ns);
}

// Writes `value` to `*dst` after `ns` nanoseconds.
extern "C" __global__ void cuda_p2p_delayed_store(uint32_t *dst, uint32_t value, uint64_t ns) {
    if (cuda_p2p::global_thread_id() != 0)
        return;
    cuda_p2p::spin_for(ns);
    cuda_p2p::store_release_system(dst, value);
}
