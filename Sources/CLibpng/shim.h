// SPDX-License-Identifier: Apache-2.0
// libpng reports errors with longjmp, which must not cross Swift frames: the whole encoding is one C function.
#pragma once
#include <png.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct clibpng_bytes {
    uint8_t *start; // malloc'd; the caller frees it
    size_t count;
    size_t capacity;
};

static inline void clibpng_append(png_structp png, png_bytep data, size_t count) {
    struct clibpng_bytes *out = (struct clibpng_bytes *)png_get_io_ptr(png);
    if (count > out->capacity - out->count) {
        size_t capacity = (out->capacity + count) * 2;
        uint8_t *grown = (uint8_t *)realloc(out->start, capacity);
        if (grown == NULL) png_error(png, "out of memory");
        out->start = grown;
        out->capacity = capacity;
    }
    memcpy(out->start + out->count, data, count);
    out->count += count;
}

static inline void clibpng_flush(png_structp png) { (void)png; }
/// Instead of libpng's own, which prints to standard error: the caller says what went wrong.
static inline void clibpng_fail(png_structp png, png_const_charp text) { (void)text, png_longjmp(png, 1); }
static inline void clibpng_ignore_warning(png_structp png, png_const_charp text) { (void)png, (void)text; }

/// Texts of a PNG: keyword and text in turn, each ended by a zero, so many bytes. ASCII as tEXt, other UTF-8 as iTXt.
struct clibpng_texts {
    const char *bytes;
    size_t count;
};

static inline void clibpng_set_texts(png_structp png, png_infop info, struct clibpng_texts texts) {
    const char *next = texts.bytes, *end = texts.bytes + texts.count;
    while (next < end) {
        png_text text = {0};
        text.key = (png_charp)next;
        text.text = (png_charp)next + strlen(next) + 1;
        text.text_length = strlen(text.text);
        text.compression = PNG_TEXT_COMPRESSION_NONE;
        for (const char *byte = text.text; *byte; byte++)
            if (*byte & 0x80) text.compression = PNG_ITXT_COMPRESSION_NONE;
        if (text.compression == PNG_ITXT_COMPRESSION_NONE) {
            text.itxt_length = text.text_length, text.text_length = 0;
            text.lang = (png_charp) "", text.lang_key = (png_charp) "";
        }
        next = text.text + strlen(text.text) + 1;
        png_set_text(png, info, &text, 1);
    }
}

/// Encodes native-endian XRGB8888 rows as an 8-bit RGB PNG, or ARGB8888 rows, not premultiplied, as RGB with alpha.
/// pixels_per_metre 0 leaves the resolution out.
/// Returns 1, or 0 when libpng refused (size 0 or too large) or memory ran out; then nothing is left to free.
static inline int clibpng_encode(const uint8_t *pixels, uint32_t width, uint32_t height, size_t stride,
                                 uint32_t pixels_per_metre, int has_alpha, struct clibpng_texts texts,
                                 struct clibpng_bytes *out) {
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, clibpng_fail, clibpng_ignore_warning);
    if (png == NULL) return 0;
    png_infop info = png_create_info_struct(png);
    if (info == NULL || setjmp(png_jmpbuf(png))) {
        png_destroy_write_struct(&png, &info);
        free(out->start);
        memset(out, 0, sizeof *out);
        return 0;
    }
    png_set_write_fn(png, out, clibpng_append, clibpng_flush);
    png_set_IHDR(png, info, width, height, 8, has_alpha ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (pixels_per_metre) png_set_pHYs(png, info, pixels_per_metre, pixels_per_metre, PNG_RESOLUTION_METER);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    clibpng_set_texts(png, info, texts);
    png_write_info(png, info);
    // A word 0xXXRRGGBB lies in memory as B G R X on little-endian machines and X R G B on big-endian ones.
    const uint16_t probe = 1;
    int little = *(const uint8_t *)&probe;
    if (little) png_set_bgr(png);
    if (!has_alpha) {
        png_set_filler(png, 0, little ? PNG_FILLER_AFTER : PNG_FILLER_BEFORE);
    } else if (!little) {
        png_set_swap_alpha(png);
    }
    for (uint32_t y = 0; y < height; y++) png_write_row(png, (png_bytep)(pixels + y * stride));
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return 1;
}
