# SPDX-License-Identifier: Apache-2.0
"""What differs between the processors the guest can have."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Architecture:
    debian: str  # as in package names
    qemu: str  # the emulator's command
    qemu_package: str
    machine: tuple  # QEMU's machine and processor
    console: str  # the kernel's name of the serial port QEMU gives it


ARCHITECTURES = {
    "x86_64": Architecture(
        debian="amd64",
        qemu="qemu-system-x86_64",
        qemu_package="qemu-system-x86",
        # Five-level page tables (la57) cost each emulated TLB miss one more step and serve nobody here.
        # qboot is the firmware that does nothing but start a kernel.
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
