// SPDX-License-Identifier: Apache-2.0
#include "CProcessor.h"

bool inkpanel_has_x86_64_v3(void) {
#if defined(__x86_64__)
    // The instructions that the compiler may use for x86-64-v3 (System V ABI, AMD64 supplement, table 3.1).
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("fma") && __builtin_cpu_supports("lzcnt") && __builtin_cpu_supports("movbe") &&
           __builtin_cpu_supports("f16c");
#else
    return false;
#endif
}
