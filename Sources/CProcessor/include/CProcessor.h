// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdbool.h>

#include "Lanes.h"

// What of the processor Swift has no name for.

// Asks for the cache line at an address that will be read and written soon; nothing happens if there is none.
static inline void inkpanel_prefetch(const void *address) { __builtin_prefetch(address, 1, 3); }

// Whether the processor and the kernel do x86-64-v3: AVX2 and what came with it. False on other architectures.
bool inkpanel_has_x86_64_v3(void);
