// bf16 and f16 for nvcc: the toolkit's own types.
#ifndef CUDA_P2P_DEVICE_FLOAT16_CUH
#define CUDA_P2P_DEVICE_FLOAT16_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace cuda_p2p {

using bf16 = __nv_bfloat16;
using f16 = __half;

__device__ __forceinline__ float to_float(bf16 value) {
    return __bfloat162float(value);
}
__device__ __forceinline__ float to_float(f16 value) {
    return __half2float(value);
}

template <typename T>
__device__ __forceinline__ T from_float(float value);
template <>
__device__ __forceinline__ bf16 from_float<bf16>(float value) {
    return __float2bfloat16_rn(value);
}
template <>
__device__ __forceinline__ f16 from_float<f16>(float value) {
    return __float2half_rn(value);
}

__device__ __forceinline__ uint16_t to_bits(bf16 value) {
    return __bfloat16_as_ushort(value);
}
__device__ __forceinline__ uint16_t to_bits(f16 value) {
    return __half_as_ushort(value);
}

template <typename T>
__device__ __forceinline__ T from_bits(uint16_t bits);
template <>
__device__ __forceinline__ bf16 from_bits<bf16>(uint16_t bits) {
    return __ushort_as_bfloat16(bits);
}
template <>
__device__ __forceinline__ f16 from_bits<f16>(uint16_t bits) {
    return __ushort_as_half(bits);
}

} // namespace cuda_p2p

#endif
