// CUDA's atomic functions on the host. Each device of the simulator has its own thread of the host, so these are real
// atomics, and the device-scope ones are as strong as their _system twins.
#ifndef CUDA_P2P_HOST_ATOMICS_H
#define CUDA_P2P_HOST_ATOMICS_H

namespace cuda_p2p {
namespace detail {

// For what the compiler has no single instruction for: `next` gives the new value from the old one.
template <typename T, typename Next>
inline T update(T *address, Next next) {
    T old;
    __atomic_load(address, &old, __ATOMIC_RELAXED);
    T desired = next(old);
    while (!__atomic_compare_exchange(address, &old, &desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        desired = next(old);
    return old;
}

template <typename T>
inline T add(T *address, T value) {
    if constexpr (std::is_integral_v<T>)
        return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
    else
        return update(address, [value](T old) { return old + value; });
}
template <typename T>
inline T sub(T *address, T value) {
    return __atomic_fetch_sub(address, value, __ATOMIC_RELAXED);
}
template <typename T>
inline T exch(T *address, T value) {
    T old;
    __atomic_exchange(address, &value, &old, __ATOMIC_RELAXED);
    return old;
}
template <typename T>
inline T max(T *address, T value) {
    return update(address, [value](T old) { return old < value ? value : old; });
}
template <typename T>
inline T min(T *address, T value) {
    return update(address, [value](T old) { return value < old ? value : old; });
}
template <typename T>
inline T bit_and(T *address, T value) {
    return __atomic_fetch_and(address, value, __ATOMIC_RELAXED);
}
template <typename T>
inline T bit_or(T *address, T value) {
    return __atomic_fetch_or(address, value, __ATOMIC_RELAXED);
}
template <typename T>
inline T bit_xor(T *address, T value) {
    return __atomic_fetch_xor(address, value, __ATOMIC_RELAXED);
}
template <typename T>
inline T cas(T *address, T expected, T desired) {
    __atomic_compare_exchange(address, &expected, &desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
}

} // namespace detail
} // namespace cuda_p2p

#define CUDA_P2P_ATOMIC(name, does)                                                                                   \
    template <typename T>                                                                                             \
    inline T name(T *address, cuda_p2p::detail::same<T> value) {                                                      \
        return cuda_p2p::detail::does(address, value);                                                                \
    }                                                                                                                 \
    template <typename T>                                                                                             \
    inline T name##_system(T *address, cuda_p2p::detail::same<T> value) {                                             \
        return cuda_p2p::detail::does(address, value);                                                                \
    }
CUDA_P2P_ATOMIC(atomicAdd, add)
CUDA_P2P_ATOMIC(atomicSub, sub)
CUDA_P2P_ATOMIC(atomicExch, exch)
CUDA_P2P_ATOMIC(atomicMax, max)
CUDA_P2P_ATOMIC(atomicMin, min)
CUDA_P2P_ATOMIC(atomicAnd, bit_and)
CUDA_P2P_ATOMIC(atomicOr, bit_or)
CUDA_P2P_ATOMIC(atomicXor, bit_xor)
#undef CUDA_P2P_ATOMIC

template <typename T>
inline T atomicCAS(T *address, cuda_p2p::detail::same<T> expected, cuda_p2p::detail::same<T> desired) {
    return cuda_p2p::detail::cas(address, expected, desired);
}
template <typename T>
inline T atomicCAS_system(T *address, cuda_p2p::detail::same<T> expected, cuda_p2p::detail::same<T> desired) {
    return cuda_p2p::detail::cas(address, expected, desired);
}

#endif
