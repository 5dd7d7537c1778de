# SPDX-License-Identifier: Apache-2.0
"""A cpio archive in the kernel's `newc` format, the form of an initramfs."""

import stat


class Archive:
    def __init__(self):
        self.parts: list[bytes] = []
        self.inode = 0

    def folder(self, name: str) -> None:
        self.add(name, stat.S_IFDIR | 0o755, b"")

    def file(self, name: str, content: bytes, executable: bool = False) -> None:
        self.add(name, stat.S_IFREG | (0o755 if executable else 0o644), content)

    def console(self) -> None:
        """/dev/console, for init's messages before /dev is mounted."""
        self.add("dev/console", stat.S_IFCHR | 0o600, b"", device=(5, 1))

    def add(self, name: str, mode: int, content: bytes, device=(0, 0)) -> None:
        self.inode += 1
        encoded = name.encode() + b"\0"
        fields = [self.inode, mode, 0, 0, 1, 0, len(content), 0, 0, *device, len(encoded), 0]
        header = b"070701" + b"".join(b"%08X" % field for field in fields)
        self.parts.append(aligned(header + encoded) + aligned(content))

    def bytes(self) -> bytes:
        self.add("TRAILER!!!", 0, b"")
        return b"".join(self.parts)


def aligned(content: bytes) -> bytes:
    return content + b"\0" * (-len(content) % 4)
