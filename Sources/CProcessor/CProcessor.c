// SPDX-License-Identifier: Apache-2.0
#include "CProcessor.h"

#if defined(__x86_64__)
#include <cpuid.h>

bool inkpanel_has_x86_64_v3(void) {
    // The features of x86-64-v3 (System V ABI, AMD64 supplement, table 3.1). The builtin also checks that the kernel
    // saves the wide registers, but not every compiler knows the names of all features.
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2") ||
        !__builtin_cpu_supports("fma")) {
        return false;
    }
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_MOVBE) || !(c & bit_F16C)) return false;
    return __get_cpuid(0x80000001, &a, &b, &c, &d) && (c & bit_LZCNT);
}
#else
bool inkpanel_has_x86_64_v3(void) { return false; }
#endif
