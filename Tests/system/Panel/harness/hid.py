# SPDX-License-Identifier: Apache-2.0
"""Touch controllers on USB and I2C: a HID report descriptor, and input reports that match it.

Reads only the parts of the descriptor for touches ("Device Class Definition for HID" 1.11, 6.2.2; "HID Usage Tables",
digitizers page): which bits of which report are a finger's tip, position and identifier, and the number of fingers.
"""

from dataclasses import dataclass, field
from pathlib import Path

from .failure import PanelFailure
from .machine import Machine

TOUCH_SCREEN = 0x0D0004
X, Y = 0x010030, 0x010031
TIP_PRESSURE, IN_RANGE, TOUCH_VALID, TIP_SWITCH, CONFIDENCE = 0x0D0030, 0x0D0032, 0x0D0037, 0x0D0042, 0x0D0047
WIDTH, HEIGHT, CONTACT_ID, CONTACT_COUNT, SCAN_TIME = 0x0D0048, 0x0D0049, 0x0D0051, 0x0D0054, 0x0D0056

FINGER = 0x0D0022

COLLECTION_APPLICATION = 1


@dataclass
class Field:
    """A field of a report."""

    usage: int
    bit: int  # its first bit, from the start of the report without its number
    size: int
    minimum: int
    maximum: int
    collection: int  # the finger, or part of the application, that it belongs to


@dataclass
class Report:
    """An input report of the touch screen."""

    number: int  # 0 if the device has only one
    length: int = 0  # bits
    fields: list = field(default_factory=list)

    def fingers(self) -> list:
        """The collections with a position, in order."""
        found = {each.collection: None for each in self.fields if each.usage == X}
        return [[each for each in self.fields if each.collection == number] for number in found]


def parse(descriptor: bytes) -> dict[int, Report]:
    """The input reports of the device's touch screen application."""
    reports: dict[int, Report] = {}
    lengths: dict[int, int] = {}
    state = {"page": 0, "minimum": 0, "maximum": 0, "size": 0, "count": 0, "report": 0}
    stack: list = []  # of collections: (kind, usage, number)
    saved: list = []
    usages: list[int] = []
    first = 0
    collections = 0
    at = 0
    while at < len(descriptor):
        prefix = descriptor[at]
        size = (0, 1, 2, 4)[prefix & 3]
        content = descriptor[at + 1:at + 1 + size]
        unsigned, signed = int.from_bytes(content, "little"), int.from_bytes(content, "little", signed=True)
        at += 1 + size
        item = prefix & 0xFC
        if item == 0x04:
            state["page"] = unsigned
        elif item == 0x14:
            state["minimum"] = signed
        elif item == 0x24:
            # The maximum is signed only if the minimum is negative; many devices rely on that.
            state["maximum"] = signed if state["minimum"] < 0 else unsigned
        elif item == 0x74:
            state["size"] = unsigned
        elif item == 0x84:
            state["report"] = unsigned
        elif item == 0x94:
            state["count"] = unsigned
        elif item == 0xA4:
            saved.append(dict(state))
        elif item == 0xB4:
            state = saved.pop()
        elif item == 0x08:
            usages.append(unsigned if size == 4 else state["page"] << 16 | unsigned)
        elif item == 0x18:
            first = unsigned if size == 4 else state["page"] << 16 | unsigned
        elif item == 0x28:
            last = unsigned if size == 4 else state["page"] << 16 | unsigned
            usages += range(first, min(last, first + 255) + 1)
        elif item == 0xA0:
            collections += 1
            stack.append((unsigned, usages[-1] if usages else 0, collections))
            usages = []
        elif item == 0xC0:
            stack.pop()
        elif item == 0x80:
            number = state["report"]
            start = lengths.get(number, 0)
            lengths[number] = start + state["size"] * state["count"]
            is_touch = any(kind == COLLECTION_APPLICATION and usage == TOUCH_SCREEN for kind, usage, _ in stack)
            is_variable = unsigned & 3 == 2
            if is_touch:
                report = reports.setdefault(number, Report(number))
                # Some have the position in a nested collection.
                inner = next(
                    (each for _, usage, each in reversed(stack) if usage == FINGER), next(
                        (each for kind, _, each in reversed(stack) if kind != COLLECTION_APPLICATION), 0))
                for index in range(state["count"] if is_variable and usages else 0):
                    usage = usages[min(index, len(usages) - 1)]
                    report.fields.append(Field(
                        usage, start + index * state["size"], state["size"], state["minimum"], state["maximum"], inner))
        if item in (0x80, 0x90, 0xB0):
            usages = []
    for number, report in reports.items():
        report.length = lengths[number]
    return reports


class HidTouchscreen:
    """A touch controller in the guest, from a file under hid/. Its event devices are made by the kernel's drivers."""

    def __init__(self, machine: Machine, file: Path):
        lines = dict(line.split(": ", 1) for line in file.read_text().splitlines() if ": " in line)
        bus, vendor, product = (int(each, 16) for each in lines["I"].split())
        self.machine = machine
        self.name = lines["N"]
        self.ids = f"{vendor:04x}:{product:04x}"
        descriptor = bytes.fromhex(lines["R"].split(" ", 1)[1])
        with_place = [each for each in parse(descriptor).values() if each.fingers()]
        if not with_place:
            raise PanelFailure(f"{file.name} describes no touch screen")
        self.report = with_place[0]
        self.finger = self.report.fingers()[0]
        self.x, self.y = (next(each for each in self.finger if each.usage == usage) for usage in (X, Y))
        self.time = 0
        self.number = machine.call(
            "create_hid", description={
                "name": self.name, "id": [bus, vendor, product], "descriptor": descriptor.hex()})

    def cell(self, x: float, y: float) -> tuple[int, int]:
        """The device units at these fractions, 0 to 1, of the axes."""
        return tuple(
            axis.minimum + int(part * (axis.maximum - axis.minimum + 1)) for axis, part in ((self.x, x), (self.y, y)))

    def part(self, cell: tuple[int, int]) -> tuple[float, float]:
        """The centre of the units, as fractions 0 to 1 of the axes."""
        return tuple(
            (value - axis.minimum + 0.5) / (axis.maximum - axis.minimum + 1)
            for axis, value in ((self.x, cell[0]), (self.y, cell[1])))

    def touch(self, x: int, y: int) -> bytes:
        return self.build(x, y, {TIP_SWITCH: 1, IN_RANGE: 1, CONFIDENCE: 1, TOUCH_VALID: 1}, 1)

    def lift(self, x: int, y: int) -> list[bytes]:
        """Lifts, still in range, then leaves the range: the kernel's quirks wait for one or the other."""
        return [
            self.build(x, y, {IN_RANGE: 1, CONFIDENCE: 1, TOUCH_VALID: 1}, 1), self.build(x, y, {}, 0)]

    def stroke(self, cells: list, hz: float = 60) -> None:
        """Touches at the first point, moves through the others, lifts after the last."""
        reports = [self.touch(*cell) for cell in cells] + self.lift(*cells[-1])
        self.machine.ask("play_hid", len(reports) / hz, device=self.number, reports=[
            [number / hz, report.hex()] for number, report in enumerate(reports)])

    def build(self, x: int, y: int, states: dict, count: int) -> bytes:
        self.time += 100  # in units of 100 microseconds, as Windows expects
        values = {
            X: x, Y: y, CONTACT_COUNT: count, SCAN_TIME: self.time, TIP_PRESSURE: 30 if TIP_SWITCH in states else 0,
            WIDTH: 8, HEIGHT: 8, CONTACT_ID: 1, **states}
        content = 0
        for each in self.report.fields:
            is_first = each.collection == self.finger[0].collection
            if each.usage not in values or not (is_first or each.usage in (CONTACT_COUNT, SCAN_TIME)):
                continue
            value = values[each.usage]
            # Some declare a range of 0 to 0 but send other values.
            if each.minimum < each.maximum:
                value = min(max(value, each.minimum), each.maximum)
            content |= (value & (1 << each.size) - 1) << each.bit
        body = content.to_bytes((self.report.length + 7) // 8, "little")
        return (bytes([self.report.number]) if self.report.number else b"") + body

    def unplug(self) -> None:
        self.machine.call("destroy_hid", device=self.number)
