// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdint.h>

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

// Vector operations for which every supported processor has an instruction or a short sequence, but which Swift's
// library makes a loop over the lanes, or a call. All but the rounded products of inkpanel_blend are clang's portable
// ones (Clang Language Extensions, Vector Builtins).

// Vectors of 256 bits are passed otherwise where the compiler may use AVX. All functions are inlined, so none is passed.
#pragma clang diagnostic ignored "-Wpsabi"

#define INKPANEL_LANES(type, count) type __attribute__((ext_vector_type(count)))
#define INKPANEL_INLINE static inline __attribute__((always_inline))

// The number is that of lanes, as in SIMD8: inkpanel_int8 is eight integers of 32 bits.
typedef INKPANEL_LANES(float, 8) inkpanel_float8;
typedef INKPANEL_LANES(double, 4) inkpanel_double4;
typedef INKPANEL_LANES(int32_t, 2) inkpanel_int2;
typedef INKPANEL_LANES(int32_t, 4) inkpanel_int4;
typedef INKPANEL_LANES(int32_t, 8) inkpanel_int8;
typedef INKPANEL_LANES(int32_t, 16) inkpanel_int16;
typedef INKPANEL_LANES(int16_t, 16) inkpanel_short16;
typedef INKPANEL_LANES(uint16_t, 16) inkpanel_ushort16;

INKPANEL_INLINE inkpanel_int8 inkpanel_min(inkpanel_int8 a, inkpanel_int8 b) {
    return __builtin_elementwise_min(a, b);
}

INKPANEL_INLINE inkpanel_int8 inkpanel_max(inkpanel_int8 a, inkpanel_int8 b) {
    return __builtin_elementwise_max(a, b);
}

INKPANEL_INLINE inkpanel_short16 inkpanel_min_short(inkpanel_short16 a, inkpanel_short16 b) {
    return __builtin_elementwise_min(a, b);
}

INKPANEL_INLINE inkpanel_short16 inkpanel_max_short(inkpanel_short16 a, inkpanel_short16 b) {
    return __builtin_elementwise_max(a, b);
}

// All ones where a lane is zero.
INKPANEL_INLINE inkpanel_short16 inkpanel_is_zero(inkpanel_short16 lanes) { return lanes == 0; }

// a - b as unsigned numbers, or zero if b is larger.
INKPANEL_INLINE inkpanel_short16 inkpanel_excess(inkpanel_short16 a, inkpanel_short16 b) {
    return (inkpanel_short16)__builtin_elementwise_sub_sat((inkpanel_ushort16)a, (inkpanel_ushort16)b);
}

// The minimum and the maximum of the even lanes and of the odd lanes.
INKPANEL_INLINE inkpanel_int2 inkpanel_least(inkpanel_int8 lanes) {
    inkpanel_int4 four = __builtin_elementwise_min(lanes.lo, lanes.hi);
    return __builtin_elementwise_min(four.lo, four.hi);
}

INKPANEL_INLINE inkpanel_int2 inkpanel_greatest(inkpanel_int8 lanes) {
    inkpanel_int4 four = __builtin_elementwise_max(lanes.lo, lanes.hi);
    return __builtin_elementwise_max(four.lo, four.hi);
}

// INT32_MIN stays the same.
INKPANEL_INLINE inkpanel_int8 inkpanel_abs(inkpanel_int8 lanes) { return __builtin_elementwise_abs(lanes); }

// All ones where `a` is less.
INKPANEL_INLINE inkpanel_int8 inkpanel_less(inkpanel_int8 a, inkpanel_int8 b) { return a < b; }

// Lane by lane, `a` where `sign` is negative, else `b`.
INKPANEL_INLINE inkpanel_int8 inkpanel_choose(inkpanel_int8 sign, inkpanel_int8 a, inkpanel_int8 b) {
    return sign < 0 ? a : b;
}

INKPANEL_INLINE inkpanel_short16 inkpanel_choose_short(inkpanel_short16 sign, inkpanel_short16 a, inkpanel_short16 b) {
    return sign < 0 ? a : b;
}

INKPANEL_INLINE inkpanel_int4 inkpanel_choose_four(inkpanel_int4 sign, inkpanel_int4 a, inkpanel_int4 b) {
    return sign < 0 ? a : b;
}

// lanes & mask.
INKPANEL_INLINE inkpanel_int8 inkpanel_bits(inkpanel_int8 lanes, int32_t mask) { return lanes & mask; }

// lanes & ~mask.
INKPANEL_INLINE inkpanel_int8 inkpanel_except(inkpanel_int8 lanes, inkpanel_int8 mask) { return lanes & ~mask; }

// An arithmetic shift.
INKPANEL_INLINE inkpanel_int8 inkpanel_shift_right(inkpanel_int8 lanes, int32_t bits) { return lanes >> bits; }

// One bit per lane, the first lane's lowest: set where the lane is negative.
INKPANEL_INLINE uint32_t inkpanel_signs(inkpanel_int8 lanes) {
    typedef INKPANEL_LANES(_Bool, 8) inkpanel_bool8;
    inkpanel_bool8 signs = __builtin_convertvector(lanes < 0, inkpanel_bool8);
    uint8_t bits;
    __builtin_memcpy(&bits, &signs, 1);
    return bits;
}

// Converts to float; numbers beyond 2^24 are rounded to nearest.
INKPANEL_INLINE inkpanel_float8 inkpanel_floats(inkpanel_int8 lanes) {
    return __builtin_convertvector(lanes, inkpanel_float8);
}

// The products of the lanes, added in pairs; which lanes form a pair depends on the processor. The sum overflows only
// if all four factors are INT16_MIN.
INKPANEL_INLINE inkpanel_int8 inkpanel_products(inkpanel_short16 a, inkpanel_short16 b) {
    inkpanel_int16 products = __builtin_convertvector(a, inkpanel_int16) * __builtin_convertvector(b, inkpanel_int16);
#ifdef __aarch64__
    return products.lo + products.hi;
#else
    return products.even + products.odd;
#endif
}

// The products of the lanes, where `a` fits a signed 16-bit number and `b` is at least 0 and fits 15 bits.
INKPANEL_INLINE inkpanel_int8 inkpanel_multiply(inkpanel_int8 a, inkpanel_int8 b) {
#ifdef __aarch64__
    return a * b;
#else
    // The upper halves of `b` are zero. SSE2 has no 32-bit products, and those of later extensions take twice the time.
    return inkpanel_products((inkpanel_short16)a, (inkpanel_short16)b);
#endif
}

// Blends channels of 0...255: ((256 - weight) x under + weight x ink) / 256, rounded to nearest, ties up. The weight is
// 0...256. Where it is scaled to 32,768, it is negated, because -32,768 fits 16 bits and 32,768 does not.
INKPANEL_INLINE inkpanel_short16 inkpanel_blend(
    inkpanel_short16 under, inkpanel_short16 ink, inkpanel_short16 weight) {
#if defined(__AVX2__)
    return under + (inkpanel_short16)_mm256_mulhrs_epi16((__m256i)(under - ink), (__m256i)(weight * -128));
#elif defined(__aarch64__)
    inkpanel_short16 difference = under - ink, scaled = weight * -128, change;
    change.lo = vqrdmulhq_s16(difference.lo, scaled.lo);
    change.hi = vqrdmulhq_s16(difference.hi, scaled.hi);
    return under + change;
#else
    // Intermediate values wrap, but the result fits 16 bits.
    return (inkpanel_short16)((inkpanel_ushort16)((under << 8) + (ink - under) * weight + 128) >> 8);
#endif
}

// Prefix sums of the lanes, by three steps of shifting and adding (as in font-rs): by one and two lanes within each
// half, then by a half.
INKPANEL_INLINE inkpanel_int8 inkpanel_sums(inkpanel_int8 lanes) {
    const inkpanel_int8 zero = 0;
    lanes += __builtin_shufflevector(lanes, zero, 8, 0, 1, 2, 8, 4, 5, 6);
    lanes += __builtin_shufflevector(lanes, zero, 8, 8, 0, 1, 8, 8, 4, 5);
    return lanes + __builtin_shufflevector(lanes, zero, 8, 8, 8, 8, 3, 3, 3, 3);
}

INKPANEL_INLINE inkpanel_int4 inkpanel_sums_of_four(inkpanel_int4 lanes) {
    const inkpanel_int4 zero = 0;
    lanes += __builtin_shufflevector(lanes, zero, 4, 0, 1, 2);
    return lanes + __builtin_shufflevector(lanes, zero, 4, 4, 0, 1);
}

// Within each half of four lanes: the first or the last two lanes of both vectors.
INKPANEL_INLINE inkpanel_int8 inkpanel_first_pairs(inkpanel_int8 a, inkpanel_int8 b) {
    return __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
}

INKPANEL_INLINE inkpanel_int8 inkpanel_last_pairs(inkpanel_int8 a, inkpanel_int8 b) {
    return __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
}

// Within each half: the first or the last two lanes of both vectors, interleaved.
INKPANEL_INLINE inkpanel_int8 inkpanel_zip_first(inkpanel_int8 a, inkpanel_int8 b) {
    return __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
}

INKPANEL_INLINE inkpanel_int8 inkpanel_zip_last(inkpanel_int8 a, inkpanel_int8 b) {
    return __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
}

// Within each half: the even or the odd lanes of both vectors.
INKPANEL_INLINE inkpanel_int8 inkpanel_even(inkpanel_int8 a, inkpanel_int8 b) {
    return __builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14);
}

INKPANEL_INLINE inkpanel_int8 inkpanel_odd(inkpanel_int8 a, inkpanel_int8 b) {
    return __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15);
}

// The sum of the lanes of each of four vectors.
INKPANEL_INLINE inkpanel_int4 inkpanel_totals(
    inkpanel_int8 a, inkpanel_int8 b, inkpanel_int8 c, inkpanel_int8 d) {
    inkpanel_int8 first = inkpanel_zip_first(a, b) + inkpanel_zip_last(a, b);
    inkpanel_int8 second = inkpanel_zip_first(c, d) + inkpanel_zip_last(c, d);
    inkpanel_int8 all = inkpanel_first_pairs(first, second) + inkpanel_last_pairs(first, second);
    return all.lo + all.hi;
}

// Shifts the lanes by one place; `first`, or the last lane of `before`, comes in and the last lane falls out.
INKPANEL_INLINE inkpanel_int4 inkpanel_after(int32_t first, inkpanel_int4 lanes) {
    return __builtin_shufflevector((inkpanel_int4)first, lanes, 0, 4, 5, 6);
}

INKPANEL_INLINE inkpanel_int8 inkpanel_after_last(inkpanel_int8 before, inkpanel_int8 lanes) {
    return __builtin_shufflevector(before, lanes, 7, 8, 9, 10, 11, 12, 13, 14);
}

// min((a x b + divisor / 2) / divisor, most) in whole numbers. Exact for numbers of at least 0, if a x b and most x
// divisor are below 2^52. Lanes with any other numbers, even a divisor of 0, give a result from 0 to `most`, because
// converting a number that does not fit is undefined.
INKPANEL_INLINE inkpanel_int4 inkpanel_quotients(
    inkpanel_int4 a, inkpanel_int4 b, inkpanel_int4 divisor, int32_t most) {
// No fused multiply-add, so that all processors round alike.
#pragma STDC FP_CONTRACT OFF
    inkpanel_double4 product =
        __builtin_convertvector(a, inkpanel_double4) * __builtin_convertvector(b, inkpanel_double4);
    inkpanel_double4 sum = product + __builtin_convertvector(divisor >> 1, inkpanel_double4);
    inkpanel_double4 quotient = sum / __builtin_convertvector(divisor, inkpanel_double4);
    const inkpanel_double4 limit = (double)most, zero = 0;
    quotient = quotient < limit ? quotient : limit;
    return __builtin_convertvector(quotient > zero ? quotient : zero, inkpanel_int4);
}

// Adds to four numbers, which need not be aligned.
INKPANEL_INLINE void inkpanel_add_four(int32_t *numbers, inkpanel_int4 lanes) {
    inkpanel_int4 sums;
    __builtin_memcpy(&sums, numbers, sizeof sums);
    sums += lanes;
    __builtin_memcpy(numbers, &sums, sizeof sums);
}
