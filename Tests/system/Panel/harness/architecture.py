# SPDX-License-Identifier: Apache-2.0
"""Differences between the guest's possible processors."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Architecture:
    debian: str  # in package names
    qemu: str  # the emulator's command
    qemu_package: str
    machine: tuple  # QEMU's machine and processor
    console: str  # the kernel's name for QEMU's serial port


ARCHITECTURES = {
    "x86_64": Architecture(
        debian="amd64",
        qemu="qemu-system-x86_64",
        qemu_package="qemu-system-x86",
        # Without five-level page tables (la57), which cost each emulated TLB miss one more step.
        # qboot is a firmware that only starts a kernel.
        machine=("-machine", "q35,vmport=off", "-cpu", "max,la57=off", "-bios", "qboot.rom"),
        console="ttyS0",
    ),
    "aarch64": Architecture(
        debian="arm64",
        qemu="qemu-system-aarch64",
        qemu_package="qemu-system-arm",
        # Emulated pointer authentication triples the time of every function call.
        machine=("-machine", "virt", "-cpu", "max,pauth-impdef=on"),
        console="ttyAMA0",
    ),
}
