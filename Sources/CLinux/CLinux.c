// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fb.h>
#include <linux/kd.h>
#include <linux/magic.h>
#include <linux/vt.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

int clinux_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

int clinux_epoll_add(int epoll, int fd, uint32_t events, uint64_t data) {
    struct epoll_event event = {.events = events, .data.u64 = data};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

int clinux_epoll_change(int epoll, int fd, uint32_t events, uint64_t data) {
    struct epoll_event event = {.events = events, .data.u64 = data};
    return epoll_ctl(epoll, EPOLL_CTL_MOD, fd, &event);
}

int clinux_epoll_remove(int epoll, int fd) { return epoll_ctl(epoll, EPOLL_CTL_DEL, fd, NULL); }

int clinux_epoll_wait(int epoll, struct clinux_epoll_event *events, int capacity, int timeout_ms) {
    struct epoll_event buffer[16]; // more than the panel has; the next call reports the rest
    int count = epoll_wait(epoll, buffer, capacity < 16 ? capacity : 16, timeout_ms);
    for (int i = 0; i < count; i++) {
        events[i].events = buffer[i].events;
        events[i].data = buffer[i].data.u64;
    }
    return count;
}

int clinux_wait_readable(int fd, int64_t timeout_ns) {
    struct pollfd request = {.fd = fd, .events = POLLIN};
    struct timespec rest = {.tv_sec = timeout_ns / 1000000000, .tv_nsec = timeout_ns % 1000000000};
    return ppoll(&request, 1, &rest, NULL);
}

int clinux_eventfd(int blocking) { return eventfd(0, EFD_CLOEXEC | (blocking ? 0 : EFD_NONBLOCK)); }

int clinux_timerfd(void) { return timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK); }

int clinux_timerfd_set(int fd, int64_t at_ns) {
    struct itimerspec spec = {
        .it_value = {.tv_sec = at_ns / 1000000000, .tv_nsec = at_ns % 1000000000},
    };
    return timerfd_settime(fd, TFD_TIMER_ABSTIME, &spec, NULL);
}

static sigset_t signal_set(const int *signals, int count) {
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < count; i++) sigaddset(&set, signals[i]);
    return set;
}

int clinux_block_signals(const int *signals, int count) {
    sigset_t set = signal_set(signals, count);
    errno = pthread_sigmask(SIG_BLOCK, &set, NULL);
    return errno ? -1 : 0;
}

int clinux_signalfd(const int *signals, int count) {
    sigset_t set = signal_set(signals, count);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int clinux_signalfd_read(int fd) {
    struct signalfd_siginfo info;
    ssize_t count = read(fd, &info, sizeof info);
    return count == (ssize_t)sizeof info ? (int)info.ssi_signo : -1;
}

int clinux_thread_set_name(const char *name) { return pthread_setname_np(pthread_self(), name); }

int clinux_thread_set_slice(uint64_t ns) {
    // struct sched_attr in its first size (sched_setattr(2)); glibc has none before 2.41.
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } attributes = {0};
    if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) < 0) return -1;
    // Other policies have no slice that a thread may choose.
    if (attributes.policy != SCHED_OTHER) return 0;
    attributes.runtime = ns;
    return (int)syscall(SYS_sched_setattr, 0, &attributes, 0);
}

int clinux_remount(const char *mount_point, int read_only) {
    unsigned long flags = MS_REMOUNT | MS_NOSUID | MS_NODEV | MS_NOEXEC | (read_only ? MS_RDONLY : 0);
    return mount(NULL, mount_point, NULL, flags, NULL);
}

int clinux_kd_get_mode(int tty, int *mode) { return ioctl(tty, KDGETMODE, mode); }
int clinux_kd_set_mode(int tty, int mode) { return ioctl(tty, KDSETMODE, (long)mode); }
int clinux_kd_get_keyboard(int tty, int *mode) { return ioctl(tty, KDGKBMODE, mode); }
int clinux_kd_set_keyboard(int tty, int mode) { return ioctl(tty, KDSKBMODE, (long)mode); }

static int set_switching(int tty, char mode, int release, int acquire) {
    struct vt_mode switching = {.mode = mode, .relsig = (short)release, .acqsig = (short)acquire};
    return ioctl(tty, VT_SETMODE, &switching);
}

int clinux_vt_watch(int tty, int release, int acquire) { return set_switching(tty, VT_PROCESS, release, acquire); }
int clinux_vt_unwatch(int tty) { return set_switching(tty, VT_AUTO, 0, 0); }
int clinux_vt_answer(int tty, int answer) { return ioctl(tty, VT_RELDISP, (long)answer); }

// By TIOCGDEV, because the node may be /dev/tty, which has a number of its own.
static int terminal_number(int tty) {
    unsigned int device;
    return ioctl(tty, TIOCGDEV, &device) < 0 ? -1 : (int)minor(device);
}

int clinux_vt_is_shown(int tty) {
    struct vt_stat state;
    int number = terminal_number(tty);
    if (number < 0 || ioctl(tty, VT_GETSTATE, &state) < 0) return -1;
    return number == state.v_active;
}

int clinux_vt_show(int tty) {
    int number = terminal_number(tty);
    return number < 0 ? -1 : ioctl(tty, VT_ACTIVATE, (long)number);
}

static struct clinux_fb_channel channel(struct fb_bitfield field) {
    return (struct clinux_fb_channel){.offset = field.offset, .length = field.length, .msb_right = field.msb_right};
}

int clinux_fb_get_info(int fd, struct clinux_fb_info *info) {
    struct fb_var_screeninfo var;
    struct fb_fix_screeninfo fix;
    if (ioctl(fd, FBIOGET_VSCREENINFO, &var) != 0 || ioctl(fd, FBIOGET_FSCREENINFO, &fix) != 0) return -1;
    *info = (struct clinux_fb_info){
        .width = var.xres, .height = var.yres, .virtual_height = var.yres_virtual, .x = var.xoffset, .y = var.yoffset,
        .bits_per_pixel = var.bits_per_pixel, .grayscale = var.grayscale,
        .red = channel(var.red), .green = channel(var.green), .blue = channel(var.blue),
        .transparency = channel(var.transp), .width_mm = var.width, .height_mm = var.height,
        .byte_count = fix.smem_len, .type = fix.type, .visual = fix.visual, .y_pan_step = fix.ypanstep,
        .line_length = fix.line_length,
    };
    memcpy(info->name, fix.id, sizeof info->name);
    return 0;
}

int clinux_fb_pan(int fd, uint32_t y) {
    struct fb_var_screeninfo var;
    if (ioctl(fd, FBIOGET_VSCREENINFO, &var) != 0) return -1;
    var.yoffset = y;
    return ioctl(fd, FBIOPAN_DISPLAY, &var);
}

int clinux_fb_wait_vblank(int fd) {
    uint32_t crtc = 0;
    return ioctl(fd, FBIO_WAITFORVSYNC, &crtc);
}

int clinux_fb_unblank(int fd) { return ioctl(fd, FBIOBLANK, (long)FB_BLANK_UNBLANK); }

int clinux_fb_reset(int fd, uint32_t y) {
    struct fb_var_screeninfo var;
    if (ioctl(fd, FBIOGET_VSCREENINFO, &var) != 0) return -1;
    var.yoffset = y;
    var.activate = FB_ACTIVATE_NOW | FB_ACTIVATE_FORCE;
    return ioctl(fd, FBIOPUT_VSCREENINFO, &var);
}

void *clinux_map_shared(int fd, uint64_t offset, uint64_t length) {
    void *address = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
    return address == MAP_FAILED ? NULL : address;
}

static int64_t clock_ns(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t clinux_monotonic_ns(void) { return clock_ns(CLOCK_MONOTONIC); }
int64_t clinux_thread_processor_ns(void) { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }
int64_t clinux_boottime_ns(void) { return clock_ns(CLOCK_BOOTTIME); }

int clinux_is_in_memory(const char *path) {
    struct statfs status;
    if (statfs(path, &status) != 0) return -1;
    return status.f_type == TMPFS_MAGIC || status.f_type == RAMFS_MAGIC;
}

int clinux_clock_is_synchronized(int64_t *maximum_error) {
    struct timex clock = {.modes = 0}; // only reads
    int state = adjtimex(&clock);
    *maximum_error = clock.maxerror;
    if (state < 0) return -1;
    return state != TIME_ERROR && !(clock.status & STA_UNSYNC);
}

int clinux_reserve(int fd, int64_t count) { return fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, count); }

// Returns the length of the address, or 0 if the path does not fit.
static socklen_t unix_address(const char *path, struct sockaddr_un *address) {
    size_t length = strlen(path);
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    if (length == 0 || length >= sizeof address->sun_path) {
        errno = ENAMETOOLONG;
        return 0;
    }
    memcpy(address->sun_path, path, length + 1);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + 1);
}

int clinux_unix_socket(int blocking) {
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | (blocking ? 0 : SOCK_NONBLOCK), 0);
}

int clinux_unix_bind(int fd, const char *path) {
    struct sockaddr_un address;
    socklen_t length = unix_address(path, &address);
    return length == 0 ? -1 : bind(fd, (struct sockaddr *)&address, length);
}

int clinux_unix_connect(int fd, const char *path) {
    struct sockaddr_un address;
    socklen_t length = unix_address(path, &address);
    return length == 0 ? -1 : connect(fd, (struct sockaddr *)&address, length);
}

int clinux_pipe(int *ends, int flags) { return pipe2(ends, O_CLOEXEC | flags); }

int clinux_accept(int fd) { return accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

long clinux_send(int fd, const void *bytes, size_t count) { return send(fd, bytes, count, MSG_NOSIGNAL); }

int clinux_peer(int fd, int32_t *pid, uint32_t *uid, uint32_t *gid) {
    struct ucred peer;
    socklen_t length = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return -1;
    *pid = peer.pid;
    *uid = peer.uid;
    *gid = peer.gid;
    return 0;
}

int clinux_peer_groups(int fd, uint32_t *groups, int capacity) {
    socklen_t length = (socklen_t)((size_t)capacity * sizeof *groups);
    if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &length) == 0) return (int)(length / sizeof *groups);
    return errno == ERANGE ? (int)(length / sizeof *groups) : -1;
}

int clinux_is_listening_unix_stream(int fd) {
    int domain = 0, type = 0, listens = 0;
    socklen_t length = sizeof(int);
    if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &length) != 0) return -1;
    length = sizeof(int);
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) != 0) return -1;
    length = sizeof(int);
    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) != 0) return -1;
    return domain == AF_UNIX && type == SOCK_STREAM && listens;
}

int clinux_take_over(int fd) {
    int flags = fcntl(fd, F_GETFL);
    if (flags == -1 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0) return -1;
    return fcntl(fd, F_SETFD, FD_CLOEXEC);
}

int clinux_open_unnamed(const char *folder, unsigned int permissions) {
    int fd;
    do fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, (mode_t)permissions);
    while (fd < 0 && errno == EINTR);
    return fd;
}

int clinux_link(int fd, const char *path) {
    char file[32];
    snprintf(file, sizeof file, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, file, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

void clinux_heap_set_mmap_threshold(int bytes) { mallopt(M_MMAP_THRESHOLD, bytes); }

void clinux_heap_trim(void) { malloc_trim(0); }
