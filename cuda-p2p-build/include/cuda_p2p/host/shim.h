// What host-compiled kernels call: one function for each thing that they ask of the simulator, defined in
// host/shim.cpp. Hidden and weak, so that a program with several kernel archives has one set of them; the version in
// the names keeps sets of different agreements apart.
#ifndef CUDA_P2P_HOST_SHIM_H
#define CUDA_P2P_HOST_SHIM_H

#include "../host_abi.h"

#pragma GCC visibility push(hidden)
extern "C" {

// `const`: a thread's place does not change while its kernel runs, so the compiler may ask once.
__attribute__((const)) struct cuda_p2p_dim3 cuda_p2p_v1_thread_idx();
__attribute__((const)) struct cuda_p2p_dim3 cuda_p2p_v1_block_idx();
__attribute__((const)) struct cuda_p2p_dim3 cuda_p2p_v1_block_dim();
__attribute__((const)) struct cuda_p2p_dim3 cuda_p2p_v1_grid_dim();

void cuda_p2p_v1_sync_block();
void cuda_p2p_v1_sync_warp(uint32_t mask);
void *cuda_p2p_v1_static_shared(const void *key, size_t bytes, size_t align);
void *cuda_p2p_v1_dynamic_shared();
void cuda_p2p_v1_yield();
uint64_t cuda_p2p_v1_global_timer_ns();
__attribute__((noreturn)) void cuda_p2p_v1_trap();

// An access that the compiler takes for aligned, and that is not.
void cuda_p2p_v1_misaligned(const void *address, size_t bytes, uint32_t kind);

// An access by an instruction that takes addresses of global memory; the access itself is told of as any other.
void cuda_p2p_v1_global(const void *address, size_t bytes, uint32_t kind);

// Copies one argument out of the launch, which is not the device's memory: unchecked.
void cuda_p2p_v1_copy_argument(void *to, const void *from, size_t bytes);

// `bind` of every module: the hooks are shared, as the functions above are.
void cuda_p2p_v1_bind(const struct cuda_p2p_hooks *hooks);

} // extern "C"
#pragma GCC visibility pop

#endif
