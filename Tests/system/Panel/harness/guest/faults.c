// SPDX-License-Identifier: Apache-2.0
// Preloaded into the program under test, to make calls of the display driver fail on a script. Each call reads the file
// that DRM_FAULTS names:
//
//     NUMBER WHAT ERRNO COUNT
//
// The next COUNT calls of that kind fail with ERRNO; a new NUMBER restarts counting. WHAT is `flip` (PAGE_FLIP, and
// ATOMIC without a modeset), `modeset` (SETCRTC, and ATOMIC with one), `buffer` (CREATE_DUMB), `any` (all of these),
// `netlink` (creating such a socket), or `event`: completions are discarded, whatever the ERRNO.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <drm.h>
#include <drm_mode.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define DRM_MAJOR 226

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// The errno of an injected fault, or 0.
static int fault(const char *what) {
    static int number, left, error;
    static char wanted[16];
    const char *path = getenv("DRM_FAULTS");
    if (!path) return 0;
    pthread_mutex_lock(&lock);
    FILE *file = fopen(path, "re");
    if (file) {
        int new_number, new_error, count;
        char kind[16];
        if (fscanf(file, "%d %15s %d %d", &new_number, kind, &new_error, &count) == 4 && new_number != number) {
            number = new_number, error = new_error, left = count;
            strcpy(wanted, kind);
        }
        fclose(file);
    }
    int is_call_of_card = strcmp(what, "event") && strcmp(what, "netlink");
    int hits = left > 0 && (!strcmp(wanted, what) || (!strcmp(wanted, "any") && is_call_of_card));
    if (hits) left--;
    int answer = hits ? (error ? error : EAGAIN) : 0;
    pthread_mutex_unlock(&lock);
    return answer;
}

static const char *kind(unsigned long request, void *argument) {
    switch (request) {
    case DRM_IOCTL_MODE_PAGE_FLIP: return "flip";
    case DRM_IOCTL_MODE_SETCRTC: return "modeset";
    case DRM_IOCTL_MODE_CREATE_DUMB: return "buffer";
    case DRM_IOCTL_MODE_ATOMIC: {
        unsigned flags = ((struct drm_mode_atomic *)argument)->flags;
        if (flags & DRM_MODE_ATOMIC_TEST_ONLY) return NULL;
        return flags & DRM_MODE_ATOMIC_ALLOW_MODESET ? "modeset" : "flip";
    }
    default: return NULL;
    }
}

int ioctl(int descriptor, unsigned long request, ...) {
    static int (*next)(int, unsigned long, ...);
    if (!next) next = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
    va_list arguments;
    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (_IOC_TYPE(request) == DRM_IOCTL_BASE) {
        const char *what = kind(request, argument);
        int error = what ? fault(what) : 0;
        if (error) {
            errno = error;
            return -1;
        }
    }
    return next(descriptor, request, argument);
}

int socket(int family, int type, int protocol) {
    static int (*next)(int, int, int);
    if (!next) next = (int (*)(int, int, int))dlsym(RTLD_NEXT, "socket");
    int error = family == AF_NETLINK ? fault("netlink") : 0;
    if (error) {
        errno = error;
        return -1;
    }
    return next(family, type, protocol);
}

ssize_t read(int descriptor, void *buffer, size_t size) {
    static ssize_t (*next)(int, void *, size_t);
    if (!next) next = (ssize_t (*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
    ssize_t count = next(descriptor, buffer, size);
    struct stat status;
    if (count > 0 && !fstat(descriptor, &status) && S_ISCHR(status.st_mode) && major(status.st_rdev) == DRM_MAJOR
        && fault("event")) {
        errno = EAGAIN;
        return -1;
    }
    return count;
}
