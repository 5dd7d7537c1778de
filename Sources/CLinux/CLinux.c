// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <linux/kd.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

int clinux_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

int clinux_epoll_add(int epoll, int fd, uint32_t events, uint64_t data) {
    struct epoll_event event = {.events = events, .data.u64 = data};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

int clinux_epoll_remove(int epoll, int fd) { return epoll_ctl(epoll, EPOLL_CTL_DEL, fd, NULL); }

int clinux_epoll_wait(int epoll, struct clinux_epoll_event *events, int capacity, int timeout_ms) {
    struct epoll_event buffer[16]; // more descriptors than the panel has; the rest is reported by the next call
    int count = epoll_wait(epoll, buffer, capacity < 16 ? capacity : 16, timeout_ms);
    for (int i = 0; i < count; i++) {
        events[i].events = buffer[i].events;
        events[i].data = buffer[i].data.u64;
    }
    return count;
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

int clinux_kd_get_mode(int tty, int *mode) { return ioctl(tty, KDGETMODE, mode); }
int clinux_kd_set_mode(int tty, int mode) { return ioctl(tty, KDSETMODE, (long)mode); }
int clinux_kd_get_keyboard(int tty, int *mode) { return ioctl(tty, KDGKBMODE, mode); }
int clinux_kd_set_keyboard(int tty, int mode) { return ioctl(tty, KDSKBMODE, (long)mode); }

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
