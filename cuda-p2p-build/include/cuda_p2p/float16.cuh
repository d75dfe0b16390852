// bf16 and f16 (IEEE binary16) on both sides:
//
//   cuda_p2p::bf16, cuda_p2p::f16                __nv_bfloat16 and __half under nvcc
//   float cuda_p2p::to_float(bf16 or f16)        exact
//   cuda_p2p::from_float<bf16>(float)            rounds to nearest, ties to even; a NaN becomes 0x7fff
//   uint16_t cuda_p2p::to_bits(bf16 or f16), cuda_p2p::from_bits<bf16>(uint16_t)
//
// A header of its own: nvcc's headers of these types double the time that a small kernel takes to compile.
#ifndef CUDA_P2P_FLOAT16_CUH
#define CUDA_P2P_FLOAT16_CUH

#include "kernel.cuh"

#ifdef __CUDACC__
#include "device/float16.cuh"
#else
#include "host/float16.h"
#endif

#endif
