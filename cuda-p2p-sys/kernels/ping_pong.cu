#include <cuda_p2p/kernel.cuh>

namespace cuda_p2p {
namespace {

// How flags are read and written: in order with what stands before and after, or only the flags themselves, as soon as can be.
struct ordered {
    static __device__ __forceinline__ uint32_t load(const uint32_t *flag) { return load_acquire_system(flag); }
    static __device__ __forceinline__ void store(uint32_t *flag, uint32_t value) { store_release_system(flag, value); }
};
struct relaxed {
    static __device__ __forceinline__ uint32_t load(const uint32_t *flag) { return load_relaxed_system(flag); }
    static __device__ __forceinline__ void store(uint32_t *flag, uint32_t value) { store_relaxed_system(flag, value); }
};

// Waits until `*flag` has reached `round`; false if that takes longer than `timeout_ns`, counted from the first polls on. The
// bound holds in every build: without it, a peer that never comes would hang the device.
template <typename Access>
__device__ __forceinline__ bool wait_for(const uint32_t *flag, uint32_t round, uint64_t timeout_ns) {
    uint64_t start = 0;
    for (;;) {
        // Unrolled, for the next poll to follow the last at once.
#pragma unroll
        for (int spin = 0; spin < 32; spin++) {
            if (Access::load(flag) >= round)
                return true;
        }
        // Only now: the timer is slow to read beside the flag.
        const uint64_t now = global_timer_ns();
        if (start == 0)
            start = now;
        else if (now - start > timeout_ns)
            return false;
        spin_hint();
    }
}

// One side of a game of `rounds` rounds between two kernels, each one thread: side 0 sets the other's flag to the round
// and waits for its own, side 1 waits and then answers. `mine` is polled (best in own memory), `theirs` is written (the
// other's `mine`); both start at 0. `timeout_ns` bounds each wait. `*status`: 0 all rounds played, else the round whose
// wait ran out of time.
//
// Between the poll that finds a flag and the store behind it stands nothing that could be done before: no question of sides,
// and no load of a parameter.
template <typename Access>
__device__ void play(uint32_t *mine, uint32_t *theirs, uint32_t rounds, uint32_t side, uint64_t timeout_ns,
                     uint32_t *status) {
    if (global_thread_id() != 0)
        return;
    // Adds nothing, as this is thread 0. But the compiler keeps a sum in registers, where it would load a mere parameter anew before
    // each store.
    theirs += threadIdx.x;
    // Side 0 is one store ahead, and has none behind its last wait.
    const uint32_t ahead = side == 0 && rounds != 0 ? 1 : 0;
    if (ahead)
        Access::store(theirs, 1);
    // A count from 0: `round <= rounds` would never end for the largest number of rounds.
    uint32_t played = 0;
    for (; played < rounds - ahead; played++) {
        const uint32_t round = played + 1;
        if (!wait_for<Access>(mine, round, timeout_ns)) {
            *status = round;
            return;
        }
        Access::store(theirs, round + ahead);
    }
    *status = ahead && !wait_for<Access>(mine, rounds, timeout_ns) ? rounds : 0;
}

} // namespace
} // namespace cuda_p2p

// A game by release and acquire: what kernels do that pass data.
extern "C" __global__ void cuda_p2p_ping_pong(uint32_t *mine, uint32_t *theirs, uint32_t rounds, uint32_t side,
                                              uint64_t timeout_ns, uint32_t *status) {
    cuda_p2p::play<cuda_p2p::ordered>(mine, theirs, rounds, side, timeout_ns, status);
}

// A game in which only the flags themselves travel: what a link takes.
extern "C" __global__ void cuda_p2p_flag_rounds(uint32_t *mine, uint32_t *theirs, uint32_t rounds, uint32_t side,
                                                uint64_t timeout_ns, uint32_t *status) {
    cuda_p2p::play<cuda_p2p::relaxed>(mine, theirs, rounds, side, timeout_ns, status);
}
