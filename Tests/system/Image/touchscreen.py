# SPDX-License-Identifier: Apache-2.0
"""A USB touch screen for five fingers, plugged into a machine by QEMU's usb-redir: a real HID descriptor on a real bus,
so that the guest's usbhid, hid-multitouch and evdev work as on a machine that has one.

QEMU: -chardev socket,id=touch,path=PATH,server=on,wait=off -device usb-redir,chardev=touch. The messages are those of
usbredir's protocol, version 0.7, without optional capabilities.
"""

import socket
import struct
import threading
import time

HELLO, CONNECT, INTERFACES, ENDPOINTS = 0, 1, 4, 5
SET_CONFIGURATION, GET_CONFIGURATION, CONFIGURATION, SET_ALTERNATIVE, GET_ALTERNATIVE, ALTERNATIVE = range(6, 12)
START_INTERRUPTS, STOP_INTERRUPTS, INTERRUPTS, CONTROL, INTERRUPT = 15, 16, 17, 100, 103
MAXIMUM = 4095
FINGERS = 5
# Digits for tests: pid.codes' vendor, its first test product.
VENDOR, PRODUCT = 0x1209, 0x0001


def finger() -> bytes:
    """HID report descriptor of a contact: tip, confidence, identifier, and X and Y of 152 by 91 mm."""
    return bytes([
        0x09, 0x22, 0xA1, 0x02, 0x09, 0x42, 0x15, 0, 0x25, 1, 0x75, 1, 0x95, 1, 0x81, 2, 0x09, 0x47, 0x81, 2,
        0x95, 6, 0x81, 3, 0x75, 8, 0x95, 1, 0x09, 0x51, 0x25, 0x7F, 0x81, 2,
        0x05, 1, 0x26, *struct.pack("<H", MAXIMUM), 0x75, 16, 0x55, 0x0E, 0x65, 0x11,
        0x09, 0x30, 0x35, 0, 0x46, *struct.pack("<H", 1524), 0x81, 2, 0x09, 0x31, 0x46, *struct.pack("<H", 914), 0x81, 2,
        0x45, 0, 0x55, 0, 0x65, 0, 0x05, 0x0D, 0xC0])


REPORT = bytes([0x05, 0x0D, 0x09, 0x04, 0xA1, 0x01, 0x85, 1]) + finger() * FINGERS + bytes([
    0x09, 0x54, 0x25, 0x7F, 0x75, 8, 0x95, 1, 0x81, 2,  # number of contacts
    0x85, 2, 0x09, 0x55, 0x25, FINGERS, 0x75, 8, 0x95, 1, 0xB1, 2, 0xC0])  # the most, a feature
LENGTH = 1 + FINGERS * 6 + 1
DEVICE = struct.pack("<BBHBBBBHHHBBBB", 18, 1, 0x0200, 0, 0, 0, 64, VENDOR, PRODUCT, 0x0100, 1, 2, 3, 1)
HID = struct.pack("<BBHBBBH", 9, 0x21, 0x0111, 0, 1, 0x22, len(REPORT))
CONFIGURATION_DESCRIPTOR = (
    struct.pack("<BBHBBBBB", 9, 2, 34, 1, 1, 0, 0x80, 50) + struct.pack("<BBBBBBBBB", 9, 4, 0, 0, 1, 3, 0, 0, 0)
    + HID + struct.pack("<BBBBHB", 7, 5, 0x81, 3, 64, 8))
STRINGS = ["", "Inkpanel tests", "Touch screen", "0001"]


class TouchScreen:
    """Coordinates are pixels of the screen that it lies on."""

    def __init__(self, path, size: tuple[int, int], repeats: int = 1):
        self.size, self.repeats, self.is_read, self.contacts = size, repeats, threading.Event(), {}
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))
        self.lock = threading.Lock()
        self.send(HELLO, 0, b"inkpanel".ljust(64, b"\0") + bytes(4))
        threading.Thread(target=self.serve, daemon=True).start()

    def close(self) -> None:
        self.socket.close()

    def send(self, kind: int, number: int, body: bytes) -> None:
        with self.lock:
            self.socket.sendall(struct.pack("<III", kind, len(body), number) + body)

    def take(self, count: int) -> bytes:
        taken = b""
        while len(taken) < count:
            part = self.socket.recv(count - len(taken))
            if not part:
                raise EOFError
            taken += part
        return taken

    def plug(self) -> None:
        kinds = bytearray([255] * 32)
        kinds[0] = kinds[16] = 0
        kinds[17] = 3
        interval = bytearray(32)
        interval[17] = 8
        self.send(INTERFACES, 0, struct.pack("<I", 1) + bytes(32) + bytes([3]) + bytes(31) + bytes(64))
        self.send(ENDPOINTS, 0, bytes(kinds) + bytes(interval) + bytes(32))
        self.send(CONNECT, 0, struct.pack("<BBBBHH", 1, 0, 0, 0, VENDOR, PRODUCT))

    def serve(self) -> None:
        try:
            while True:
                kind, length, number = struct.unpack("<III", self.take(12))
                self.answer(kind, number, self.take(length))
        except (EOFError, OSError):
            pass

    def answer(self, kind: int, number: int, body: bytes) -> None:
        if kind == HELLO:
            self.plug()
        elif kind == SET_CONFIGURATION:
            self.send(CONFIGURATION, number, bytes([0, body[0]]))
        elif kind == GET_CONFIGURATION:
            self.send(CONFIGURATION, number, bytes([0, 1]))
        elif kind == SET_ALTERNATIVE:
            self.send(ALTERNATIVE, number, bytes([0, body[0], body[1]]))
        elif kind == GET_ALTERNATIVE:
            self.send(ALTERNATIVE, number, bytes([0, body[0], 0]))
        elif kind in (START_INTERRUPTS, STOP_INTERRUPTS):
            self.send(INTERRUPTS, number, bytes([0, body[0]]))
            (self.is_read.set if kind == START_INTERRUPTS else self.is_read.clear)()
        elif kind == CONTROL:
            self.control(number, *struct.unpack("<BBBBHHH", body[:10]))

    def control(self, number, endpoint, request, kind, _, value, index, length) -> None:
        data, status = b"", 0
        if request == 6 and kind & 0x80:  # GET_DESCRIPTOR
            if value >> 8 == 3:
                text = STRINGS[value & 255].encode("utf-16-le") if value & 255 else struct.pack("<H", 0x409)
                data = bytes([len(text) + 2, 3]) + text
            else:
                data = {1: DEVICE, 2: CONFIGURATION_DESCRIPTOR, 0x21: HID, 0x22: REPORT}.get(value >> 8, b"")
                status = 0 if data else 4  # a stall
        elif kind == 0xA1 and request == 1:  # GET_REPORT
            data = bytes([2, FINGERS]) if value == 0x0302 else bytes([1]) + bytes(LENGTH - 1)
        elif kind & 0x80 and request == 0:  # GET_STATUS
            data = bytes(2)
        data = data[:length]
        count = len(data) if kind & 0x80 else length
        self.send(CONTROL, number, struct.pack("<BBBBHHH", endpoint, request, kind, status, value, index, count) + data)

    # Fingers: number -> (x, y)

    def report(self, lifted=()) -> None:
        contacts = [(finger, 1, at) for finger, at in sorted(self.contacts.items())]
        contacts += [(finger, 0, at) for finger, at in lifted]
        body = b"".join(struct.pack("<BBHH", tip | 2, finger, *self.units(at)) for finger, tip, at in contacts)
        data = bytes([1]) + body.ljust(FINGERS * 6, b"\0") + bytes([len(contacts)])
        for _ in range(self.repeats):
            self.send(INTERRUPT, 0, struct.pack("<BBH", 0x81, 0, len(data)) + data)

    def units(self, at) -> list[int]:
        return [max(0, min(MAXIMUM, round(value * (MAXIMUM + 1) / side))) for value, side in zip(at, self.size)]

    def move(self, contacts: dict) -> None:
        self.contacts.update(contacts)
        self.report()

    def lift(self, *fingers) -> None:
        self.report([(finger, self.contacts.pop(finger)) for finger in fingers])

    def stroke(self, points, rate: float = 60, finger: int = 0, lifts: bool = True) -> None:
        for point in points:
            self.move({finger: point})
            time.sleep(1 / rate)
        if lifts:
            self.lift(finger)
            time.sleep(2 / rate)

    def tap(self, x: float, y: float) -> None:
        self.stroke([(x, y)], rate=10)
