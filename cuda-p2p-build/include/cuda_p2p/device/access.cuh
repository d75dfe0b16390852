// Ordered loads and stores for nvcc, as the PTX instructions themselves: no cccl header is needed, and the order and
// scope of each access can be read off its name. They name the state space, since nothing can be told of an address in
// assembly: of a generic one ptxas makes LD and ST, which look first whose memory it is, instead of LDG and STG.
#ifndef CUDA_P2P_DEVICE_ACCESS_CUH
#define CUDA_P2P_DEVICE_ACCESS_CUH

namespace cuda_p2p {
namespace detail {

template <typename To, typename From>
__device__ __forceinline__ To bit_cast(From value) {
    static_assert(sizeof(To) == sizeof(From), "an ordered access takes 4- and 8-byte types");
    To result;
    memcpy(&result, &value, sizeof(To));
    return result;
}

template <typename T>
struct identity {
    using type = T;
};
template <typename T>
using same = typename identity<T>::type;

template <size_t Bytes>
struct word;
template <>
struct word<4> {
    using type = uint32_t;
};
template <>
struct word<8> {
    using type = uint64_t;
};

} // namespace detail

#define CUDA_P2P_ORDERED_LOAD(name, order)                                                                            \
    namespace detail {                                                                                                \
    __device__ __forceinline__ uint32_t name(const uint32_t *address) {                                               \
        uint32_t value;                                                                                               \
        asm volatile("ld." order ".global.u32 %0, [%1];"                                                              \
                     : "=r"(value)                                                                                    \
                     : "l"(__cvta_generic_to_global(address))                                                         \
                     : "memory");                                                                                     \
        return value;                                                                                                 \
    }                                                                                                                 \
    __device__ __forceinline__ uint64_t name(const uint64_t *address) {                                               \
        uint64_t value;                                                                                               \
        asm volatile("ld." order ".global.u64 %0, [%1];"                                                              \
                     : "=l"(value)                                                                                    \
                     : "l"(__cvta_generic_to_global(address))                                                         \
                     : "memory");                                                                                     \
        return value;                                                                                                 \
    }                                                                                                                 \
    }                                                                                                                 \
    template <typename T>                                                                                             \
    __device__ __forceinline__ T name(const T *address) {                                                             \
        using word = typename detail::word<sizeof(T)>::type;                                                          \
        return detail::bit_cast<T>(detail::name(reinterpret_cast<const word *>(address)));                            \
    }

#define CUDA_P2P_ORDERED_STORE(name, order)                                                                           \
    namespace detail {                                                                                                \
    __device__ __forceinline__ void name(uint32_t *address, uint32_t value) {                                         \
        asm volatile("st." order ".global.u32 [%0], %1;"                                                              \
                     :                                                                                                \
                     : "l"(__cvta_generic_to_global(address)), "r"(value)                                             \
                     : "memory");                                                                                     \
    }                                                                                                                 \
    __device__ __forceinline__ void name(uint64_t *address, uint64_t value) {                                         \
        asm volatile("st." order ".global.u64 [%0], %1;"                                                              \
                     :                                                                                                \
                     : "l"(__cvta_generic_to_global(address)), "l"(value)                                             \
                     : "memory");                                                                                     \
    }                                                                                                                 \
    }                                                                                                                 \
    template <typename T>                                                                                             \
    __device__ __forceinline__ void name(T *address, detail::same<T> value) {                                         \
        using word = typename detail::word<sizeof(T)>::type;                                                          \
        detail::name(reinterpret_cast<word *>(address), detail::bit_cast<word>(value));                               \
    }

CUDA_P2P_ORDERED_LOAD(load_acquire_system, "acquire.sys")
CUDA_P2P_ORDERED_LOAD(load_acquire_device, "acquire.gpu")
CUDA_P2P_ORDERED_LOAD(load_relaxed_system, "relaxed.sys")
CUDA_P2P_ORDERED_LOAD(load_relaxed_device, "relaxed.gpu")
CUDA_P2P_ORDERED_STORE(store_release_system, "release.sys")
CUDA_P2P_ORDERED_STORE(store_release_device, "release.gpu")
CUDA_P2P_ORDERED_STORE(store_relaxed_system, "relaxed.sys")
CUDA_P2P_ORDERED_STORE(store_relaxed_device, "relaxed.gpu")

#undef CUDA_P2P_ORDERED_LOAD
#undef CUDA_P2P_ORDERED_STORE

} // namespace cuda_p2p

#endif
