// SPDX-License-Identifier: Apache-2.0
// System calls that Swift cannot import: variadic functions (ioctl), function-like macros, and calls that glibc declares
// only under _GNU_SOURCE. This header defines no feature macro: it would change fd_set in this module alone, which then
// disagrees with every other C module (see swift-system's shims.c).
#pragma once
#include <stddef.h>
#include <stdint.h>

// epoll(7)
enum { CLINUX_EPOLLIN = 0x001, CLINUX_EPOLLOUT = 0x004, CLINUX_EPOLLERR = 0x008, CLINUX_EPOLLHUP = 0x010 };
struct clinux_epoll_event { uint32_t events; uint64_t data; };
int clinux_epoll_create(void);
int clinux_epoll_add(int epoll, int fd, uint32_t events, uint64_t data);
int clinux_epoll_change(int epoll, int fd, uint32_t events, uint64_t data);
int clinux_epoll_remove(int epoll, int fd);
/// Waits; a negative timeout never ends. Returns the number of events filled in (at most 16), or -1 with errno.
int clinux_epoll_wait(int epoll, struct clinux_epoll_event *events, int capacity, int timeout_ms);

/// Waits until `fd` is readable, at most for this time: ppoll(2). Returns 1 if it is, 0 if not, or -1 with errno.
int clinux_wait_readable(int fd, int64_t timeout_ns);

// eventfd(2), timerfd_create(2), signalfd(2): all close-on-exec, and non-blocking unless `blocking`.
int clinux_eventfd(int blocking);
int clinux_timerfd(void);
/// Arms a one-shot CLOCK_MONOTONIC timer at an absolute time; 0 disarms it.
int clinux_timerfd_set(int fd, int64_t at_ns);
/// Blocks the signals in the calling thread and in threads it starts.
int clinux_block_signals(const int *signals, int count);
/// Returns a descriptor that reads signals, which must be blocked.
int clinux_signalfd(const int *signals, int count);
/// Reads one signal number, or -1 with errno (EAGAIN if none waits).
int clinux_signalfd_read(int fd);

// Threads
int clinux_thread_set_name(const char *name);
/// Sets the slice of the calling thread in nanoseconds, if it has the ordinary policy; the kernel limits it to 0.1 to
/// 100 ms, and before 6.12 ignores it.
int clinux_thread_set_slice(uint64_t ns);

/// Makes a mounted file system read-only or writable: mount(2) with MS_REMOUNT. Programs and devices on it stay without
/// effect. Returns 0, or -1 with errno.
int clinux_remount(const char *mount_point, int read_only);

// Virtual terminals (linux/kd.h): get and set text or graphics mode and the keyboard mode of a tty.
int clinux_kd_get_mode(int tty, int *mode);
int clinux_kd_set_mode(int tty, int mode);
int clinux_kd_get_keyboard(int tty, int *mode);
int clinux_kd_set_keyboard(int tty, int mode);
enum { CLINUX_KD_TEXT = 0, CLINUX_KD_GRAPHICS = 1, CLINUX_K_OFF = 4 };
// Switching between virtual terminals (linux/vt.h).
/// The terminal sends the process `release` before it is left and `acquire` when it is back (VT_SETMODE, VT_PROCESS).
/// The signals go to the calling thread, and stop when that thread ends.
int clinux_vt_watch(int tty, int release, int acquire);
/// Switches without signals (VT_SETMODE, VT_AUTO).
int clinux_vt_unwatch(int tty);
/// Answers a switch (VT_RELDISP); EINVAL if none waits.
int clinux_vt_answer(int tty, int answer);
/// 1 if the terminal is shown, 0 if not, or -1.
int clinux_vt_is_shown(int tty);
/// Shows the terminal (VT_ACTIVATE), without waiting.
int clinux_vt_show(int tty);
enum { CLINUX_VT_REFUSE = 0, CLINUX_VT_ALLOW = 1, CLINUX_VT_ACKNOWLEDGE = 2 };

// Framebuffer devices (linux/fb.h): the members of FBIOGET_VSCREENINFO and FBIOGET_FSCREENINFO that are used.
struct clinux_fb_channel { uint32_t offset, length, msb_right; };
struct clinux_fb_info {
    uint32_t width, height, virtual_height, x, y, bits_per_pixel, grayscale;
    struct clinux_fb_channel red, green, blue, transparency;
    uint32_t width_mm, height_mm;
    char name[16]; // may lack a final 0
    uint32_t byte_count, type, visual, y_pan_step, line_length;
};
int clinux_fb_get_info(int fd, struct clinux_fb_info *info);
/// Shows the rows from `y` on (FBIOPAN_DISPLAY).
int clinux_fb_pan(int fd, uint32_t y);
/// Waits for the vertical blank (FBIO_WAITFORVSYNC).
int clinux_fb_wait_vblank(int fd);
/// Switches on a screen that the console has blanked (FBIOBLANK).
int clinux_fb_unblank(int fd);
/// Shows the rows from `y` on and sets the current mode again, which makes a console in text mode redraw its text
/// (FBIOPUT_VSCREENINFO with FB_ACTIVATE_FORCE).
int clinux_fb_reset(int fd, uint32_t y);
enum { CLINUX_FB_TYPE_PACKED_PIXELS = 0, CLINUX_FB_VISUAL_TRUECOLOR = 2 };

// mmap(2): returns 0 on failure (MAP_FAILED is a macro with a cast, which Swift cannot import).
void *clinux_map_shared(int fd, uint64_t offset, uint64_t length);

// clock_gettime(2), in nanoseconds: CLOCK_MONOTONIC, and the processor time of the calling thread.
int64_t clinux_monotonic_ns(void);
int64_t clinux_thread_processor_ns(void);
/// CLOCK_BOOTTIME: like CLOCK_MONOTONIC, but includes the time that the machine sleeps.
int64_t clinux_boottime_ns(void);
/// adjtimex(2): 1 if the kernel considers CLOCK_REALTIME synchronized, 0 if not; -1 if the call is forbidden.
/// `maximum_error` receives the kernel's bound for the clock's error in microseconds.
int clinux_clock_is_synchronized(int64_t *maximum_error);
/// 1 if the file system of `path` is in memory (tmpfs, ramfs), 0 if not; -1 with errno.
int clinux_is_in_memory(const char *path);

// fallocate(2) with FALLOC_FL_KEEP_SIZE: allocates the first `count` bytes of the file without changing its size.
int clinux_reserve(int fd, int64_t count);

/// pipe2(2) with O_CLOEXEC and further flags; Swift's Glibc does not have it.
int clinux_pipe(int *ends, int flags);

// unix(7): stream sockets, all close-on-exec. A path too long for an address is ENAMETOOLONG. Glibc's `struct ucred`
// is behind _GNU_SOURCE, and a sockaddr_un is a tuple of 108 members in Swift.
int clinux_unix_socket(int blocking);
int clinux_unix_bind(int fd, const char *path);
int clinux_unix_connect(int fd, const char *path);
/// The new socket is non-blocking.
int clinux_accept(int fd);
/// Writes without SIGPIPE.
long clinux_send(int fd, const void *bytes, size_t count);
/// The process that called connect(2), as it was then.
int clinux_peer(int fd, int32_t *pid, uint32_t *uid, uint32_t *gid);
/// Its supplementary groups. Returns their number, even if it exceeds the capacity, or -1 with errno.
int clinux_peer_groups(int fd, uint32_t *groups, int capacity);
/// 1 or 0; -1 with errno if it is not a socket.
int clinux_is_listening_unix_stream(int fd);
/// Makes an inherited descriptor close-on-exec and non-blocking.
int clinux_take_over(int fd);

// open(2) with O_TMPFILE: an unnamed file in that directory, close-on-exec, for writing. linkat(2) names it, through
// /proc because AT_EMPTY_PATH needs privileges; an existing file is not replaced (EEXIST).
int clinux_open_unnamed(const char *folder, unsigned int permissions);
int clinux_link(int fd, const char *path);

// mallopt(3) and malloc_trim(3), which the Glibc module lacks.
void clinux_heap_set_mmap_threshold(int bytes);
void clinux_heap_trim(void);
