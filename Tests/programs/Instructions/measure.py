#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions of the panel's work, and estimates its time on a small board (docs/benchmarks.md).

usage: measure.py QEMU INKPANEL [ROOT]

QEMU is qemu-aarch64 or qemu-x86_64 of Debian's package qemu-user, not qemu-user-static, which has no plugins. INKPANEL
is the program for that processor (`make cross ARCH=arm64`), ROOT the folder with its libraries (`tools/debian-13
arm64`). A Cortex-A53 has 3.1 CoreMark/MHz, about one instruction a cycle; half of that is assumed, for code that misses
caches. The kernel's own work is not counted.
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

PER_CYCLE, HERTZ = 0.5, 1e9
SIZES = ('800x480', '1280x800')
HERE = os.path.dirname(os.path.abspath(__file__))
HANDWRITING = os.path.join(HERE, '../../data/Handwriting/handwriting.events')
TAP = '''N: tap
P: 02 00 00 00 00 00 00 00
A: 2f 0 4 0 0
A: 35 0 1000 0 0
A: 36 0 1000 0 0
A: 39 0 65535 0 0
E: 0.000000 0003 0039 1
E: 0.000000 0003 0035 500
E: 0.000000 0003 0036 500
E: 0.000000 0000 0000 0
E: 0.010000 0003 0039 -1
E: 0.010000 0000 0000 0
'''


def counts(log):
    """The instructions of each thread, in the order in which they began."""
    found = re.search(r'^instructions ([\d ]+)$', log, re.M)
    if not found:
        sys.exit('not counted: ' + log)
    return [int(number) for number in found[1].split()]


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    qemu, panel = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        plugin, tap = folder + '/libcount.so', folder + '/tap.events'
        subprocess.run(['cc', '-O2', '-shared', '-fPIC', '-o', plugin, HERE + '/count.c'], check=True)
        with open(tap, 'w') as file:
            file.write(TAP)
        command = [qemu, *(['-L', sys.argv[3]] if len(sys.argv) > 3 else []), '-plugin', plugin, panel]
        environment = {**os.environ, 'XDG_CACHE_HOME': folder}

        def replay(path, size):
            run = subprocess.run([*command, 'replay', path, '--display', 'headless:' + size], env=environment,
                                 stderr=subprocess.PIPE, text=True, check=True)
            return counts(run.stderr), run.stderr

        def start(size):
            with tempfile.TemporaryDirectory() as state:
                child = subprocess.Popen(
                    [*command, 'run', '--touch', 'replay:' + tap, '--display', 'headless:' + size,
                     '--store', state + '/records', '--socket', state + '/panel.sock'],
                    env=environment, stderr=subprocess.PIPE, text=True)
                log = ''
                while ' ready: ' not in log:
                    line = child.stderr.readline()
                    if not line:
                        sys.exit('the panel ended: ' + log)
                    log += line
                # The recording of a tap ends within milliseconds, also when they are emulated.
                time.sleep(3)
                child.send_signal(signal.SIGTERM)
                return counts(log + child.communicate()[0 if child.stdout else 1])

        def show(name, instructions, budget):
            milliseconds = instructions / PER_CYCLE / HERTZ * 1000
            print(f'{name:44} {instructions / 1e6:8.2f} M  {milliseconds:8.2f} ms  (budget {budget} ms)')

        for size in SIZES:
            before, _ = replay(tap, size)
            after, log = replay(HANDWRITING, size)
            reports = int(re.search(r'reports (\d+)', log)[1])
            frames = int(re.search(r'frames (\d+)', log)[1])
            drawn = after[1] - before[1]
            show(f'{size}: report, with its frame', drawn / frames + (after[0] - before[0]) / reports, 16)
            # The first start may read all fonts, and leaves fontconfig a cache.
            start(size)
            threads = start(size)
            show(f'{size}: page, with its fonts', max(threads[1:]), 200)
            show(f'{size}: start', sum(threads), 1500)


if __name__ == '__main__':
    main()
