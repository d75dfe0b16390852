// CUDA's vector types on the host, with CUDA's sizes and alignments. Copied member by member: a trivial copy may be
// compiled to a memcpy, which carries no check of its own.
#ifndef CUDA_P2P_HOST_VECTORS_H
#define CUDA_P2P_HOST_VECTORS_H

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
        constexpr name(const name &o) : x(o.x), y(o.y) {}                                                             \
        constexpr name &operator=(const name &o) {                                                                    \
            x = o.x;                                                                                                  \
            y = o.y;                                                                                                  \
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
        constexpr name(const name &o) : x(o.x), y(o.y), z(o.z), w(o.w) {}                                             \
        constexpr name &operator=(const name &o) {                                                                    \
            x = o.x;                                                                                                  \
            y = o.y;                                                                                                  \
            z = o.z;                                                                                                  \
            w = o.w;                                                                                                  \
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
