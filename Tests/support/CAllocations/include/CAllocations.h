// SPDX-License-Identifier: Apache-2.0
#ifndef CALLOCATIONS_H
#define CALLOCATIONS_H

/// How often this thread has asked for memory so far.
long allocation_count(void);

#endif
