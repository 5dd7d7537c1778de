// SPDX-License-Identifier: Apache-2.0
// System calls that Swift cannot import: variadic functions (ioctl), function-like macros, and calls glibc declares
// only under _GNU_SOURCE. No feature macro is defined in this header: it would change fd_set in this module only and
// make it disagree with every other C module (swift-system's shims.c found the same).
#pragma once
#include <stdint.h>

// epoll(7)
enum { CLINUX_EPOLLIN = 0x001, CLINUX_EPOLLERR = 0x008, CLINUX_EPOLLHUP = 0x010 };
struct clinux_epoll_event { uint32_t events; uint64_t data; };
int clinux_epoll_create(void);
int clinux_epoll_add(int epoll, int fd, uint32_t events, uint64_t data);
int clinux_epoll_remove(int epoll, int fd);
/// Waits; a negative timeout waits forever. Returns the number of events filled in (at most 16), or -1 with errno.
int clinux_epoll_wait(int epoll, struct clinux_epoll_event *events, int capacity, int timeout_ms);

// eventfd(2), timerfd_create(2), signalfd(2): all close-on-exec, and non-blocking unless asked for.
int clinux_eventfd(int blocking);
int clinux_timerfd(void);
/// Arms a CLOCK_MONOTONIC timer for once, at an absolute time; 0 disarms it.
int clinux_timerfd_set(int fd, int64_t at_ns);
/// Blocks the signals in the calling thread and in threads it starts.
int clinux_block_signals(const int *signals, int count);
/// Returns a descriptor that reads signals, which must be blocked.
int clinux_signalfd(const int *signals, int count);
/// Reads one signal number, or -1 with errno (EAGAIN when none waits).
int clinux_signalfd_read(int fd);

// Threads
int clinux_thread_set_name(const char *name);

// Virtual terminals (linux/kd.h): get and set text or graphics mode and the keyboard mode of a tty.
int clinux_kd_get_mode(int tty, int *mode);
int clinux_kd_set_mode(int tty, int mode);
int clinux_kd_get_keyboard(int tty, int *mode);
int clinux_kd_set_keyboard(int tty, int mode);
enum { CLINUX_KD_TEXT = 0, CLINUX_KD_GRAPHICS = 1, CLINUX_K_OFF = 4 };

// mmap(2): returns 0 when mapping failed (MAP_FAILED is a macro with a cast, which Swift cannot import).
void *clinux_map_shared(int fd, uint64_t offset, uint64_t length);

// clock_gettime(2), in nanoseconds: CLOCK_MONOTONIC, and the processor time of the calling thread.
int64_t clinux_monotonic_ns(void);
int64_t clinux_thread_processor_ns(void);
