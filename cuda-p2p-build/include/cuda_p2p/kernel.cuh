// The kernel header of cuda-p2p. A .cu file that includes only this header (and ordinary C++ headers) compiles by nvcc
// for a GPU and by a C++ compiler for the simulator. What both sides offer:
//
//   __global__ __device__ __host__ __forceinline__ __launch_bounds__, threadIdx blockIdx blockDim gridDim
//   __syncthreads __syncwarp __threadfence __threadfence_system __trap __nanosleep __ldg min max
//   atomicAdd Sub Exch CAS Max Min And Or Xor, and their _system twins
//   char1 to double4 with make_*                 the vector types, with CUDA's sizes and alignments
//   CUDA_P2P_SHARED(type, name, count)           static shared memory: an array of `count` elements of the block
//   CUDA_P2P_DYNAMIC_SHARED(type, name)          dynamic shared memory: `type *name`
//   cuda_p2p::load_acquire_system(p) ...         ordered accesses, see below
//   cuda_p2p::load16 store16                     one 16-byte access
//   cuda_p2p::global_timer_ns() spin_hint()
//   cuda_p2p::global_thread_id() global_thread_count()   for grid-stride loops, in any launch shape
//
// A kernel is `extern "C" __global__ void name(...)`, not a template. bf16 and f16: see float16.cuh.
//
// What differs on the simulator: kernels see no warp (no shuffles, votes or cooperative groups), no textures, no
// __constant__ or __device__ variables, and a*b+c is rounded twice unless fma is called.
#ifndef CUDA_P2P_KERNEL_CUH
#define CUDA_P2P_KERNEL_CUH

#include <stddef.h>
#include <stdint.h>

#ifdef __CUDACC__
#include "device/kernel.cuh"
#else
#include "host/kernel.h"
#endif

namespace cuda_p2p {

// Loads and stores of 4- and 8-byte types, whole and in the order and scope that their names say:
//
//   T    load_acquire_system(const T *)   load_acquire_device   load_relaxed_system   load_relaxed_device
//   void store_release_system(T *, T)     store_release_device  store_relaxed_system  store_relaxed_device
//
// `system` orders with every device of the machine and the host: what peers need. `device` orders inside one device.
// The address is one of global memory: of a device, a peer, or the host's pinned memory. Shared and local memory is refused
// by the simulator (700), and by nobody on a GPU; what is shared inside a block is ordered by __syncthreads.

// Index of this thread in its grid, over all six dimensions: a kernel that strides by it is right in any launch shape.
__device__ __forceinline__ uint64_t global_thread_id() {
    const uint64_t block = (uint64_t(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const uint64_t thread = (uint64_t(threadIdx.z) * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    return block * (uint64_t(blockDim.x) * blockDim.y * blockDim.z) + thread;
}

// Threads of the grid.
__device__ __forceinline__ uint64_t global_thread_count() {
    return uint64_t(gridDim.x) * gridDim.y * gridDim.z * blockDim.x * blockDim.y * blockDim.z;
}

} // namespace cuda_p2p

#endif
