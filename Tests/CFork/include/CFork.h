// SPDX-License-Identifier: Apache-2.0
// fork(2), which Swift does not import because it is unsafe in a process with several threads. The program that calls
// it has one.
#pragma once
#include <sys/types.h>

pid_t cfork_fork(void);
