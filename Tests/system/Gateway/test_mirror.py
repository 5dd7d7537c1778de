# SPDX-License-Identifier: Apache-2.0
"""The clerk's mirror: what it shows at each level, and what it never shows."""

import base64
import io
import json
import os
import re
import time
from pathlib import Path

import pytest
from gateway import Events, Gateway, Panel
from PIL import Image, ImageChops, ImageDraw
from support.waiting import wait_for
from support.breadth import long

SECRETS = {"time", "pressure", "samples", "steps"}


@pytest.fixture
def watched(tmp_path):
    """A panel that allows the level `ink`, with a gateway."""
    panel = Panel(tmp_path, mirror="ink")
    gateway = Gateway(tmp_path, panel.socket)
    yield panel, gateway
    gateway.kill()
    panel.kill()


def mirror(gateway, token, level=None) -> Events:
    return Events(gateway, token, "/v1/mirror" + (f"?level={level}" if level else ""), {})


def until(events, condition) -> list:
    """Events up to the first that meets the condition."""
    seen = []
    for event in events:
        seen.append(event)
        if condition(*event):
            return seen
    raise AssertionError(f"the stream ended after {[name for name, _, _ in seen]}")


def keys(value) -> set:
    if isinstance(value, dict):
        return set(value) | {key for part in value.values() for key in keys(part)}
    return {key for part in value for key in keys(part)} if isinstance(value, list) else set()


def polygons(outline: str) -> list:
    """The contours of path data, in units of 1/16 pixel."""
    contours = []
    for contour in outline.split("M")[1:]:
        start, _, rest = contour.rstrip("z").partition("l")
        x, y = map(int, start.split())
        numbers = list(map(int, re.findall(r"-?\d+", rest)))
        points = [(x, y)]
        for dx, dy in zip(numbers[::2], numbers[1::2]):
            x, y = x + dx, y + dy
            points.append((x, y))
        contours.append(points)
    return contours


def drawn(outlines: list, size: tuple, scale: int = 4) -> Image.Image:
    """The coverage of outlines, which all turn the same way: overlaps add up."""
    picture = Image.new("L", (size[0] * scale, size[1] * scale))
    for outline in outlines:
        for points in polygons(outline):
            if len(points) > 2:
                ImageDraw.Draw(picture).polygon([(x * scale / 16, y * scale / 16) for x, y in points], fill=255)
    return picture.resize(size, Image.BOX)


def test_the_ink_is_that_of_the_panel(watched):
    panel, gateway = watched
    token = gateway.token("clerk", ["capture", "record", "simulate", "mirror:ink"])
    events = mirror(gateway, token)
    stream = iter(events)
    assert next(stream)[2] == {"page": "idle", "level": "ink"}
    capture = gateway.capture(token)["id"]
    seen = until(stream, lambda name, _, data: data.get("page") == "saving")
    begun = [data for _, _, data in seen if data.get("capture", {}).get("id") == capture]
    assert begun, [name for name, _, _ in seen]
    page = begun[0]["capture"]
    assert page["size"] == {"width": 800, "height": 480}
    assert {button["button"] for button in page["buttons"]} == {"accept", "cancel", "clear", "undo"}
    assert not any(keys(data) & SECRETS for _, _, data in seen)

    outlines, wet = [], ""
    for name, _, data in seen:
        if name == "ink":
            wet += data["final"]
        elif name == "stroke":
            outlines.append(wet + data["final"])
            wet = ""
    ours = drawn(outlines, (800, 480))
    field = page["field"]
    box = (field["x"], field["y"], field["x"] + field["width"], field["y"] + field["height"])
    wait_for(lambda: gateway.request("GET", f"/v1/captures/{capture}", token).json["state"] == "ended")
    picture = gateway.request(
        "GET", f"/v1/captures/{capture}/signature.png?part=signingArea&color=000000"
        f"&width={field['width']}&height={field['height']}", token)
    theirs = ImageChops.invert(Image.open(io.BytesIO(picture.body)).convert("L"))
    difference = ImageChops.difference(ours.crop(box), theirs)
    total = sum(value * count for value, count in enumerate(theirs.histogram()))
    wrong = sum(value * count for value, count in enumerate(difference.histogram()))
    print(f"ink of the mirror and the record differ by {wrong / total:.3f} of the ink")
    assert total > 100_000 and wrong / total < 0.12, "PIL's polygons have an edge of half a pixel"

    gone = until(stream, lambda name, _, data: data.get("page") in ("thanks", "idle") and name == "resync")[-1][2]
    assert "capture" not in gone and "outlines" not in gone and "png" not in gone
    events.close()


def test_a_follower_that_comes_late_gets_all_ink(watched):
    panel, gateway = watched
    token = gateway.token("clerk", ["capture", "record", "simulate", "mirror:ink"])
    first = mirror(gateway, token)
    gateway.capture(token)
    stream = iter(first)
    until(stream, lambda name, _, data: name == "stroke")
    late = next(iter(mirror(gateway, token)))[2]
    assert late["outlines"] and late["capture"]["size"]["width"] == 800
    picture = Image.open(io.BytesIO(base64.b64decode(late["png"])))
    assert picture.size == (800, 480)


def finished(events, upto: str) -> list:
    """Outlines of strokes, whole, up to an event of this name."""
    outlines, wet = [], ""
    for name, _, data in events:
        if name in ("snapshot", "resync"):
            outlines, wet = list(data.get("outlines", [])), ""
        elif name in ("ink", "stroke"):
            wet += data["final"]
        if name == "stroke":
            outlines, wet = [*outlines, wet], ""
        if name == upto and (name != "stroke" or outlines):
            return [*outlines, wet]
    raise AssertionError("the stream ended")


def test_a_follower_that_comes_within_a_stroke_gets_it_whole(watched):
    panel, gateway = watched
    token = gateway.token("clerk", ["capture", "record", "simulate", "mirror:ink"])
    first = iter(mirror(gateway, token))
    gateway.capture(token)
    begun = ""
    while not begun:
        begun = finished(first, "ink")[-1]
    late = iter(mirror(gateway, token))
    whole = begun + finished(first, "stroke")[0]
    assert finished(late, "stroke")[0] == whole


def test_levels(watched):
    panel, gateway = watched
    tokens = {level: gateway.token(level, ["capture", "simulate", f"mirror:{level}"]) for level in ("state", "presence", "ink")}
    assert gateway.request("GET", "/v1/mirror", gateway.token("none", ["capture"])).problem == "missing-scope"
    assert gateway.request("GET", "/v1/mirror?level=ink", tokens["presence"]).problem == "missing-scope"
    assert gateway.request("GET", "/v1/mirror?level=all", tokens["ink"]).problem == "invalid-parameter"
    token = tokens["ink"]
    streams = {level: iter(mirror(gateway, token, level)) for level in tokens}
    for stream in streams.values():
        next(stream)
    gateway.capture(token)
    for level, stream in streams.items():
        seen = until(stream, lambda name, _, data: data.get("page") == "saving")
        names = {name for name, _, _ in seen}
        assert not any(keys(data) & SECRETS for _, _, data in seen)
        assert ("cells" in names) == (level == "presence") and ("ink" in names) == (level == "ink"), (level, names)
        assert ("backdrop" in names or any("png" in data for _, _, data in seen)) == (level != "state")


def test_a_panel_that_allows_less_refuses_more(tmp_path):
    """Without a level, the follower gets the lower one of token and configuration."""
    levels = ["state", "presence", "ink"]
    for allowed in ["off", *levels]:
        folder = tmp_path / allowed
        folder.mkdir()
        panel = Panel(folder, mirror=allowed)
        gateway = Gateway(folder, panel.socket)
        for own in [*levels, "admin"]:
            token = gateway.token(own, ["admin" if own == "admin" else f"mirror:{own}"])
            if allowed == "off":
                assert gateway.request("GET", "/v1/mirror", token).problem == "unavailable"
                continue
            lower = min(allowed, own if own in levels else "ink", key=levels.index)
            stream = mirror(gateway, token)
            assert next(iter(stream))[2]["level"] == lower
            stream.close()
            for level in levels[levels.index(allowed) + 1:]:
                problem = gateway.request("GET", "/v1/mirror?level=" + level, token).problem
                assert problem in ("invalid-parameter", "missing-scope")
        gateway.kill()
        panel.kill()


def test_another_hosts_capture_is_not_shown(watched):
    panel, gateway = watched
    token, other = gateway.token("till", ["capture", "simulate"]), gateway.token("other", ["mirror:ink"])
    stream = iter(mirror(gateway, other))
    next(stream)
    gateway.capture(token)
    seen = until(stream, lambda name, _, data: data.get("page") == "saving")
    assert {name for name, _, _ in seen} <= {"state", "resync"}
    assert not any(keys(data) & {"capture", "outlines", "png", "strokes"} for _, _, data in seen)


def test_a_clerk_mirrors_the_captures_of_another_token(watched):
    panel, gateway = watched
    till, other = gateway.token("till", ["capture", "simulate"]), gateway.token("other", ["capture", "simulate"])
    clerk = gateway.token("clerk", ["capture", "mirror:ink"], "--mirrors", "till")
    session = gateway.request(
        "POST", "/v1/sessions", clerk,
        {"origin": f"http://127.0.0.1:{gateway.port}", "scopes": ["mirror:ink"]}).json["token"]
    for bearer, asker, sees in [(clerk, till, True), (session, till, True), (clerk, other, False)]:
        gateway.act(asker, "leave")
        stream = iter(mirror(gateway, bearer))
        next(stream)
        capture = gateway.capture(asker)["id"]
        seen = until(stream, lambda name, _, data: data.get("capture") if sees else data.get("page") == "signing")
        if sees:
            # It is only shown: the buttons, the files and all else stay the till's.
            assert seen[-1][2]["capture"]["id"] == capture and seen[-1][2]["capture"]["buttons"] == []
        assert gateway.request("POST", f"/v1/captures/{capture}/accept", clerk).status == 404
        assert gateway.request("GET", f"/v1/captures/{capture}", clerk).status == 404
        gateway.request("POST", f"/v1/captures/{capture}/cancel", asker)
        rest = until(stream, lambda name, _, data: data.get("page") == "idle")
        assert sees or not any(keys(data) & {"capture", "outlines", "png"} for _, _, data in seen + rest)
    listed = gateway.command("token", "list").stdout
    assert "mirrors till" in next(line for line in listed.splitlines() if line.startswith("clerk"))


def test_tokens_that_cannot_mirror_others(watched):
    panel, gateway = watched
    for words, text in [(["--scope", "mirror:ink", "--mirrors", "nobody"], "there is no token nobody"),
                        (["--scope", "capture", "--mirrors", "nobody"], "--mirrors needs --scope mirror:")]:
        made = gateway.command("token", "add", "--name", "clerk", *words)
        assert made.returncode != 0 and text in made.stderr
    assert gateway.command("token", "list").stdout == ""


def test_the_page_is_that_of_the_pad_after_strokes(watched):
    """The hint goes with the first stroke, and buttons look as they do on the pad; also for who comes later."""
    panel, gateway = watched
    token = gateway.token("clerk", ["capture", "record", "simulate", "mirror:presence"])
    gateway.act(token, "leave")
    first = iter(mirror(gateway, token))
    next(first)
    capture = gateway.capture(token)["id"]

    def page(event) -> bytes:
        return base64.b64decode(event[2]["png"])

    shown = page(until(first, lambda name, _, data: "png" in data)[-1])
    gateway.act(token, "sign")
    events = until(first, lambda name, _, data: data.get("page") == "saving")
    last = page([event for event in events if event[0] == "backdrop"][-1])
    assert last != shown
    gateway.request("POST", f"/v1/captures/{capture}/cancel", token)
    wait_for(lambda: gateway.request("GET", f"/v1/captures/{capture}", token).json["state"] == "ended")


@long
def test_nobody_watches_after_the_last_follower(watched):
    panel, gateway = watched
    token = gateway.token("clerk", ["capture", "mirror:ink"])
    events = mirror(gateway, token)
    next(iter(events))

    def connections() -> int:
        count = 0
        for entry in Path(f"/proc/{gateway.process.pid}/fd").iterdir():
            # Files are opened and closed at any time.
            try:
                count += os.readlink(entry).startswith("socket:")
            except FileNotFoundError:
                pass
        return count

    followed = connections()
    events.close()
    # The follower's connection, and the panel's.
    wait_for(lambda: connections() <= followed - 2, 40)


def test_a_killed_panel_comes_back(watched):
    panel, gateway = watched
    token = gateway.token("clerk", ["capture", "simulate", "mirror:ink"])
    stream = iter(mirror(gateway, token))
    next(stream)
    panel.kill()
    assert until(stream, lambda name, _, data: data.get("page") == "gone")
    panel.start()
    until(stream, lambda name, _, data: data.get("page") == "idle")
    gateway.capture(token)
    until(stream, lambda name, _, data: name == "stroke")


def test_questions_are_shown_at_the_level_ink_only(watched):
    """So are documents: what is filled in there is ink, too."""
    panel, gateway = watched
    question = {"name": "mail", "kind": "check", "text": "Send me the receipt by mail", "required": True}
    token = gateway.token("clerk", ["capture", "simulate", "mirror:ink"])
    for level in ("presence", "ink"):
        stream = iter(mirror(gateway, token, level))
        capture = gateway.capture(token, questions=[question])["id"]
        seen = until(stream, lambda name, _, data: data.get("page") == "question")
        seen += until(stream, lambda name, _, data: data.get("page") not in (None, "question"))
        pictures = [data["png"] for name, _, data in seen[:-1] if "png" in data]
        assert bool(pictures) == (level == "ink"), [name for name, _, _ in seen]
        for png in pictures:
            assert Image.open(io.BytesIO(base64.b64decode(png))).size == (800, 480)
        wait_for(lambda: gateway.request("GET", f"/v1/captures/{capture}", token).json["state"] == "ended")


def test_a_slow_follower_gets_everything_anew(watched):
    """A follower that does not read while a signature is written has the whole afterwards, and holds up nobody."""
    panel, gateway = watched
    token = gateway.token("clerk", ["capture", "record", "simulate", "mirror:ink"])
    slow, quick = mirror(gateway, token), iter(mirror(gateway, token))
    for _ in range(3):
        capture = gateway.capture(token)["id"]
        until(quick, lambda name, _, data: data.get("page") == "saving")
        wait_for(lambda: gateway.request("GET", f"/v1/captures/{capture}", token).json["state"] == "ended")
    ended = until(iter(slow), lambda name, _, data: (data.get("capture") or {}).get("id") == capture)
    # In order, and nothing of a capture after a later one.
    ids = [data["capture"]["id"] for _, _, data in ended if data.get("capture")]
    assert ids == sorted(set(ids), key=ids.index) and ids[-1] == capture


def test_bytes_per_second_at_each_level(watched):
    """Prints what a follower receives while a signature is written, without the page's picture."""
    panel, gateway = watched
    token = gateway.token("clerk", ["capture", "simulate", "mirror:ink"])
    for level in ("state", "presence", "ink"):
        stream = iter(mirror(gateway, token, level))
        next(stream)
        capture = gateway.capture(token)["id"]
        begun, count = time.monotonic(), 0
        for name, _, data in stream:
            if name != "backdrop":
                data = {key: value for key, value in data.items() if key != "png"}
                count += len(json.dumps(data)) + len(name) + 16
            if data.get("page") == "saving":
                break
        print(f"mirror {level}: {count / (time.monotonic() - begun) / 1000:.2f} kB/s")
        wait_for(lambda: gateway.request("GET", f"/v1/captures/{capture}", token).json["state"] == "ended")
