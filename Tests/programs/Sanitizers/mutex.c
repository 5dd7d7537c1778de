// SPDX-License-Identifier: Apache-2.0
// Preloaded into the unit tests under the thread sanitizer, which does not see into Swift's library: a Mutex that is
// waited for is taken and given back there (_lockSlow and _unlockSlow of stdlib/public/Synchronization/Mutex,
// LinuxImpl.swift), and what it protects would be called a race. Free ones are taken in code that the sanitizer sees.
// These say what the library does, and have it done.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// Of the sanitizer's runtime; absent in other programs that this is loaded into.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

typedef __attribute__((swiftcall)) void (*lock_slow_type)(uint32_t, __attribute__((swift_context)) void *);
typedef __attribute__((swiftcall)) void (*unlock_slow_type)(__attribute__((swift_context)) void *);

__attribute__((swiftcall)) void lock_slow(uint32_t, __attribute__((swift_context)) void *) __asm__(LOCK_SLOW);
__attribute__((swiftcall)) void unlock_slow(__attribute__((swift_context)) void *) __asm__(UNLOCK_SLOW);

__attribute__((swiftcall)) void lock_slow(uint32_t thread, __attribute__((swift_context)) void *mutex) {
    ((lock_slow_type)dlsym(RTLD_NEXT, LOCK_SLOW))(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

__attribute__((swiftcall)) void unlock_slow(__attribute__((swift_context)) void *mutex) {
    if (__tsan_release) __tsan_release(mutex);
    ((unlock_slow_type)dlsym(RTLD_NEXT, UNLOCK_SLOW))(mutex);
}
