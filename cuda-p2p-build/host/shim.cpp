// The functions of cuda_p2p/host/shim.h: from a host-compiled kernel to the simulator's hooks. Compiled into every
// kernel archive, without instrumentation.
#include "hooks.h"

extern "C" {

WEAK const struct cuda_p2p_hooks *cuda_p2p_v1_hooks = nullptr;

WEAK void cuda_p2p_v1_bind(const struct cuda_p2p_hooks *hooks) {
    cuda_p2p_v1_hooks = hooks;
}

WEAK struct cuda_p2p_dim3 cuda_p2p_v1_thread_idx() {
    return cuda_p2p_v1_hooks->current()->thread_idx;
}
WEAK struct cuda_p2p_dim3 cuda_p2p_v1_block_idx() {
    return cuda_p2p_v1_hooks->current()->block_idx;
}
WEAK struct cuda_p2p_dim3 cuda_p2p_v1_block_dim() {
    return cuda_p2p_v1_hooks->current()->block_dim;
}
WEAK struct cuda_p2p_dim3 cuda_p2p_v1_grid_dim() {
    return cuda_p2p_v1_hooks->current()->grid_dim;
}

WEAK void cuda_p2p_v1_sync_block() {
    cuda_p2p_v1_hooks->sync_block();
}
WEAK void cuda_p2p_v1_sync_warp(uint32_t mask) {
    cuda_p2p_v1_hooks->sync_warp(mask);
}
WEAK void *cuda_p2p_v1_static_shared(const void *key, size_t bytes, size_t align) {
    return cuda_p2p_v1_hooks->static_shared(key, bytes, align);
}
WEAK void *cuda_p2p_v1_dynamic_shared() {
    return cuda_p2p_v1_hooks->dynamic_shared(nullptr);
}
WEAK void cuda_p2p_v1_yield() {
    cuda_p2p_v1_hooks->yield();
}
WEAK uint64_t cuda_p2p_v1_global_timer_ns() {
    return cuda_p2p_v1_hooks->global_timer_ns();
}
WEAK void cuda_p2p_v1_trap() {
    cuda_p2p_v1_hooks->trap();
    __builtin_trap(); // the hook does not return
}

WEAK void cuda_p2p_v1_misaligned(const void *address, size_t bytes, uint32_t kind) {
    check(address, bytes, kind | CUDA_P2P_MISALIGNED);
}

WEAK void cuda_p2p_v1_global(const void *address, size_t bytes, uint32_t kind) {
    check(address, bytes, kind | CUDA_P2P_GLOBAL);
}

WEAK void cuda_p2p_v1_copy_argument(void *to, const void *from, size_t bytes) {
    memcpy(to, from, bytes);
}

// The kernels' own calls of these C functions, and those that the compiler makes of struct copies, arrive here: the
// generated unit renames them.
WEAK void *cuda_p2p_v1_memcpy(void *to, const void *from, size_t bytes) {
    check_range(to, bytes, CUDA_P2P_WRITE);
    check_source(from, bytes);
    return memcpy(to, from, bytes);
}
WEAK void *cuda_p2p_v1_memmove(void *to, const void *from, size_t bytes) {
    check_range(to, bytes, CUDA_P2P_WRITE);
    check_source(from, bytes);
    return memmove(to, from, bytes);
}
WEAK void *cuda_p2p_v1_memset(void *to, int value, size_t bytes) {
    check_range(to, bytes, CUDA_P2P_WRITE);
    return memset(to, value, bytes);
}
// A failed assert() in a kernel ends the launch, not the process.
WEAK void cuda_p2p_v1_assert_fail(const char *text, const char *file, unsigned line, const char *function) {
    fprintf(stderr, "%s:%u: %s: kernel assertion `%s' failed\n", file, line, function, text);
    cuda_p2p_v1_hooks->failed_assertion();
    __builtin_trap(); // the hook does not return
}

} // extern "C"
