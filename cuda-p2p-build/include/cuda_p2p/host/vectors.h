// CUDA's vector types on the host, with CUDA's sizes and alignments. A trivial copy may be compiled to a memcpy, which
// carries no check of its own. So those of one and three are copied member by member, as GPUs do, and those of two and
// four, whose alignment is that of the whole, by accesses as wide as that: one check, of the alignment too.
#ifndef CUDA_P2P_HOST_VECTORS_H
#define CUDA_P2P_HOST_VECTORS_H

namespace cuda_p2p {
namespace detail {

typedef uint16_t wide2 __attribute__((may_alias));
typedef uint32_t wide4 __attribute__((may_alias));
typedef uint64_t wide8 __attribute__((may_alias));
typedef uint32_t wide16 __attribute__((vector_size(16), may_alias));

template <size_t alignment>
struct wide;
template <>
struct wide<2> {
    using type = wide2;
};
template <>
struct wide<4> {
    using type = wide4;
};
template <>
struct wide<8> {
    using type = wide8;
};
template <>
struct wide<16> {
    using type = wide16;
};

// Compilers report an access of 16 bytes alike whether it must be aligned to 16 or to 8, so the former is checked here. For a
// variable of the kernel's own this is nothing.
inline void check_aligned16(const void *address, uint32_t kind) {
#ifdef __clang__
    asm("" : "+r"(address)); // it would take the type's word for it
#endif
    if ((reinterpret_cast<uintptr_t>(address) & 15) != 0)
        cuda_p2p_v1_misaligned(address, 16, kind);
}

// Copies a vector whose size is once or twice its alignment.
template <typename T>
inline void copy_wide(T *to, const T *from) {
    using type = typename wide<alignof(T)>::type;
    if constexpr (alignof(T) == 16) {
        check_aligned16(from, CUDA_P2P_READ);
        check_aligned16(to, CUDA_P2P_WRITE);
    }
    type *const target = reinterpret_cast<type *>(to);
    const type *const source = reinterpret_cast<const type *>(from);
    target[0] = source[0];
    if constexpr (sizeof(T) > alignof(T))
        target[1] = source[1];
}

} // namespace detail
} // namespace cuda_p2p

#define CUDA_P2P_VECTOR1(name, scalar, alignment)                                                                     \
    struct __attribute__((aligned(alignment))) name {                                                                 \
        scalar x;                                                                                                     \
        name() = default;                                                                                             \
        constexpr explicit name(scalar x) : x(x) {}                                                                   \
        constexpr name(const name &o) : x(o.x) {}                                                                     \
        constexpr name &operator=(const name &o) {                                                                    \
            x = o.x;                                                                                                  \
            return *this;                                                                                             \
        }                                                                                                             \
    };                                                                                                                \
    constexpr name make_##name(scalar x) {                                                                            \
        return name(x);                                                                                               \
    }

#define CUDA_P2P_VECTOR2(name, scalar, alignment)                                                                     \
    struct __attribute__((aligned(alignment))) name {                                                                 \
        scalar x, y;                                                                                                  \
        name() = default;                                                                                             \
        constexpr name(scalar x, scalar y) : x(x), y(y) {}                                                            \
        constexpr name(const name &o) : x(), y() {                                                                    \
            *this = o;                                                                                                \
        }                                                                                                             \
        constexpr name &operator=(const name &o) {                                                                    \
            if (__builtin_is_constant_evaluated()) {                                                                  \
                x = o.x;                                                                                              \
                y = o.y;                                                                                              \
            } else {                                                                                                  \
                cuda_p2p::detail::copy_wide(this, &o);                                                                \
            }                                                                                                         \
            return *this;                                                                                             \
        }                                                                                                             \
    };                                                                                                                \
    constexpr name make_##name(scalar x, scalar y) {                                                                  \
        return name(x, y);                                                                                            \
    }

#define CUDA_P2P_VECTOR3(name, scalar, alignment)                                                                     \
    struct __attribute__((aligned(alignment))) name {                                                                 \
        scalar x, y, z;                                                                                               \
        name() = default;                                                                                             \
        constexpr name(scalar x, scalar y, scalar z) : x(x), y(y), z(z) {}                                            \
        constexpr name(const name &o) : x(o.x), y(o.y), z(o.z) {}                                                     \
        constexpr name &operator=(const name &o) {                                                                    \
            x = o.x;                                                                                                  \
            y = o.y;                                                                                                  \
            z = o.z;                                                                                                  \
            return *this;                                                                                             \
        }                                                                                                             \
    };                                                                                                                \
    constexpr name make_##name(scalar x, scalar y, scalar z) {                                                        \
        return name(x, y, z);                                                                                         \
    }

#define CUDA_P2P_VECTOR4(name, scalar, alignment)                                                                     \
    struct __attribute__((aligned(alignment))) name {                                                                 \
        scalar x, y, z, w;                                                                                            \
        name() = default;                                                                                             \
        constexpr name(scalar x, scalar y, scalar z, scalar w) : x(x), y(y), z(z), w(w) {}                            \
        constexpr name(const name &o) : x(), y(), z(), w() {                                                          \
            *this = o;                                                                                                \
        }                                                                                                             \
        constexpr name &operator=(const name &o) {                                                                    \
            if (__builtin_is_constant_evaluated()) {                                                                  \
                x = o.x;                                                                                              \
                y = o.y;                                                                                              \
                z = o.z;                                                                                              \
                w = o.w;                                                                                              \
            } else {                                                                                                  \
                cuda_p2p::detail::copy_wide(this, &o);                                                                \
            }                                                                                                         \
            return *this;                                                                                             \
        }                                                                                                             \
    };                                                                                                                \
    constexpr name make_##name(scalar x, scalar y, scalar z, scalar w) {                                              \
        return name(x, y, z, w);                                                                                      \
    }

#define CUDA_P2P_VECTORS(name, scalar, bytes, align4)                                                                 \
    CUDA_P2P_VECTOR1(name##1, scalar, bytes)                                                                          \
    CUDA_P2P_VECTOR2(name##2, scalar, 2 * (bytes))                                                                    \
    CUDA_P2P_VECTOR3(name##3, scalar, bytes)                                                                          \
    CUDA_P2P_VECTOR4(name##4, scalar, align4)

// Four of 8 bytes are aligned to 16, as nvcc's headers have it.
CUDA_P2P_VECTORS(char, signed char, 1, 4)
CUDA_P2P_VECTORS(uchar, unsigned char, 1, 4)
CUDA_P2P_VECTORS(short, short, 2, 8)
CUDA_P2P_VECTORS(ushort, unsigned short, 2, 8)
CUDA_P2P_VECTORS(int, int, 4, 16)
CUDA_P2P_VECTORS(uint, unsigned int, 4, 16)
CUDA_P2P_VECTORS(long, long, sizeof(long), 16)
CUDA_P2P_VECTORS(ulong, unsigned long, sizeof(long), 16)
CUDA_P2P_VECTORS(longlong, long long, 8, 16)
CUDA_P2P_VECTORS(ulonglong, unsigned long long, 8, 16)
CUDA_P2P_VECTORS(float, float, 4, 16)
CUDA_P2P_VECTORS(double, double, 8, 16)

#undef CUDA_P2P_VECTORS
#undef CUDA_P2P_VECTOR1
#undef CUDA_P2P_VECTOR2
#undef CUDA_P2P_VECTOR3
#undef CUDA_P2P_VECTOR4

#endif
