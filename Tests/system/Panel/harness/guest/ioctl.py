# SPDX-License-Identifier: Apache-2.0
"""ioctl request numbers, composed as in the kernel's asm-generic/ioctl.h (the same for x86 and arm)."""


def IO(kind: str, number: int) -> int:
    return ord(kind) << 8 | number


def IOW(kind: str, number: int, size: int) -> int:
    return 1 << 30 | size << 16 | IO(kind, number)


def IOR(kind: str, number: int, size: int) -> int:
    return 2 << 30 | size << 16 | IO(kind, number)


def IOWR(kind: str, number: int, size: int) -> int:
    return 3 << 30 | size << 16 | IO(kind, number)
