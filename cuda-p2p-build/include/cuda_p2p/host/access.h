// Ordered and 16-byte accesses on the host. The compiler's instrumentation turns each atomic builtin into one call of
// the shim, which checks the address and then does the operation.
#ifndef CUDA_P2P_HOST_ACCESS_H
#define CUDA_P2P_HOST_ACCESS_H

namespace cuda_p2p {

#define CUDA_P2P_ORDERED_LOAD(name, order)                                                                            \
    template <typename T>                                                                                             \
    inline T name(const T *address) {                                                                                 \
        static_assert(sizeof(T) == 4 || sizeof(T) == 8, "an ordered access takes 4- and 8-byte types");               \
        cuda_p2p_v1_global(address, sizeof(T), CUDA_P2P_READ);                                                        \
        T value;                                                                                                      \
        __atomic_load(address, &value, order);                                                                        \
        return value;                                                                                                 \
    }

// The value's type follows from the address alone, so that a literal converts.
#define CUDA_P2P_ORDERED_STORE(name, order)                                                                           \
    template <typename T>                                                                                             \
    inline void name(T *address, detail::same<T> value) {                                                             \
        static_assert(sizeof(T) == 4 || sizeof(T) == 8, "an ordered access takes 4- and 8-byte types");               \
        cuda_p2p_v1_global(address, sizeof(T), CUDA_P2P_WRITE);                                                       \
        __atomic_store(address, &value, order);                                                                       \
    }

namespace detail {
template <typename T>
struct identity {
    using type = T;
};
template <typename T>
using same = typename identity<T>::type;
} // namespace detail

CUDA_P2P_ORDERED_LOAD(load_acquire_system, __ATOMIC_ACQUIRE)
CUDA_P2P_ORDERED_LOAD(load_acquire_device, __ATOMIC_ACQUIRE)
CUDA_P2P_ORDERED_LOAD(load_relaxed_system, __ATOMIC_RELAXED)
CUDA_P2P_ORDERED_LOAD(load_relaxed_device, __ATOMIC_RELAXED)
CUDA_P2P_ORDERED_STORE(store_release_system, __ATOMIC_RELEASE)
CUDA_P2P_ORDERED_STORE(store_release_device, __ATOMIC_RELEASE)
CUDA_P2P_ORDERED_STORE(store_relaxed_system, __ATOMIC_RELAXED)
CUDA_P2P_ORDERED_STORE(store_relaxed_device, __ATOMIC_RELAXED)

#undef CUDA_P2P_ORDERED_LOAD
#undef CUDA_P2P_ORDERED_STORE

inline uint4 load16(const void *address) {
    return *static_cast<const uint4 *>(address);
}
inline void store16(void *address, uint4 value) {
    *static_cast<uint4 *>(address) = value;
}

} // namespace cuda_p2p

#endif
