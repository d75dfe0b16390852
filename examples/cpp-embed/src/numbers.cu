#include "numbers.h"

namespace {

__global__ void write(std::uint32_t *memory, std::size_t count, std::uint32_t seed)
{
    for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < count; i += std::size_t{gridDim.x} * blockDim.x)
        memory[i] = number(i, seed);
}

__global__ void compare(const std::uint32_t *memory, std::size_t count, std::uint32_t seed, unsigned *wrong)
{
    for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < count; i += std::size_t{gridDim.x} * blockDim.x)
        if (memory[i] != number(i, seed))
            atomicAdd(wrong, 1u);
}

} // namespace

cudaError_t write_numbers(std::uint32_t *memory, std::size_t count, std::uint32_t seed, cudaStream_t stream)
{
    write<<<256, 256, 0, stream>>>(memory, count, seed);
    return cudaGetLastError();
}

cudaError_t count_wrong(const std::uint32_t *memory, std::size_t count, std::uint32_t seed, unsigned *wrong,
                        cudaStream_t stream)
{
    compare<<<256, 256, 0, stream>>>(memory, count, seed, wrong);
    return cudaGetLastError();
}
