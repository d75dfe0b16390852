// Two kernels that pass a flag there and back, as plainly as can be: for raw_peer, and for tests/cost, which plays them in turns with
// this project's. Each polls a word of its own memory and writes one of the other's.
#pragma once

#include <stdint.h>

#ifdef __CUDACC__
#define ROUNDS_STORE_RELEASE(to, value) asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory")
#define ROUNDS_LOAD_ACQUIRE(value, from) asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory")
#else
#define ROUNDS_STORE_RELEASE(to, value) __atomic_store_n(to, value, __ATOMIC_RELEASE)
#define ROUNDS_LOAD_ACQUIRE(value, from) value = __atomic_load_n(from, __ATOMIC_ACQUIRE)
#endif

extern "C" __global__ void rounds_plain(uint32_t *own, uint32_t *other, uint32_t rounds, uint32_t begins) {
    volatile uint32_t *const mine = own, *const theirs = other;
    for (uint32_t round = 1; round <= rounds; round++) {
        if (begins)
            *theirs = round;
        while (*mine < round) {
        }
        if (!begins)
            *theirs = round;
    }
}

// The same by release and acquire.
extern "C" __global__ void rounds_ordered(uint32_t *mine, uint32_t *theirs, uint32_t rounds, uint32_t begins) {
    for (uint32_t round = 1; round <= rounds; round++) {
        if (begins)
            ROUNDS_STORE_RELEASE(theirs, round);
        uint32_t seen;
        do {
            ROUNDS_LOAD_ACQUIRE(seen, mine);
        } while (seen < round);
        if (!begins)
            ROUNDS_STORE_RELEASE(theirs, round);
    }
}
