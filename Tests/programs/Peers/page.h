// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <sys/mman.h>
#include <vector>

// Memory like that of PixelBuffer(lasting:): in huge pages, if it is large enough.
template <typename T> struct LastingMemory {
    using value_type = T;
    static constexpr size_t hugePage = 2 << 20, cacheLine = 64;

    LastingMemory() = default;
    template <typename U> LastingMemory(const LastingMemory<U> &) {}

    T *allocate(size_t count) {
        const size_t alignment = count * sizeof(T) >= hugePage ? hugePage : cacheLine;
        const size_t bytes = (count * sizeof(T) + alignment - 1) / alignment * alignment;
        void *memory = std::aligned_alloc(alignment, bytes);
        if (!memory) throw std::bad_alloc();
        if (alignment == hugePage) (void)madvise(memory, bytes, MADV_HUGEPAGE);
        return static_cast<T *>(memory);
    }

    void deallocate(T *memory, size_t) { std::free(memory); }
    template <typename U> bool operator==(const LastingMemory<U> &) const { return true; }
    template <typename U> bool operator!=(const LastingMemory<U> &) const { return false; }
};

// XRGB8888 pixels, row by row without gaps.
struct Page {
    uint32_t width, height;
    std::vector<uint32_t, LastingMemory<uint32_t>> pixels;

    Page(uint32_t width, uint32_t height) : width(width), height(height), pixels(size_t(width) * height) {}
    void clear() { pixels.assign(pixels.size(), 0xFFFFFFFF); }
};
