// What the compiler calls in place of atomic operations when it instruments: the check, then the operation itself, in
// sequentially consistent order (stronger than asked for, which is always allowed).
#include "hooks.h"

#define FETCH(type, bits, name)                                                                                       \
    WEAK type __tsan_atomic##bits##_fetch_##name(volatile type *address, type value, int) {                           \
        check_aligned(address, sizeof(type), CUDA_P2P_ATOMIC);                                                        \
        return __atomic_fetch_##name(address, value, __ATOMIC_SEQ_CST);                                               \
    }

#define ATOMIC(type, bits)                                                                                            \
    WEAK type __tsan_atomic##bits##_load(const volatile type *address, int) {                                         \
        check_aligned(address, sizeof(type), CUDA_P2P_READ);                                                          \
        return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                                            \
    }                                                                                                                 \
    WEAK void __tsan_atomic##bits##_store(volatile type *address, type value, int) {                                  \
        check_aligned(address, sizeof(type), CUDA_P2P_WRITE);                                                         \
        __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                                           \
    }                                                                                                                 \
    WEAK type __tsan_atomic##bits##_exchange(volatile type *address, type value, int) {                               \
        check_aligned(address, sizeof(type), CUDA_P2P_ATOMIC);                                                        \
        return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                                                 \
    }                                                                                                                 \
    FETCH(type, bits, add)                                                                                            \
    FETCH(type, bits, sub)                                                                                            \
    FETCH(type, bits, and)                                                                                            \
    FETCH(type, bits, or)                                                                                             \
    FETCH(type, bits, xor)                                                                                            \
    FETCH(type, bits, nand)                                                                                           \
    WEAK int __tsan_atomic##bits##_compare_exchange_strong(volatile type *address, type *expected, type desired, int, \
                                                           int) {                                                     \
        check_aligned(address, sizeof(type), CUDA_P2P_ATOMIC);                                                        \
        return __atomic_compare_exchange_n(address, expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);    \
    }                                                                                                                 \
    WEAK int __tsan_atomic##bits##_compare_exchange_weak(volatile type *address, type *expected, type desired, int,   \
                                                         int) {                                                       \
        check_aligned(address, sizeof(type), CUDA_P2P_ATOMIC);                                                        \
        return __atomic_compare_exchange_n(address, expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);    \
    }                                                                                                                 \
    WEAK type __tsan_atomic##bits##_compare_exchange_val(volatile type *address, type expected, type desired, int,    \
                                                         int) {                                                       \
        check_aligned(address, sizeof(type), CUDA_P2P_ATOMIC);                                                        \
        __atomic_compare_exchange_n(address, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);          \
        return expected;                                                                                              \
    }

extern "C" {

ATOMIC(uint8_t, 8)
ATOMIC(uint16_t, 16)
ATOMIC(uint32_t, 32)
ATOMIC(uint64_t, 64)

WEAK void __tsan_atomic_thread_fence(int) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
WEAK void __tsan_atomic_signal_fence(int) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

} // extern "C"
