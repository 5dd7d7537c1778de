# SPDX-License-Identifier: Apache-2.0
"""What people do in place of a signature, with the real program: each way in a whole session with touches only."""

import json
import os
import subprocess

import pytest
import varlink

from test_panel import LEAD, STROKE, panel, touch  # noqa: F401

OTHER_WAYS, NEXT = (0.33, 0.88), (0.88, 0.88)
# The choices on their page, and the box on the page that confirms.
CHOICES = {"confirmed": (0.3, 0.3), "mark": (0.3, 0.45), "representative": (0.3, 0.6)}
BOX = (0.3, 0.5)
CROSS = [(0.4 + 0.005 * i, 0.4 + 0.005 * i) for i in range(20)]


def tap(at: float, place: tuple[float, float]) -> str:
    return touch(at, [place] * 5)


def hand(way: str) -> str:
    """Somebody who chooses a way, and whoever writes on the pages after it."""
    lines = tap(LEAD, OTHER_WAYS) + tap(LEAD + 1.5, CHOICES[way]) + tap(LEAD + 3, NEXT)
    if way == "confirmed":
        return lines + tap(LEAD + 4.5, BOX) + tap(LEAD + 6, NEXT)
    written = {"mark": [CROSS, STROKE, STROKE], "representative": [STROKE]}[way]
    for number, stroke in enumerate(written):
        lines += touch(LEAD + 4.5 + 4.5 * number, stroke) + tap(LEAD + 7.5 + 4.5 * number, NEXT)
    return lines


WORDS = {
    "confirmed": ["signature was confirmed without a signature"],
    "mark": ["signature is a mark", *(f"signature/witness{n} is a witness of the mark" for n in (1, 2))],
    "representative": ["signature was signed by a representative"],
}


def test_a_host_types_a_name_which_the_person_accepts(panel, tmp_path):  # noqa: F811
    socket = panel(tap(LEAD + 6, BOX) + tap(LEAD + 7.5, NEXT))
    with varlink.Client("unix:" + socket) as client, client.open("org.inkpanel.Panel") as service:
        replies = service.Capture(
            prompt=["Order 4711"], rows=[{"label": "Amount", "value": "17.50 EUR"}], signer="Ada Lovelace",
            policy={"alternatives": ["typed"]}, _more=True)
        begun = next(replies)
        with client.open("org.inkpanel.Panel") as host:
            host.TypeName(id=begun["id"], name="Ada Lovelace", by="person")
            # Only the person accepts what they typed.
            with pytest.raises(varlink.VarlinkError, match="NotSigning"):
                host.Accept()
        last = list(replies)[-1]
        assert last["outcome"]["result"] == "accepted", last
        field = service.Get(id=begun["id"], format="metadata")["metadata"]["fields"][0]
        record = service.Get(id=begun["id"], format="record")["text"]
    assert field["typed"] == {"name": "Ada Lovelace", "by": "person"} and field["strokes"] == 0
    (tmp_path / "record.jsonl").write_text(record)
    words = 'signature has a name that the person typed in place of a signature: "Ada Lovelace"'
    said = subprocess.run(
        [os.environ["INKPANEL"], "verify", tmp_path / "record.jsonl"], capture_output=True, text=True, check=False)
    assert words in said.stdout


@pytest.mark.parametrize("way", WORDS)
def test_a_person_signs_in_another_way(panel, tmp_path, way):  # noqa: F811
    socket = panel(hand(way))
    with varlink.Client("unix:" + socket) as client, client.open("org.inkpanel.Panel") as service:
        answers = list(service.Capture(
            prompt=["Order 4711"], rows=[{"label": "Amount", "value": "17.50 EUR"}], signer="Ada Lovelace",
            policy={"alternatives": ["confirmed", "mark", "representative"]}, _more=True))
        assert answers[-1]["outcome"]["result"] == "accepted", answers[-1]
        assert answers[-1]["instead"] == [{"name": "signature", "alternative": way}]
        name = answers[-1]["id"]
        fields = service.Get(id=name, format="metadata")["metadata"]["fields"]
        record = service.Get(id=name, format="record")["text"]
    parts = ["mark", "witness1", "witness2"] if way == "mark" else [way]
    assert [field["instead"] for field in fields] == parts
    assert all((field["strokes"] > 0) == (way != "confirmed") for field in fields)
    lines = [json.loads(line) for line in record.splitlines()]
    assert lines[0]["flow"]["alternatives"] == ["confirmed", "mark", "representative"]
    file = tmp_path / "record.jsonl"
    file.write_text(record)
    verified = subprocess.run(
        [os.environ["INKPANEL"], "verify", str(file)], capture_output=True, text=True, timeout=60)
    for words in WORDS[way]:
        assert words in verified.stdout, verified.stdout + verified.stderr
    # There is ink to draw, or none, and never a picture of what nobody wrote.
    picture = subprocess.run(
        [os.environ["INKPANEL"], "export", str(file), "--output", str(tmp_path / "ink.png")], capture_output=True,
        text=True, timeout=60)
    assert (picture.returncode == 0) == (way != "confirmed"), picture.stderr


def test_nobody_is_offered_what_was_not_allowed(panel):  # noqa: F811
    """The same touches, on a page without the button: nothing is chosen, and nobody has signed."""
    socket = panel(hand("confirmed"))
    with varlink.Client("unix:" + socket) as client, client.open("org.inkpanel.Panel") as service:
        answers = list(service.Capture(
            prompt=["Order 4711"], policy={"totalLimit": 15_000_000}, _more=True))
    assert answers[-1]["outcome"] == {"result": "timedOut", "limit": "total"}
