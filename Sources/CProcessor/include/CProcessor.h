// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdbool.h>

#include "Lanes.h"

// Processor features that Swift does not offer.

// Prefetches the cache line at an address that will be read and written soon. Any address is allowed.
static inline void inkpanel_prefetch(const void *address) { __builtin_prefetch(address, 1, 3); }

// Whether the processor and the kernel support x86-64-v3 (AVX2). False on other architectures.
bool inkpanel_has_x86_64_v3(void);
