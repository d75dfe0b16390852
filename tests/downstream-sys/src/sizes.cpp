// What the C++ compiler makes of a few types of the CUDA headers.
#include <cuda_runtime_api.h>

#include <cstddef>

struct Fact {
    const char *name;
    std::size_t value;
};

#define SIZE(type) Fact{"sizeof " #type, sizeof(type)}
#define OFFSET(type, field) Fact{"offsetof " #type "." #field, offsetof(type, field)}

static const Fact facts[] = {
    Fact{"CUDART_VERSION", CUDART_VERSION},
    SIZE(cudaDeviceProp),
    OFFSET(cudaDeviceProp, uuid),
    OFFSET(cudaDeviceProp, totalGlobalMem),
    OFFSET(cudaDeviceProp, multiProcessorCount),
    SIZE(cudaPointerAttributes),
    OFFSET(cudaPointerAttributes, devicePointer),
    SIZE(cudaMemcpy3DPeerParms),
    OFFSET(cudaMemcpy3DPeerParms, dstDevice),
    SIZE(cudaIpcMemHandle_t),
    SIZE(cudaMemAccessDesc),
    SIZE(cudaLaunchConfig_t),
    SIZE(dim3),
    SIZE(cudaStream_t),
    SIZE(cudaError_t),
};

// Functions, too: this does not compile if the headers' signature is another.
using CopyPeer = cudaError_t (*)(void *, int, const void *, int, std::size_t, cudaStream_t);
static_assert(static_cast<CopyPeer>(nullptr) == static_cast<decltype(&cudaMemcpyPeerAsync)>(nullptr), "the same type");

extern "C" const Fact *downstream_facts(std::size_t *count) {
    *count = sizeof facts / sizeof facts[0];
    return facts;
}
