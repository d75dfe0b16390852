#include <cuda_p2p/kernel.cuh>

// Waits until `*flag` is `value`, then reads `*data`, and writes it to `*seen`. Gives up after `limit_ns`, so that a
// machine on which the flag never arrives does not hang; `*seen` is then as it was.
extern "C" __global__ void test_wait_for_flag(const uint32_t *flag, uint32_t value, const uint32_t *data,
                                              uint32_t *seen, uint64_t limit_ns) {
    const uint64_t start = cuda_p2p::global_timer_ns();
    while (cuda_p2p::load_acquire_system(flag) != value) {
        if (cuda_p2p::global_timer_ns() - start > limit_ns)
            return;
        cuda_p2p::spin_hint();
    }
    *seen = *data;
}

// Writes `data`, then the flag that says so.
extern "C" __global__ void test_raise_flag(uint32_t *data, uint32_t value, uint32_t *flag, uint32_t raised) {
    *data = value;
    cuda_p2p::store_release_system(flag, raised);
}
