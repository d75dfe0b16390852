// The side of kernel.cuh that nvcc compiles.
#ifndef CUDA_P2P_DEVICE_KERNEL_CUH
#define CUDA_P2P_DEVICE_KERNEL_CUH

#include "access.cuh"

#define CUDA_P2P_SHARED(type, name, count) __shared__ type name[count]

// One array for all uses, as CUDA has one dynamic shared memory for each block.
extern __shared__ __align__(16) unsigned char cuda_p2p_dynamic_shared_bytes[];
#define CUDA_P2P_DYNAMIC_SHARED(type, name) type *const name = reinterpret_cast<type *>(cuda_p2p_dynamic_shared_bytes)

// CUDA has 64-bit atomics for `unsigned long long` only; uint64_t is `unsigned long` on Linux.
#define CUDA_P2P_ATOMIC_U64(name)                                                                                     \
    __device__ __forceinline__ unsigned long name(unsigned long *address, unsigned long value) {                      \
        return name(reinterpret_cast<unsigned long long *>(address), static_cast<unsigned long long>(value));         \
    }
CUDA_P2P_ATOMIC_U64(atomicAdd)
CUDA_P2P_ATOMIC_U64(atomicExch)
CUDA_P2P_ATOMIC_U64(atomicMax)
CUDA_P2P_ATOMIC_U64(atomicMin)
CUDA_P2P_ATOMIC_U64(atomicAnd)
CUDA_P2P_ATOMIC_U64(atomicOr)
CUDA_P2P_ATOMIC_U64(atomicXor)
CUDA_P2P_ATOMIC_U64(atomicAdd_system)
CUDA_P2P_ATOMIC_U64(atomicExch_system)
CUDA_P2P_ATOMIC_U64(atomicMax_system)
CUDA_P2P_ATOMIC_U64(atomicMin_system)
CUDA_P2P_ATOMIC_U64(atomicAnd_system)
CUDA_P2P_ATOMIC_U64(atomicOr_system)
CUDA_P2P_ATOMIC_U64(atomicXor_system)
#undef CUDA_P2P_ATOMIC_U64

#define CUDA_P2P_CAS_U64(name)                                                                                        \
    __device__ __forceinline__ unsigned long name(unsigned long *address, unsigned long expected,                     \
                                                  unsigned long desired) {                                            \
        return name(reinterpret_cast<unsigned long long *>(address), static_cast<unsigned long long>(expected),       \
                    static_cast<unsigned long long>(desired));                                                        \
    }
CUDA_P2P_CAS_U64(atomicCAS)
CUDA_P2P_CAS_U64(atomicCAS_system)
#undef CUDA_P2P_CAS_U64

namespace cuda_p2p {

// Nanoseconds of a clock common to all devices of the machine; its resolution is about a microsecond on some.
__device__ __forceinline__ uint64_t global_timer_ns() {
    uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now) : : "memory");
    return now;
}

// For the body of a spinning loop.
__device__ __forceinline__ void spin_hint() {
    __nanosleep(20);
}

// One 16-byte load; `address` must be 16-byte aligned.
__device__ __forceinline__ uint4 load16(const void *address) {
    return *static_cast<const uint4 *>(address);
}

// One 16-byte store; `address` must be 16-byte aligned.
__device__ __forceinline__ void store16(void *address, uint4 value) {
    *static_cast<uint4 *>(address) = value;
}

} // namespace cuda_p2p

#endif
