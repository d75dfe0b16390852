// What the compiler calls before plain loads and stores when it instruments (-fsanitize=thread), under the names that
// gcc and clang fix. Compiled into every kernel archive, without instrumentation and without a sanitizer's runtime.
#include "hooks.h"

// Two forms of each: `check_aligned` for a place that the compiler takes for aligned, by its type, and `check` for one that
// it knows may not be: packed, or copied byte by byte. nvcc draws the same line, and takes narrower accesses for the latter.
#define READ(name, bytes, check)                                                                                      \
    WEAK void __tsan_##name(void *address) {                                                                          \
        check(address, bytes, CUDA_P2P_READ);                                                                         \
    }
#define WRITE(name, bytes, check)                                                                                     \
    WEAK void __tsan_##name(void *address) {                                                                          \
        check(address, bytes, CUDA_P2P_WRITE);                                                                        \
    }
// A plain load and a plain store of the same place, told in one call: not an atomic.
#define READ_WRITE(name, bytes, check)                                                                                \
    WEAK void __tsan_##name(void *address) {                                                                          \
        check(address, bytes, CUDA_P2P_READ);                                                                         \
        check(address, bytes, CUDA_P2P_WRITE);                                                                        \
    }

extern "C" {

#define SIZED(bytes)                                                                                                  \
    READ(read##bytes, bytes, check_aligned)                                                                           \
    READ(read##bytes##_pc, bytes, check_aligned)                                                                      \
    READ(volatile_read##bytes, bytes, check_aligned)                                                                  \
    WRITE(write##bytes, bytes, check_aligned)                                                                         \
    WRITE(write##bytes##_pc, bytes, check_aligned)                                                                    \
    WRITE(volatile_write##bytes, bytes, check_aligned)                                                                \
    READ_WRITE(read_write##bytes, bytes, check_aligned)
SIZED(1)
SIZED(2)
SIZED(4)
SIZED(8)
SIZED(16)

#define UNALIGNED(bytes)                                                                                              \
    READ(unaligned_read##bytes, bytes, check)                                                                         \
    READ(unaligned_volatile_read##bytes, bytes, check)                                                                \
    WRITE(unaligned_write##bytes, bytes, check)                                                                       \
    WRITE(unaligned_volatile_write##bytes, bytes, check)                                                              \
    READ_WRITE(unaligned_read_write##bytes, bytes, check)
UNALIGNED(2)
UNALIGNED(4)
UNALIGNED(8)
UNALIGNED(16)

WEAK void __tsan_read_range(void *address, size_t bytes) {
    check_range(address, bytes, CUDA_P2P_READ);
}
WEAK void __tsan_write_range(void *address, size_t bytes) {
    check_range(address, bytes, CUDA_P2P_WRITE);
}
WEAK void __tsan_read_range_pc(void *address, size_t bytes, void *) {
    check_range(address, bytes, CUDA_P2P_READ);
}
WEAK void __tsan_write_range_pc(void *address, size_t bytes, void *) {
    check_range(address, bytes, CUDA_P2P_WRITE);
}
WEAK void __tsan_vptr_read(void **address) {
    check(address, sizeof(void *), CUDA_P2P_READ);
}
WEAK void __tsan_vptr_update(void **address, void *) {
    check(address, sizeof(void *), CUDA_P2P_WRITE);
}

WEAK void *__tsan_memcpy(void *to, const void *from, size_t bytes) {
    check_range(to, bytes, CUDA_P2P_WRITE);
    check_source(from, bytes);
    return memcpy(to, from, bytes);
}
WEAK void *__tsan_memmove(void *to, const void *from, size_t bytes) {
    check_range(to, bytes, CUDA_P2P_WRITE);
    check_source(from, bytes);
    return memmove(to, from, bytes);
}
WEAK void *__tsan_memset(void *to, int value, size_t bytes) {
    check_range(to, bytes, CUDA_P2P_WRITE);
    return memset(to, value, bytes);
}

// Called, but of no interest here.
WEAK void __tsan_init() {}
WEAK void __tsan_func_entry(void *) {}
WEAK void __tsan_func_exit() {}
WEAK void __tsan_ignore_thread_begin() {}
WEAK void __tsan_ignore_thread_end() {}

} // extern "C"
