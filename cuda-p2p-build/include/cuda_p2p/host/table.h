// From kernels to the exported table of a module: included by the unit that cuda-p2p-build generates, after the .cu
// files. Nothing here is instrumented: a thunk reads the launch's arguments, which are not the device's memory.
#ifndef CUDA_P2P_HOST_TABLE_H
#define CUDA_P2P_HOST_TABLE_H

#include <type_traits>
#include <utility>

#include "shim.h"

#define CUDA_P2P_PLAIN __attribute__((no_sanitize("thread")))

namespace cuda_p2p {
namespace detail {

constexpr uint32_t align_up(uint32_t offset, uint32_t alignment) {
    return (offset + alignment - 1) / alignment * alignment;
}

// One argument, copied onto the stack of the thread that runs the kernel. A kernel may write to its parameters, and
// every thread starts with the launch's values.
template <typename T>
struct argument {
    static_assert(!std::is_reference<T>::value, "a kernel's parameters are values or pointers, not references");
    alignas(T) unsigned char bytes[sizeof(T)];
    CUDA_P2P_PLAIN explicit argument(const void *from) {
        cuda_p2p_v1_copy_argument(bytes, from, sizeof(T));
    }
    CUDA_P2P_PLAIN T &value() {
        return *reinterpret_cast<T *>(bytes);
    }
};

// Where nvcc places `Count` parameters. One entry more, so that a kernel without parameters has an array too.
template <size_t Count>
struct places {
    cuda_p2p_host_param params[Count + 1];
};

template <typename... T>
constexpr places<sizeof...(T)> layout() {
    const uint32_t sizes[] = {static_cast<uint32_t>(sizeof(T))..., 0};
    const uint32_t alignments[] = {static_cast<uint32_t>(alignof(T))..., 1};
    places<sizeof...(T)> all{};
    uint32_t end = 0;
    for (size_t i = 0; i < sizeof...(T); i++) {
        all.params[i].offset = align_up(end, alignments[i]);
        all.params[i].size = sizes[i];
        end = all.params[i].offset + all.params[i].size;
    }
    return all;
}

template <auto Function>
struct thunk {
    static_assert(Function == nullptr, "a kernel returns void");
};

template <typename... T, void (*Function)(T...)>
struct thunk<Function> {
    static constexpr places<sizeof...(T)> place = layout<T...>();
    static constexpr uint32_t count = sizeof...(T);

    template <size_t... I>
    CUDA_P2P_PLAIN static void run(void *const *args, std::index_sequence<I...>) {
        (void)args;
        Function(argument<T>(args[I]).value()...);
    }
    CUDA_P2P_PLAIN static void invoke(void *const *args) {
        run(args, std::index_sequence_for<T...>{});
    }
};

template <auto Function>
constexpr cuda_p2p_host_kernel kernel(const char *name, uint32_t max_threads) {
    using type = thunk<Function>;
    return cuda_p2p_host_kernel{name, type::invoke, type::place.params, type::count, max_threads};
}

template <size_t Count>
constexpr cuda_p2p_host_module module(const cuda_p2p_host_kernel (&kernels)[Count]) {
    return cuda_p2p_host_module{CUDA_P2P_HOST_MAGIC, CUDA_P2P_HOST_ABI_VERSION, Count, kernels, cuda_p2p_v1_bind};
}

} // namespace detail
} // namespace cuda_p2p

#endif
