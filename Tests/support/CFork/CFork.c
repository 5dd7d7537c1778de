// SPDX-License-Identifier: Apache-2.0
#include "CFork.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t cfork_fork(void) { return fork(); }

int cfork_be_traced(void) { return ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0 ? raise(SIGSTOP) : -1; }

// 1 when the child has stopped, 0 when it has ended, -1 with errno.
static int wait_for_stop(pid_t child) {
    int status;
    while (waitpid(child, &status, 0) == -1) {
        if (errno != EINTR) return -1;
    }
    return WIFSTOPPED(status) ? 1 : 0;
}

int cfork_kill_at(pid_t child, int stops) {
    int stopped = wait_for_stop(child);
    for (int i = 0; stopped == 1 && i < stops; i++) {
        if (ptrace(PTRACE_SYSCALL, child, NULL, NULL) == -1) return -1;
        stopped = wait_for_stop(child);
    }
    if (stopped != 1) return stopped;
    if (kill(child, SIGKILL) == -1) return -1;
    // A call that it stopped before is not made.
    while ((stopped = wait_for_stop(child)) == 1) {}
    return stopped == 0 ? 1 : -1;
}
