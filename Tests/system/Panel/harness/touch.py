# SPDX-License-Identifier: Apache-2.0
"""Devices for tests: a multitouch panel (protocol B), a single-touch panel, a pen, a keyboard, any recorded one."""

from pathlib import Path

from . import evemu
from .machine import Machine

EV_SYN, EV_KEY, EV_ABS = 0, 1, 3
SYN_REPORT = [EV_SYN, 0, 0]
BTN_TOOL_PEN, BTN_TOUCH = 0x140, 0x14A
ABS_X, ABS_Y, ABS_PRESSURE = 0x00, 0x01, 0x18
ABS_MT_SLOT, ABS_MT_TOUCH_MAJOR = 0x2F, 0x30
ABS_MT_POSITION_X, ABS_MT_POSITION_Y, ABS_MT_TRACKING_ID = 0x35, 0x36, 0x39
INPUT_PROP_DIRECT = 1
BUS_USB, BUS_I2C = 0x3, 0x18
# KEY_* of linux/input-event-codes.h.
KEYS = {
    "1": 2, "2": 3, "3": 4, "tab": 15, "enter": 28, "shift": 42, "space": 57, "keypad 8": 72, "keypad 2": 80,
    "keypad enter": 96, "up": 103, "down": 108}
LAST_TRACKING_ID = 65535

DEFAULT_HZ = 60.0


class Device:
    """An input device in the guest. Playing returns after writing the last report."""

    def __init__(self, machine: Machine, description: dict):
        self.machine = machine
        self.description = description
        made = machine.call("create_device", description=description)
        self.number, self.node = made["device"], made["node"]

    def frames(self, frames: list) -> list:
        """Plays `[seconds, [[type, code, value], ...]]`, each at its time after the first, or later, never earlier.

        Returns the times before and after the write of each, in nanoseconds of CLOCK_MONOTONIC.
        """
        length = frames[-1][0] - frames[0][0] if frames else 0
        return self.machine.ask("play", length, device=self.number, frames=frames)

    def play(self, recording: Path, fast: bool = False, slower: float = 1) -> None:
        """Plays a recording at its own pace, slower by a factor, or all at once."""
        recorded = evemu.frames(recording)
        self.frames([[0 if fast else seconds * slower, events] for seconds, events in recorded])

    def unplug(self) -> None:
        self.machine.call("destroy_device", device=self.number)


class Digitizer(Device):
    """A device with positions, in its own units: fingers and pens."""

    hz = DEFAULT_HZ

    def down(self, x: int, y: int, slot: int = 0) -> None:
        self.frames([[0, self.down_events(x, y, slot)]])

    def move(self, x: int, y: int, slot: int = 0) -> None:
        self.frames([[0, self.move_events(x, y, slot)]])

    def up(self, slot: int = 0) -> None:
        self.frames([[0, self.up_events(slot)]])

    def tap(self, x: int, y: int, slot: int = 0, hz: float = None) -> list:
        """A tap of two reports, like the shortest real taps."""
        return self.stroke([(x, y)], slot=slot, hz=hz)

    def stroke(self, points: list, slot: int = 0, hz: float = None, fast: bool = False) -> list:
        """Touches at the first point, moves through the others at `hz`, lifts one report after the last."""
        return self.frames(self.stroke_frames(points, slot, hz, fast))

    def stroke_frames(self, points: list, slot: int = 0, hz: float = None, fast: bool = False, start: float = 0) -> list:
        period = 0 if fast else 1 / (hz or self.hz)
        (x, y), *others = points
        events = [self.down_events(x, y, slot), *(self.move_events(x, y, slot) for x, y in others), self.up_events(slot)]
        return [[start + i * period, each] for i, each in enumerate(events)]


class Touchscreen(Digitizer):
    """Protocol B with slots, and the single-touch axes of the oldest finger, like the kernel's drivers.

    With a `resolution`, in units per millimetre, it reports the size of contacts: `diameter` millimetres.
    """

    diameter = 9.0  # of a fingertip

    def __init__(
            self, machine: Machine, width: int, height: int, slots: int = 10, name: str = "Inkpanel test touchscreen",
            resolution: int = 0):
        x, y = [0, width - 1, 0, 0, resolution], [0, height - 1, 0, 0, resolution]
        self.resolution = resolution
        self.contacts: dict[int, tuple[int, int]] = {}  # by slot, oldest first
        self.tracking_id = 0
        self.slot = 0
        super().__init__(machine, {
            "name": name, "id": [BUS_I2C, 0x1209, 0x1, 1], "properties": [INPUT_PROP_DIRECT],
            "codes": {
                EV_KEY: [BTN_TOUCH],
                EV_ABS: [
                    ABS_X, ABS_Y, ABS_MT_SLOT, ABS_MT_POSITION_X, ABS_MT_POSITION_Y, ABS_MT_TRACKING_ID,
                    *([ABS_MT_TOUCH_MAJOR] if resolution else [])]},
            "axes": {
                ABS_X: x, ABS_Y: y, ABS_MT_SLOT: [0, slots - 1, 0, 0, 0], ABS_MT_POSITION_X: x, ABS_MT_POSITION_Y: y,
                ABS_MT_TRACKING_ID: [0, LAST_TRACKING_ID, 0, 0, 0],
                **({ABS_MT_TOUCH_MAJOR: [0, max(width, height), 0, 0, resolution]} if resolution else {})}})

    def down_events(self, x: int, y: int, slot: int) -> list:
        self.contacts[slot] = (x, y)
        self.tracking_id = (self.tracking_id + 1) % LAST_TRACKING_ID
        return [
            *self.select(slot), [EV_ABS, ABS_MT_TRACKING_ID, self.tracking_id], *self.place(x, y, slot),
            *self.single(), SYN_REPORT]

    def move_events(self, x: int, y: int, slot: int) -> list:
        self.contacts[slot] = (x, y)
        return [*self.select(slot), *self.place(x, y, slot), *self.single(), SYN_REPORT]

    def up_events(self, slot: int) -> list:
        del self.contacts[slot]
        return [*self.select(slot), [EV_ABS, ABS_MT_TRACKING_ID, -1], *self.single(), SYN_REPORT]

    def select(self, slot: int) -> list:
        if slot == self.slot:
            return []
        self.slot = slot
        return [[EV_ABS, ABS_MT_SLOT, slot]]

    def place(self, x: int, y: int, slot: int) -> list:
        # Skin never has the same size for long.
        size = round(self.diameter * self.resolution) + (x + y) % 2
        size = [[EV_ABS, ABS_MT_TOUCH_MAJOR, size]] if self.resolution else []
        return [[EV_ABS, ABS_MT_POSITION_X, x], [EV_ABS, ABS_MT_POSITION_Y, y], *size]

    def single(self) -> list:
        """What input_mt_report_pointer_emulation() adds. The kernel omits unchanged values."""
        if not self.contacts:
            return [[EV_KEY, BTN_TOUCH, 0]]
        x, y = next(iter(self.contacts.values()))
        return [[EV_KEY, BTN_TOUCH, 1], [EV_ABS, ABS_X, x], [EV_ABS, ABS_Y, y]]


class Keyboard(Device):
    """A USB keyboard with a keypad."""

    def __init__(self, machine: Machine, name: str = "Inkpanel test keyboard"):
        super().__init__(machine, {
            "name": name, "id": [BUS_USB, 0x1209, 0x4, 1], "properties": [],
            "codes": {EV_KEY: list(KEYS.values())}, "axes": {}})

    def press(self, *keys: str, every: float = 0.2) -> None:
        """Presses keys one after another, each for a quarter of the time; `shift+` holds Shift."""
        frames = []
        for number, key in enumerate(keys):
            *held, name = [KEYS[part] for part in key.split("+")]
            start = number * every
            frames.append([start, [*([EV_KEY, code, 1] for code in held), [EV_KEY, name, 1], SYN_REPORT]])
            frames.append([start + every / 4, [[EV_KEY, name, 0], *([EV_KEY, code, 0] for code in held), SYN_REPORT]])
        self.frames(frames)


class SingleTouch(Digitizer):
    """A resistive panel: one position and BTN_TOUCH. Slots are ignored."""

    def __init__(self, machine: Machine, width: int, height: int, name: str = "Inkpanel test single touch"):
        super().__init__(machine, {
            "name": name, "id": [BUS_I2C, 0x1209, 0x2, 1], "properties": [INPUT_PROP_DIRECT],
            "codes": {EV_KEY: [BTN_TOUCH], EV_ABS: [ABS_X, ABS_Y]},
            "axes": {ABS_X: [0, width - 1, 0, 0, 0], ABS_Y: [0, height - 1, 0, 0, 0]}})

    def down_events(self, x: int, y: int, slot: int) -> list:
        return [[EV_KEY, BTN_TOUCH, 1], *self.place(x, y), SYN_REPORT]

    def move_events(self, x: int, y: int, slot: int) -> list:
        return [*self.place(x, y), SYN_REPORT]

    def up_events(self, slot: int) -> list:
        return [[EV_KEY, BTN_TOUCH, 0], SYN_REPORT]

    def place(self, x: int, y: int) -> list:
        return [[EV_ABS, ABS_X, x], [EV_ABS, ABS_Y, y]]


class Pen(SingleTouch):
    """A pen display: hovers before it touches; `pressure` varies a little, as a hand's does."""

    def __init__(self, machine: Machine, width: int, height: int, pressures: int = 2048, name: str = "Inkpanel test pen"):
        self.pressure = pressures // 2
        Device.__init__(self, machine, {
            "name": name, "id": [BUS_I2C, 0x1209, 0x3, 1], "properties": [INPUT_PROP_DIRECT],
            "codes": {EV_KEY: [BTN_TOOL_PEN, BTN_TOUCH], EV_ABS: [ABS_X, ABS_Y, ABS_PRESSURE]},
            "axes": {
                ABS_X: [0, width - 1, 0, 0, 100], ABS_Y: [0, height - 1, 0, 0, 100],
                ABS_PRESSURE: [0, pressures - 1, 0, 0, 0]}})

    def down_events(self, x: int, y: int, slot: int) -> list:
        return [[EV_KEY, BTN_TOOL_PEN, 1], [EV_KEY, BTN_TOUCH, 1], *self.place(x, y), SYN_REPORT]

    def up_events(self, slot: int) -> list:
        return [[EV_ABS, ABS_PRESSURE, 0], [EV_KEY, BTN_TOUCH, 0], [EV_KEY, BTN_TOOL_PEN, 0], SYN_REPORT]

    def place(self, x: int, y: int) -> list:
        return [[EV_ABS, ABS_X, x], [EV_ABS, ABS_Y, y], [EV_ABS, ABS_PRESSURE, self.pressure + (x + y) % 3]]

    def lift(self) -> None:
        """Lifts but stays in range, as every pen does before it leaves."""
        self.frames([[0, [[EV_ABS, ABS_PRESSURE, 0], [EV_KEY, BTN_TOUCH, 0], SYN_REPORT]]])

    def hover(self, x: int, y: int) -> None:
        """Hovers, and stays in range."""
        self.frames([[0, [[EV_KEY, BTN_TOOL_PEN, 1], [EV_ABS, ABS_X, x], [EV_ABS, ABS_Y, y], SYN_REPORT]]])
