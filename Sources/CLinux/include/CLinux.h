// SPDX-License-Identifier: Apache-2.0
// System calls that Swift cannot import: variadic functions (ioctl), function-like macros, and calls glibc declares
// only under _GNU_SOURCE. No feature macro is defined in this header: it would change fd_set in this module only and
// make it disagree with every other C module (swift-system's shims.c found the same).
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
// Switching between virtual terminals (linux/vt.h): who is asked, and the answer.
/// The terminal sends the process `release` before it is left and `acquire` when it is back (VT_SETMODE, VT_PROCESS).
/// The kernel asks the calling thread, and asks nobody any more when that thread has ended.
int clinux_vt_watch(int tty, int release, int acquire);
/// Nobody is asked (VT_SETMODE, VT_AUTO).
int clinux_vt_unwatch(int tty);
/// VT_RELDISP; EINVAL when no switch waits for an answer.
int clinux_vt_answer(int tty, int answer);
// Whether the terminal is the one that is shown: 1, 0, or -1.
int clinux_vt_is_shown(int tty);
// Asks for it to be shown, without waiting.
int clinux_vt_show(int tty);
enum { CLINUX_VT_REFUSE = 0, CLINUX_VT_ALLOW = 1, CLINUX_VT_ACKNOWLEDGE = 2 };

// Framebuffer devices (linux/fb.h): FBIOGET_VSCREENINFO and FBIOGET_FSCREENINFO, what of them matters.
struct clinux_fb_channel { uint32_t offset, length, msb_right; };
struct clinux_fb_info {
    uint32_t width, height, virtual_height, x, y, bits_per_pixel, grayscale;
    struct clinux_fb_channel red, green, blue, transparency;
    uint32_t width_mm, height_mm;
    char name[16]; // need not end with 0
    uint32_t byte_count, type, visual, y_pan_step, line_length;
};
int clinux_fb_get_info(int fd, struct clinux_fb_info *info);
/// Shows the rows from `y` on, in the columns that are shown (FBIOPAN_DISPLAY).
int clinux_fb_pan(int fd, uint32_t y);
/// Waits (FBIO_WAITFORVSYNC).
int clinux_fb_wait_vblank(int fd);
/// Switches a screen on that the console has blanked (FBIOBLANK).
int clinux_fb_unblank(int fd);
/// Shows rows from `y` on and sets the mode that is set, which makes a console in text mode draw its text
/// (FBIOPUT_VSCREENINFO with FB_ACTIVATE_FORCE).
int clinux_fb_reset(int fd, uint32_t y);
enum { CLINUX_FB_TYPE_PACKED_PIXELS = 0, CLINUX_FB_VISUAL_TRUECOLOR = 2 };

// mmap(2): returns 0 when mapping failed (MAP_FAILED is a macro with a cast, which Swift cannot import).
void *clinux_map_shared(int fd, uint64_t offset, uint64_t length);

// clock_gettime(2), in nanoseconds: CLOCK_MONOTONIC, and the processor time of the calling thread.
int64_t clinux_monotonic_ns(void);
int64_t clinux_thread_processor_ns(void);
/// CLOCK_BOOTTIME: as CLOCK_MONOTONIC, and goes on while the machine sleeps.
int64_t clinux_boottime_ns(void);
/// adjtimex(2): 1 or 0, whether the kernel holds CLOCK_REALTIME for synchronized; -1 when it may not be asked.
int clinux_clock_is_synchronized(void);

// fallocate(2) with FALLOC_FL_KEEP_SIZE: room for the first so many bytes of the file, whose size stays.
int clinux_reserve(int fd, int64_t count);

// unix(7): stream sockets, all close-on-exec. A path without room in an address is ENAMETOOLONG. Glibc's `struct ucred`
// is behind _GNU_SOURCE, and a sockaddr_un is a tuple of 108 members in Swift.
int clinux_unix_socket(int blocking);
int clinux_unix_bind(int fd, const char *path);
int clinux_unix_connect(int fd, const char *path);
/// Not blocking.
int clinux_accept(int fd);
/// Writes without SIGPIPE.
long clinux_send(int fd, const void *bytes, size_t count);
/// Who called connect(2), at that moment.
int clinux_peer(int fd, int32_t *pid, uint32_t *uid, uint32_t *gid);
/// The supplementary groups likewise: how many there are, also when that is more than the capacity, or -1 with errno.
int clinux_peer_groups(int fd, uint32_t *groups, int capacity);
/// 1 or 0; -1 with errno for what is no socket.
int clinux_is_listening_unix_stream(int fd);
/// Makes a descriptor that somebody else has opened close-on-exec and not blocking.
int clinux_take_over(int fd);

// open(2) with O_TMPFILE: a file without a name in that folder, close-on-exec, for writing. linkat(2): gives it one,
// through /proc, because AT_EMPTY_PATH is for privileged programs; what is there is not replaced (EEXIST).
int clinux_open_unnamed(const char *folder, unsigned int permissions);
int clinux_link(int fd, const char *path);

// malloc(3)'s memory: mallopt(3) and malloc_trim(3), which no module of glibc's has.
void clinux_heap_set_mmap_threshold(int bytes);
void clinux_heap_trim(void);
