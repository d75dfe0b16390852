// bf16 and f16 on the host: storage, and conversions in integers, since not every C++ compiler has the types.
#ifndef CUDA_P2P_HOST_FLOAT16_H
#define CUDA_P2P_HOST_FLOAT16_H

namespace cuda_p2p {

struct bf16 {
    uint16_t bits;
};
struct f16 {
    uint16_t bits;
};

namespace detail {

inline uint32_t float_bits(float value) {
    uint32_t bits;
    __builtin_memcpy(&bits, &value, sizeof(bits));
    return bits;
}
inline float float_of(uint32_t bits) {
    float value;
    __builtin_memcpy(&value, &bits, sizeof(value));
    return value;
}

// `value` without its lowest `drop` bits, rounded to nearest, ties to even.
inline uint32_t round_off(uint32_t value, unsigned drop) {
    const uint32_t half = (uint32_t(1) << (drop - 1)) - 1;
    return (value + half + ((value >> drop) & 1)) >> drop;
}

} // namespace detail

inline uint16_t to_bits(bf16 value) {
    return value.bits;
}
inline uint16_t to_bits(f16 value) {
    return value.bits;
}

template <typename T>
inline T from_bits(uint16_t bits) {
    static_assert(std::is_same_v<T, bf16> || std::is_same_v<T, f16>, "from_bits gives bf16 and f16");
    return T{bits};
}

// bf16 is the upper half of a float.
inline float to_float(bf16 value) {
    return detail::float_of(uint32_t(value.bits) << 16);
}

inline float to_float(f16 value) {
    const uint32_t sign = uint32_t(value.bits & 0x8000) << 16;
    const uint32_t exponent = (value.bits >> 10) & 0x1f;
    const uint32_t fraction = value.bits & 0x3ff;
    if (exponent == 0x1f)
        return detail::float_of(sign | 0x7f800000u | (fraction << 13));
    if (exponent != 0)
        return detail::float_of(sign | ((exponent + 112) << 23) | (fraction << 13));
    // Zero, or a subnormal: a whole number of 2^-24.
    const float magnitude = float(fraction) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
}

template <typename T>
T from_float(float value);

template <>
inline bf16 from_float<bf16>(float value) {
    const uint32_t bits = detail::float_bits(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return bf16{0x7fff};
    return bf16{uint16_t(detail::round_off(bits, 16))};
}

template <>
inline f16 from_float<f16>(float value) {
    const uint32_t bits = detail::float_bits(value);
    const uint16_t sign = uint16_t((bits >> 16) & 0x8000);
    const uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u)
        return f16{0x7fff};
    // From halfway between the largest f16, 65504, and 65536 on: infinity.
    if (magnitude >= 0x477ff000u)
        return f16{uint16_t(sign | 0x7c00)};
    // At least 2^-14: a normal f16. A carry out of the fraction rightly raises the exponent.
    if (magnitude >= 0x38800000u)
        return f16{uint16_t(sign | detail::round_off(magnitude - 0x38000000u, 13))};
    // Below half of the smallest subnormal, 2^-24, or at it: to zero.
    if (magnitude <= 0x33000000u)
        return f16{sign};
    const uint32_t fraction = (magnitude & 0x7fffffu) | 0x800000u;
    return f16{uint16_t(sign | detail::round_off(fraction, 126 - (magnitude >> 23)))};
}

} // namespace cuda_p2p

#endif
