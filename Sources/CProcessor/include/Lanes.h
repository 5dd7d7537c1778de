// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdint.h>

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

// Operations on vectors for which every processor here has an instruction or a short sequence, but of which Swift's
// library makes a loop over the lanes, or a call. To the compiler each of these is one operation. They are clang's
// (Clang Language Extensions, Vector Builtins), which makes of them what each architecture has; but for rounded
// products, for which it has no name.

#define INKPANEL_LANES(type, count) type __attribute__((ext_vector_type(count)))
#define INKPANEL_INLINE static inline __attribute__((always_inline))

// Named by the number of lanes, as Swift names SIMD8: int8 is eight integers of 32 bits.
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

// What `a` is more than `b`, or zero; all of them are taken as unsigned.
INKPANEL_INLINE inkpanel_short16 inkpanel_excess(inkpanel_short16 a, inkpanel_short16 b) {
    return (inkpanel_short16)__builtin_elementwise_sub_sat((inkpanel_ushort16)a, (inkpanel_ushort16)b);
}

// The least and the greatest of the even lanes, and of the odd ones.
INKPANEL_INLINE inkpanel_int2 inkpanel_least(inkpanel_int8 lanes) {
    inkpanel_int4 four = __builtin_elementwise_min(lanes.lo, lanes.hi);
    return __builtin_elementwise_min(four.lo, four.hi);
}

INKPANEL_INLINE inkpanel_int2 inkpanel_greatest(inkpanel_int8 lanes) {
    inkpanel_int4 four = __builtin_elementwise_max(lanes.lo, lanes.hi);
    return __builtin_elementwise_max(four.lo, four.hi);
}

// Of the least number of all it is that number again.
INKPANEL_INLINE inkpanel_int8 inkpanel_abs(inkpanel_int8 lanes) { return __builtin_elementwise_abs(lanes); }

// All ones where `a` is less.
INKPANEL_INLINE inkpanel_int8 inkpanel_less(inkpanel_int8 a, inkpanel_int8 b) { return a < b; }

// One or the other, lane by lane: `a` where `sign` is below zero.
INKPANEL_INLINE inkpanel_int8 inkpanel_choose(inkpanel_int8 sign, inkpanel_int8 a, inkpanel_int8 b) {
    return sign < 0 ? a : b;
}

INKPANEL_INLINE inkpanel_short16 inkpanel_choose_short(inkpanel_short16 sign, inkpanel_short16 a, inkpanel_short16 b) {
    return sign < 0 ? a : b;
}

INKPANEL_INLINE inkpanel_int4 inkpanel_choose_four(inkpanel_int4 sign, inkpanel_int4 a, inkpanel_int4 b) {
    return sign < 0 ? a : b;
}

// Those of their bits that `mask` has.
INKPANEL_INLINE inkpanel_int8 inkpanel_bits(inkpanel_int8 lanes, int32_t mask) { return lanes & mask; }

// Those of their bits that `mask`, as many lanes, has not.
INKPANEL_INLINE inkpanel_int8 inkpanel_except(inkpanel_int8 lanes, inkpanel_int8 mask) { return lanes & ~mask; }

// Shifted right with their sign.
INKPANEL_INLINE inkpanel_int8 inkpanel_shift_right(inkpanel_int8 lanes, int32_t bits) { return lanes >> bits; }

// A bit for each lane, the first one's lowest: set where it is below zero.
INKPANEL_INLINE uint32_t inkpanel_signs(inkpanel_int8 lanes) {
    typedef INKPANEL_LANES(_Bool, 8) inkpanel_bool8;
    inkpanel_bool8 signs = __builtin_convertvector(lanes < 0, inkpanel_bool8);
    uint8_t bits;
    __builtin_memcpy(&bits, &signs, 1);
    return bits;
}

// The same numbers, rounded to nearest beyond 2^24.
INKPANEL_INLINE inkpanel_float8 inkpanel_floats(inkpanel_int8 lanes) {
    return __builtin_convertvector(lanes, inkpanel_float8);
}

// The products of the lanes, added up two by two, whichever two the processor has an instruction for; not of four times
// the least number, whose sum overflows.
INKPANEL_INLINE inkpanel_int8 inkpanel_products(inkpanel_short16 a, inkpanel_short16 b) {
    inkpanel_int16 products = __builtin_convertvector(a, inkpanel_int16) * __builtin_convertvector(b, inkpanel_int16);
#ifdef __aarch64__
    return products.lo + products.hi;
#else
    return products.even + products.odd;
#endif
}

// The products of the lanes, of which `a` has 16 bits with its sign, and `b` 15 without one.
INKPANEL_INLINE inkpanel_int8 inkpanel_multiply(inkpanel_int8 a, inkpanel_int8 b) {
#ifdef __aarch64__
    return a * b;
#else
    // The upper halves of `b` are zero. SSE2 has no products of 32 bits, and later ones take twice the time.
    return inkpanel_products((inkpanel_short16)a, (inkpanel_short16)b);
#endif
}

// Channels, 0...255, with so much of `ink` over them: (256 - weight) x under + weight x ink, over 256, rounded to
// nearest, ties up. The weight is 0...256; where it becomes one of 32,768 it is taken below zero, because -32,768 has
// 16 bits and 32,768 has not.
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
    // What overflows 16 bits in the middle comes back.
    return (inkpanel_short16)((inkpanel_ushort16)((under << 8) + (ink - under) * weight + 128) >> 8);
#endif
}

// Running sums of the lanes, three times shifted and added (as in font-rs): by one lane and by two within each half of
// four, then by a half.
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

// Within each half of four lanes: the first or the last two of both vectors; the even or the odd ones of both.
INKPANEL_INLINE inkpanel_int8 inkpanel_first_pairs(inkpanel_int8 a, inkpanel_int8 b) {
    return __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
}

INKPANEL_INLINE inkpanel_int8 inkpanel_last_pairs(inkpanel_int8 a, inkpanel_int8 b) {
    return __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
}

// Lanes of both in turn, of the first or of the last two.
INKPANEL_INLINE inkpanel_int8 inkpanel_zip_first(inkpanel_int8 a, inkpanel_int8 b) {
    return __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
}

INKPANEL_INLINE inkpanel_int8 inkpanel_zip_last(inkpanel_int8 a, inkpanel_int8 b) {
    return __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
}

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

// The lanes one place further, after `first` or the last one of `before`; their own last one falls off.
INKPANEL_INLINE inkpanel_int4 inkpanel_after(int32_t first, inkpanel_int4 lanes) {
    return __builtin_shufflevector((inkpanel_int4)first, lanes, 0, 4, 5, 6);
}

INKPANEL_INLINE inkpanel_int8 inkpanel_after_last(inkpanel_int8 before, inkpanel_int8 lanes) {
    return __builtin_shufflevector(before, lanes, 7, 8, 9, 10, 11, 12, 13, 14);
}

// The whole part of (a x b + divisor / 2) / divisor, or `most` if it is more. Exact for numbers not below zero, if
// a x b and most x divisor are below 2^52: what is not whole then is further from the next number than it is rounded
// by. Lanes that mean nothing may have any numbers, also a divisor of zero: they come to 0...most, too, because what
// does not fit must not be converted.
INKPANEL_INLINE inkpanel_int4 inkpanel_quotients(
    inkpanel_int4 a, inkpanel_int4 b, inkpanel_int4 divisor, int32_t most) {
// Some processors could add without rounding the product; all are to do the same.
#pragma STDC FP_CONTRACT OFF
    inkpanel_double4 product =
        __builtin_convertvector(a, inkpanel_double4) * __builtin_convertvector(b, inkpanel_double4);
    inkpanel_double4 sum = product + __builtin_convertvector(divisor >> 1, inkpanel_double4);
    inkpanel_double4 quotient = sum / __builtin_convertvector(divisor, inkpanel_double4);
    const inkpanel_double4 limit = (double)most, zero = 0;
    quotient = quotient < limit ? quotient : limit;
    return __builtin_convertvector(quotient > zero ? quotient : zero, inkpanel_int4);
}

// Adds to four numbers, wherever they lie.
INKPANEL_INLINE void inkpanel_add_four(int32_t *numbers, inkpanel_int4 lanes) {
    inkpanel_int4 sums;
    __builtin_memcpy(&sums, numbers, sizeof sums);
    sums += lanes;
    __builtin_memcpy(numbers, &sums, sizeof sums);
}
