# SPDX-License-Identifier: Apache-2.0
"""HID devices made with /dev/uhid, for the kernel's HID drivers (Documentation/hid/uhid.rst)."""

import errno
import os
import struct
import threading

from pace import paced

DESTROY, START, STOP = 1, 2, 3
GET_REPORT, GET_REPORT_REPLY, CREATE2, INPUT2, SET_REPORT, SET_REPORT_REPLY = 9, 10, 11, 12, 13, 14
EVENT_SIZE = 4380  # size of struct uhid_event
LARGEST = 4096


class Device:
    """`description`: name, id (bus, vendor, product), descriptor in hexadecimal. Returns once a driver is bound."""

    def __init__(self, description: dict):
        name, ids, descriptor = description["name"], description["id"], bytes.fromhex(description["descriptor"])
        self.fd = os.open("/dev/uhid", os.O_RDWR | os.O_CLOEXEC)
        self.is_taken = threading.Event()
        event = struct.pack(
            "<I128s64s64sHHIIII", CREATE2, name.encode()[:127], b"", b"", len(descriptor), ids[0], ids[1], ids[2], 0, 0)
        os.write(self.fd, event + descriptor.ljust(LARGEST, b"\0"))
        # The driver requests features while it binds the device, and waits for the answers.
        self.answerer = threading.Thread(target=self.answer, daemon=True)
        self.answerer.start()
        if not self.is_taken.wait(10):
            raise OSError(f"no HID driver has taken {name}")

    def answer(self) -> None:
        """Answers like a device without features, and confirms whatever is set."""
        while True:
            event = os.read(self.fd, EVENT_SIZE)
            kind = struct.unpack_from("<I", event)[0]
            if kind == STOP:
                return
            if kind == START:
                self.is_taken.set()
            elif kind == GET_REPORT:
                request = struct.unpack_from("<I", event, 4)[0]
                os.write(self.fd, struct.pack("<IIHH", GET_REPORT_REPLY, request, errno.EIO, 0))
            elif kind == SET_REPORT:
                request = struct.unpack_from("<I", event, 4)[0]
                os.write(self.fd, struct.pack("<IIH", SET_REPORT_REPLY, request, 0))

    def play(self, reports: list) -> None:
        """Sends the reports `[seconds, hexadecimal]` at their pace."""
        for report in paced(reports):
            content = bytes.fromhex(report)
            os.write(self.fd, struct.pack("<IH", INPUT2, len(content)) + content)

    def destroy(self) -> None:
        if self.fd >= 0:
            os.write(self.fd, struct.pack("<I", DESTROY))
            # It must not read the events of the next device with this number.
            self.answerer.join(10)
            os.close(self.fd)
            self.fd = -1
