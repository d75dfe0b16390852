// What both halves of the program write: number i is i * 2654435761 + seed, modulo 2^32.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>

#if defined(__CUDACC__)
#define BOTH __host__ __device__
#else
#define BOTH
#endif

BOTH inline std::uint32_t number(std::size_t i, std::uint32_t seed)
{
    return static_cast<std::uint32_t>(i) * 2654435761u + seed;
}

// The program's own kernels, in numbers.cu. Each is put into `stream`, on whose device it runs.

// Writes the numbers.
cudaError_t write_numbers(std::uint32_t *memory, std::size_t count, std::uint32_t seed, cudaStream_t stream);
// Adds to *wrong how many of them differ.
cudaError_t count_wrong(const std::uint32_t *memory, std::size_t count, std::uint32_t seed, unsigned *wrong,
                        cudaStream_t stream);
