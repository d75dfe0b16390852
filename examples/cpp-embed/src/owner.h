// Objects of the CUDA runtime that this program owns: each is destroyed once, and a failure to do so is told.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime_api.h>

// Ends the program where a call of its own fails.
inline void must(cudaError_t status, const char *call)
{
    if (status != cudaSuccess) {
        std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(status));
        std::exit(1);
    }
}
#define MUST(call) must((call), #call)

template <typename Handle, cudaError_t (*destroy)(Handle)> class Owner {
public:
    Owner() = default;
    Owner(const Owner &) = delete;
    Owner &operator=(const Owner &) = delete;
    ~Owner() { must(destroy(handle), "giving back what the program owns"); }

    operator Handle() const { return handle; }
    Handle handle{};
};

using Stream = Owner<cudaStream_t, cudaStreamDestroy>;
using Event = Owner<cudaEvent_t, cudaEventDestroy>;
using Memory = Owner<void *, cudaFree>;
