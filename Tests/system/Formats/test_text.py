# SPDX-License-Identifier: Apache-2.0
"""InkML, CSV and JSON as Python's own readers have them."""

import csv
import json
import re
from datetime import datetime, timezone
from xml.etree import ElementTree

import pytest

INKML = "{http://www.w3.org/2003/InkML}"
XML_ID = "{http://www.w3.org/XML/1998/namespace}id"


def inkml_traces(root) -> list[tuple[bool, list[str], list[list[str]]]]:
    """Of each trace whether the tip is down, the channels of its context's source, and its points."""
    sources = {
        "#" + source.get(XML_ID): [channel.get("name") for channel in source.iter(INKML + "channel")]
        for source in root.iter(INKML + "inkSource")}
    contexts = {
        "#" + context.get(XML_ID): sources[context.get("inkSourceRef")] for context in root.iter(INKML + "context")}
    return [
        (trace.get("type", "penDown") == "penDown", contexts[trace.get("contextRef")],
         [point.split() for point in trace.text.split(",")])
        for trace in root.findall(INKML + "trace")]


def test_inkml_is_the_record_sample_by_sample(records):
    for record in records:
        root = ElementTree.parse(record.path("inkml")).getroot()
        assert root.tag == INKML + "ink"
        traces = inkml_traces(root)
        assert [(is_down, len(points)) for is_down, _, points in traces] == [
            (is_down, len(samples)) for is_down, samples in record.traces]
        measuring = {sample.device for sample in record.samples if sample.pressure is not None}
        for (is_down, channels, points), (_, samples) in zip(traces, record.traces):
            assert channels == (["X", "Y", "F", "T"] if samples[0].device in measuring else ["X", "Y", "T"])
            for point, sample in zip(points, samples):
                values = dict(zip(channels, point, strict=True))
                assert (float(values["X"]), float(values["Y"])) == pytest.approx(sample.place, abs=0.00005)
                assert round(float(values["T"]) * 1000) == sample.microseconds
                unmeasured = "?" if "F" in channels else None
                assert values.get("F") == (unmeasured if sample.pressure is None else str(sample.pressure))


def test_inkml_says_when_and_who_and_every_reference_leads_somewhere(records):
    for record in records:
        root = ElementTree.parse(record.path("inkml")).getroot()
        stamp = datetime.fromisoformat(root.find(f".//{INKML}timestamp").get("timeString").replace("Z", "+00:00"))
        assert stamp == datetime.fromtimestamp(record.started // 10**6, timezone.utc).replace(
            microsecond=record.started % 10**6)
        signer = next(note.text for note in root.iter(INKML + "annotation") if note.get("type") == "signatory")
        assert signer == record.signer.replace("\x01", "\ufffd")
        notes = {note.get("type"): note.text for note in root.iter(INKML + "annotation")}
        assert notes.get("panel") == record.panel and notes["outcome"] == "accepted"
        assert {key[5:]: text for key, text in notes.items() if key.startswith("data.")} == record.data
        names = {element.get(XML_ID) for element in root.iter()} - {None}
        references = {
            value for element in root.iter() for key, value in element.attrib.items()
            if key.endswith("Ref") or key == "respectTo"}
        assert references and all(reference[0] == "#" and reference[1:] in names for reference in references)


def test_csv_is_the_record_row_by_row(records):
    for record in records:
        raw = record.path("csv").read_bytes()
        assert raw.endswith(b"\r\n") and not re.search(rb"[^\r]\n", raw)
        rows = list(csv.DictReader(raw.decode().splitlines(), strict=True))
        numbered, number = [], 0
        for is_down, samples in record.traces:
            number += is_down
            numbered += [(number if is_down else 0, sample) for sample in samples]
        assert len(rows) == len(numbered)
        for row, (number, sample) in zip(rows, numbered):
            assert (int(row["stroke"]), int(row["time_us"])) == (number, sample.microseconds)
            assert (int(row["x"]), int(row["y"])) == (sample.x, sample.y)
            assert row["pressure"] == ("" if sample.pressure is None else str(sample.pressure))
            assert (float(row["x_mm"]), float(row["y_mm"])) == pytest.approx(sample.place, abs=0.00005)
            assert row["pen"] == ("ink" if number else "") and int(row["device"]) == sample.device and None not in row
            assert int(row["tip"]) == bool(number)
            assert row["outcome"] == "accepted"
            assert row["distance"] == ("" if sample.distance is None else str(sample.distance))


def test_json_is_what_signature_pad_calls_its_data(records):
    for record in records:
        groups = json.loads(record.path("json").read_text(encoding="utf-8"))
        assert [len(group["points"]) for group in groups] == [len(stroke) for stroke in record.strokes]
        for group in groups:
            assert {"penColor", "dotSize", "minWidth", "maxWidth", "velocityFilterWeight", "compositeOperation",
                    "points"} == set(group)
        for point, sample in zip((point for group in groups for point in group["points"]), record.samples):
            assert point["x"] == pytest.approx((sample.place[0] - 10) / 25.4 * 96, abs=0.00051)
            assert point["y"] == pytest.approx((sample.place[1] - 20) / 25.4 * 96, abs=0.00051)
            assert point["time"] == pytest.approx((record.started + sample.microseconds) / 1000, abs=0.001)
            if sample.pressure is None:
                assert "pressure" not in point
            else:
                assert point["pressure"] == pytest.approx(sample.pressure / 1023, abs=1e-6)


def test_iso_19794_is_as_long_as_its_points(records):
    """The whole is read in Swift (ISO19794Reader); this is about the file as a file."""
    for record in records:
        raw = record.path("iso19794").read_bytes()
        assert raw[:8] == b"SDI\0 10\0"
        point = 2 + 2 + 2 + 1 + (2 if record.is_pressure_whole else 0)
        count = sum(len(samples) for _, samples in record.traces) + len(record.strokes)
        # Inclusion; X, Y: preamble, scaling, two ends; T: preamble, scaling; F: preamble, two ends; S; two zeros;
        # count.
        header = 8 + 2 + 7 + 7 + 3 + (5 if record.is_pressure_whole else 0) + 1 + 2 + 3
        assert len(raw) == header + count * point
        assert int.from_bytes(raw[header - 3:header], "big") == count
