// What a .cu file compiled as C++ for the simulator and the simulator itself agree on. Plain C; its Rust twin is
// cuda-p2p-sys/src/host_abi.rs, and both sides assert the sizes.
#ifndef CUDA_P2P_HOST_ABI_H
#define CUDA_P2P_HOST_ABI_H

#include <stddef.h>
#include <stdint.h>

#define CUDA_P2P_HOST_ABI_VERSION 1u
// First eight bytes of a module: tells a host module from a fatbin when both come through cudaLibraryLoadData.
#define CUDA_P2P_HOST_MAGIC 0x3150325041445543ull // "CUDAP2P1", little endian

#ifdef __cplusplus
extern "C" {
#endif

struct cuda_p2p_dim3 {
    uint32_t x, y, z;
};

// One CUDA thread, as its kernel sees itself. Constant while the kernel runs.
struct cuda_p2p_thread {
    struct cuda_p2p_dim3 thread_idx, block_idx, block_dim, grid_dim;
    int32_t device; // ordinal of the simulated device that runs the thread
    uint32_t reserved;
};

enum cuda_p2p_access {
    CUDA_P2P_READ = 0,
    CUDA_P2P_WRITE = 1,
    CUDA_P2P_ATOMIC = 2, // read-modify-write
    // Added to one of the three: the address is no multiple of the size, and the compiler took it for one. Not added where
    // the compiler knew that it may be none (packed types, copies of bytes), as nvcc then takes narrower accesses too.
    CUDA_P2P_MISALIGNED = 4,
    // Added to one of the three, before the access itself is told: its instruction takes addresses of global memory, and
    // only that is asked.
    CUDA_P2P_GLOBAL = 8,
};

// What the simulator does for a kernel. Filled by the simulator, given to a module by `bind` before its first launch.
struct cuda_p2p_hooks {
    uint32_t version; // CUDA_P2P_HOST_ABI_VERSION
    uint32_t size;    // sizeof(struct cuda_p2p_hooks)
    // The running thread. The same pointer for the whole life of that thread.
    const struct cuda_p2p_thread *(*current)(void);
    // Called before every load, store and atomic. Does not return if the device may not do this: the thread ends and
    // the launch fails with error 700, or 716 if it is misaligned. Also where threads give way to each other.
    void (*access)(const volatile void *address, size_t bytes, uint32_t kind);
    // __syncthreads
    void (*sync_block)(void);
    // __syncwarp(mask)
    void (*sync_warp)(uint32_t mask);
    // The block's instance of one static shared variable; `key` is an address that is unique to the variable. Zeroed
    // by nobody: filled with a poison pattern when the block starts.
    void *(*static_shared)(const void *key, size_t bytes, size_t align);
    // The block's dynamic shared memory, as large as the launch asked; its size in *bytes if bytes is not null.
    void *(*dynamic_shared)(size_t *bytes);
    // Lets the other threads, blocks and streams of the device run.
    void (*yield)(void);
    // Nanoseconds of a monotonic clock common to all devices (%globaltimer).
    uint64_t (*global_timer_ns)(void);
    // __trap(): ends the launch with error 719.
    void (*trap)(void);
    // A failed assert(): ends the launch with error 710.
    void (*failed_assertion)(void);
};

struct cuda_p2p_host_param {
    uint32_t offset; // in the kernel's parameter buffer, as nvcc lays it out
    uint32_t size;   // bytes
};

struct cuda_p2p_host_kernel {
    const char *name;
    // Runs one thread of the kernel: args[i] points at parameter i. Called on that thread's own stack.
    void (*invoke)(void *const *args);
    const struct cuda_p2p_host_param *params;
    uint32_t param_count;
    uint32_t max_threads; // from __launch_bounds__, 0 if none was given
};

struct cuda_p2p_host_module {
    uint64_t magic;   // CUDA_P2P_HOST_MAGIC
    uint32_t version; // CUDA_P2P_HOST_ABI_VERSION
    uint32_t kernel_count;
    const struct cuda_p2p_host_kernel *kernels;
    // Gives the module its hooks. The same table each time; safe to repeat.
    void (*bind)(const struct cuda_p2p_hooks *hooks);
};

#ifdef __cplusplus
}
#endif

#endif
