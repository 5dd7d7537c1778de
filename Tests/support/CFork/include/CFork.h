// SPDX-License-Identifier: Apache-2.0
// fork(2), which Swift does not import because it is unsafe in a process with several threads (the program that calls
// it has one), and ptrace(2), which is variadic.
#pragma once
#include <sys/types.h>

pid_t cfork_fork(void);

/// In the child: lets the parent trace it, and stops until it does. Returns 0, or -1 with errno.
int cfork_be_traced(void);
/// In the parent: lets the child begin and end `stops` system calls, where each is two stops, then kills it with
/// SIGKILL and waits for it. Returns 1, 0 when the child ended before, or -1 with errno.
int cfork_kill_at(pid_t child, int stops);
