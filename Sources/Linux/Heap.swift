// SPDX-License-Identifier: Apache-2.0
import CLinux

/// The memory that malloc(3) has from the kernel. For a program that runs for months beside others on a small board, and
/// now and then does something large.
public enum Heap {
    /// Blocks of a mebibyte and more come from the kernel and go back to it when they are freed. Without this, glibc
    /// raises that size to 32 MiB with the first large block that is freed, and keeps those below (mallopt(3),
    /// M_MMAP_THRESHOLD). To be called when the program starts.
    public static func keepNoLargeBlocks() { clinux_heap_set_mmap_threshold(1 << 20) }

    /// Gives what small blocks have left free back to the kernel, after a job that made very many (malloc_trim(3)). It
    /// takes milliseconds. Any thread.
    public static func trim() { clinux_heap_trim() }
}
