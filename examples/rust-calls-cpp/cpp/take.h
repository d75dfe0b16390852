// The C++ half of the program: what Rust calls.
#pragma once
#include <cstddef>
#include <cuda_runtime_api.h>

// Takes `count` floats from the memory of a peer, `theirs`, to `ours`. Asynchronous: it is put into `stream`, on the device
// that owns `ours` and may access `theirs`. All three stay the caller's.
extern "C" cudaError_t take_from_peer(cudaStream_t stream, float *ours, const float *theirs, std::size_t count);
