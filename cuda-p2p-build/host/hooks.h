// Shared by the translation units of the shim.
#ifndef CUDA_P2P_HOOKS_H
#define CUDA_P2P_HOOKS_H

#include <stdio.h>
#include <string.h>

#include "cuda_p2p/host/shim.h"

// Weak: with several kernel archives in one program the first definition serves all. Hidden: none is exported from a
// shared library, where it would stand in for a real sanitizer's.
#define WEAK __attribute__((weak, visibility("hidden")))

extern "C" {

extern __attribute__((visibility("hidden"))) const struct cuda_p2p_hooks *cuda_p2p_v1_hooks;

// Bounds of the loaded image that holds this code, from the linker.
extern const char __ehdr_start[] WEAK;
extern const char _end[] WEAK;

} // extern "C"

// Null while the static constructors of the program run: there is no device yet, and nothing to check.
static inline void check(const volatile void *address, size_t bytes, uint32_t kind) {
    if (cuda_p2p_v1_hooks != nullptr)
        cuda_p2p_v1_hooks->access(address, bytes, kind);
}

// An access whose address the compiler took for a multiple of its size, since the type is aligned so. Of 16 bytes they say the
// same where 8 is enough; vectors.h looks at those that need 16.
static inline void check_aligned(const volatile void *address, size_t bytes, uint32_t kind) {
    const size_t alignment = bytes < 8 ? bytes : 8;
    const bool aligned = (reinterpret_cast<uintptr_t>(address) & (alignment - 1)) == 0;
    check(address, bytes, aligned ? kind : kind | CUDA_P2P_MISALIGNED);
}

static inline void check_range(const volatile void *address, size_t bytes, uint32_t kind) {
    if (bytes != 0)
        check(address, bytes, kind);
}

// Compilers fill a local table by a copy from a constant in the program's image. On a GPU that constant is part of the
// kernel; here it is no device's memory, and must be readable all the same. So a copy from a variable of the host's
// program passes too, where a GPU would fault: only a copy, not a plain load.
static inline void check_source(const void *address, size_t bytes) {
    const char *at = static_cast<const char *>(address);
    if (at >= __ehdr_start && at < _end)
        return;
    check_range(address, bytes, CUDA_P2P_READ);
}

#endif
