// A program with a kernel of its own, which nvcc compiled into it: a GPU runs it, and the simulator, which has no host code
// of it, refuses each launch. Prints every answer; the last line says what the memory holds.

#include <cstdio>
#include <cuda_runtime.h>

__device__ int counter;

__global__ void store(int *place, int value)
{
    *place = value;
    counter = value;
}

#define CALL(call) std::printf("%s -> %s\n", #call, cudaGetErrorName(call))

int main()
{
    int *memory = nullptr, value = -1;
    CALL(cudaMalloc(&memory, sizeof *memory));
    CALL(cudaMemset(memory, 0, sizeof *memory));
    store<<<1, 1>>>(memory, 7);
    CALL(cudaGetLastError());
    int seven = 7;
    void *arguments[] = {&memory, &seven};
    CALL(cudaLaunchKernel(store, dim3(1), dim3(1), arguments, 0, nullptr));
    cudaFuncAttributes attributes;
    CALL(cudaFuncGetAttributes(&attributes, store));
    CALL(cudaGetLastError());
    CALL(cudaMemcpyToSymbol(counter, &seven, sizeof seven));
    CALL(cudaGetLastError());
    CALL(cudaDeviceSynchronize());
    CALL(cudaMemcpy(&value, memory, sizeof value, cudaMemcpyDeviceToHost));
    std::printf("value %d\n", value);
    CALL(cudaFree(memory));
}
