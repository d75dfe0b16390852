// The side of kernel.cuh that a C++ compiler compiles for the simulator.
#ifndef CUDA_P2P_HOST_KERNEL_H
#define CUDA_P2P_HOST_KERNEL_H

#include <assert.h>
#include <math.h>
#include <string.h>
#include <type_traits>

#include "shim.h"

// Marks: cuda-p2p-build reads the preprocessed text, finds the kernels by them, and puts C++ in their place. The last
// three it refuses with a message; a compiler would only say that it does not know the words.
#define __global__ cuda_p2p_mark_global
#define __device__ cuda_p2p_mark_device
#define __launch_bounds__(...) cuda_p2p_mark_launch_bounds(__VA_ARGS__)
#define __shared__ cuda_p2p_mark_shared
#define __constant__ cuda_p2p_mark_constant
#define __managed__ cuda_p2p_mark_managed

#define __host__
#define __forceinline__ inline
#define __align__(bytes) __attribute__((aligned(bytes)))
// `__noinline__` stays undefined: C++ headers write it inside __attribute__((...)).

#include "vectors.h"

#define threadIdx (cuda_p2p_v1_thread_idx())
#define blockIdx (cuda_p2p_v1_block_idx())
#define blockDim (cuda_p2p_v1_block_dim())
#define gridDim (cuda_p2p_v1_grid_dim())

// Not thread_local and not static: several blocks live on one thread of the host.
#define CUDA_P2P_SHARED(type, name, count)                                                                            \
    static char cuda_p2p_key_of_##name;                                                                               \
    type(&name)[count] = *static_cast<type(*)[count]>(                                                                \
        cuda_p2p_v1_static_shared(&cuda_p2p_key_of_##name, sizeof(type[count]), alignof(type)))
#define CUDA_P2P_DYNAMIC_SHARED(type, name) type *const name = static_cast<type *>(cuda_p2p_v1_dynamic_shared())

inline void __syncthreads() {
    cuda_p2p_v1_sync_block();
}
inline void __syncwarp(unsigned mask = 0xffffffffu) {
    cuda_p2p_v1_sync_warp(mask);
}
inline void __threadfence() {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
inline void __threadfence_system() {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
inline void __trap() {
    cuda_p2p_v1_trap();
}
inline void __nanosleep(unsigned) {
    cuda_p2p_v1_yield();
}
template <typename T>
inline T __ldg(const T *address) {
    return *address;
}

template <typename A, typename B>
constexpr std::common_type_t<A, B> min(A a, B b) {
    using T = std::common_type_t<A, B>;
    return T(b) < T(a) ? T(b) : T(a);
}
template <typename A, typename B>
constexpr std::common_type_t<A, B> max(A a, B b) {
    using T = std::common_type_t<A, B>;
    return T(a) < T(b) ? T(b) : T(a);
}

namespace cuda_p2p {

inline uint64_t global_timer_ns() {
    return cuda_p2p_v1_global_timer_ns();
}
inline void spin_hint() {
    cuda_p2p_v1_yield();
}

} // namespace cuda_p2p

#include "access.h"
#include "atomics.h"

#endif
