// SPDX-License-Identifier: Apache-2.0
#include "CFork.h"

#include <unistd.h>

pid_t cfork_fork(void) { return fork(); }
