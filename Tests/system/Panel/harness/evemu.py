# SPDX-License-Identifier: Apache-2.0
"""Recordings of real devices in evemu's text format: the description of the device, and its reports with their times.

Lines that count (evemu 1.0 to 1.3): `N:` name, `I:` bus vendor product version, `P:` properties as bytes,
`B: type` codes as bytes, `A: code min max fuzz flat [resolution]`, `E: seconds type code value`. Old recordings keep the
description in a `.desc` or `.device` file with the device's name, beside the file with the events.
"""

from pathlib import Path

from .failure import PanelFailure

EV_FF = 0x15
EV_REP = 0x14


def describe(path: Path) -> dict:
    """The device of a recording, in the form for the guest's uinput."""
    for candidate in description_files(Path(path)):
        description = parse_description(candidate.read_text(errors="replace"))
        if description["codes"]:
            return description
    raise PanelFailure(f"{path} describes no device, and no .desc or .device file beside it does")


def description_files(path: Path):
    yield path
    stem = path.name
    while "." in stem:
        stem = stem.rpartition(".")[0]
        for suffix in (".desc", ".device"):
            candidate = path.parent / (stem + suffix)
            if candidate.exists():
                yield candidate


def parse_description(text: str) -> dict:
    name, identity, properties = "recorded device", [0, 0, 0, 0], []
    codes: dict[int, list[int]] = {}
    axes: dict[int, list[int]] = {}
    property_bytes: list[int] = []
    code_bytes: dict[int, list[int]] = {}
    for line in text.splitlines():
        key, _, rest = line.partition(":")
        fields = rest.split()
        if key == "N":
            name = rest.strip()
        elif key == "I":
            identity = [int(field, 16) for field in fields]
        elif key == "P":
            property_bytes += [int(field, 16) for field in fields]
        elif key == "B":
            code_bytes.setdefault(int(fields[0], 16), []).extend(int(field, 16) for field in fields[1:])
        elif key == "A":
            minimum, maximum, _fuzz, flat = (int(field) for field in fields[1:5])
            resolution = int(fields[5]) if len(fields) > 5 else 0
            # Fuzz 0: the recorded values have already passed the kernel's fuzz filter.
            axes[int(fields[0], 16)] = [minimum, maximum, 0, flat, resolution]
    properties = bits(property_bytes)
    for kind, content in code_bytes.items():
        # Synchronization is implied, a device with force feedback would wait for a program that plays effects, and key
        # repeat would add events.
        if kind not in (0, EV_FF, EV_REP) and bits(content):
            codes[kind] = bits(content)
    return {"name": name, "id": identity, "properties": properties, "codes": codes, "axes": axes}


def bits(content: list[int]) -> list[int]:
    return [8 * i + bit for i, byte in enumerate(content) for bit in range(8) if byte >> bit & 1]


def frames(path: Path) -> list:
    """The reports: `[seconds since the first, [[type, code, value], ...]]`, each ended by its SYN_REPORT."""
    found, events, first = [], [], None
    for line in Path(path).read_text(errors="replace").splitlines():
        if not line.startswith("E:"):
            continue
        fields = line[2:].split("#")[0].split()
        seconds = float(fields[0])
        first = seconds if first is None else first
        event = [int(fields[1], 16), int(fields[2], 16), int(fields[3])]
        events.append(event)
        if event[:2] == [0, 0]:
            found.append([max(0.0, seconds - first), events])
            events = []
    if not found:
        raise PanelFailure(f"{path} holds no reports")
    return found


def write(path: Path, description: dict, frames: list) -> None:
    """Writes a recording file of what a test plays."""
    lines = ["# EVEMU 1.3", f"N: {description['name']}", "I: " + " ".join(f"{field:04x}" for field in description["id"])]
    lines += ["P: " + " ".join(row) for row in rows_of_bytes(description["properties"], 64)]
    for kind, codes in description["codes"].items():
        lines += [f"B: {kind:02x} " + " ".join(row) for row in rows_of_bytes(codes, 96 * 8 if kind == 1 else 64)]
    for code, axis in description["axes"].items():
        lines.append(f"A: {code:02x} " + " ".join(map(str, axis)))
    for seconds, events in frames:
        lines += [f"E: {seconds:.6f} {kind:04x} {code:04x} {value}" for kind, code, value in events]
    path.write_text("\n".join(lines) + "\n")


def rows_of_bytes(set_bits: list[int], count: int) -> list[list[str]]:
    content = [sum(1 << bit for bit in range(8) if 8 * i + bit in set_bits) for i in range(count // 8)]
    return [[f"{byte:02x}" for byte in content[i:i + 8]] for i in range(0, len(content), 8)]
