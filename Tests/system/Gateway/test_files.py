# SPDX-License-Identifier: Apache-2.0
"""Files and lists of any length: what the gateway passes on, and the memory that it needs for that."""

import base64
import http.client
import json
import os
import random
import socket
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from gateway import Answer, Gateway
from support.waiting import wait_for
from support.breadth import long

ID = "20261126-080627-2fc94d3fe209ca2e"


class FakePanel:
    """Answers each call with `reply`, in pieces that a seeded generator cuts, and ends the connection."""

    def __init__(self, folder: Path):
        self.path = str(folder / "fake.sock")
        self.reply = b""
        self.choose = random.Random(1)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(16)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection:
                while b"\0" not in connection.recv(65536):
                    pass
                start = 0
                try:
                    while start < len(self.reply):
                        end = start + self.choose.choice((1, 2, 3, 7, 100, 4096, 50_000))
                        connection.sendall(self.reply[start:end])
                        start = end
                except OSError:
                    continue

    def stop(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


@pytest.fixture(scope="module")
def fake(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fake")
    panel = FakePanel(folder)
    gateway = Gateway(folder, panel.path)
    gateway.admin = gateway.token("admin", ["admin"])
    yield panel, gateway
    gateway.kill()
    panel.stop()


def file(member: str, content: str, more: str = "") -> bytes:
    return ('{"parameters":{"mediaType":"text/x-test","%s":%s%s}}' % (member, content, more)).encode() + b"\0"


def get(gateway, name: str = "signature.csv") -> Answer:
    """An answer that the API's description need not have."""
    connection, path = gateway.connection(), f"/v1/captures/{ID}/{name}"
    try:
        connection.request("GET", path, headers={"Authorization": "Bearer " + gateway.admin})
        response = connection.getresponse()
        return Answer("GET", path, response.status, response.headers, response.read())
    finally:
        connection.close()


def text(choose: random.Random, length: int) -> str:
    alphabet = 'ab \u00e9\u20ac\U0001f58b"\\/\b\f\n\r\t\x01\x7f\ud7ff\ue000' + "c" * 40
    return "".join(choose.choices(alphabet, k=length))


@pytest.mark.parametrize("length", [0, 1, 5000, 131_071, 131_072, 200_000])
def test_texts_of_all_characters_arrive_as_they_are(fake, length):
    panel, gateway = fake
    choose = random.Random(length)
    for ascii in (False, True):
        content = text(choose, length)
        panel.reply = file("text", json.dumps(content, ensure_ascii=ascii))
        answer = get(gateway)
        assert answer.status == 200 and answer.body == content.encode()
        assert answer.headers["Content-Type"] == "text/x-test"
        # Longer ones are passed on while they come.
        is_whole = len(content.encode()) <= 128 << 10
        assert ("ETag" in answer.headers) == ("Content-Length" in answer.headers) == is_whole


@pytest.mark.parametrize("length", [0, 1, 2, 3, 131_072, 131_073, 1_000_000])
def test_bytes_arrive_as_they_are(fake, length):
    panel, gateway = fake
    content = random.Random(length).randbytes(length)
    panel.reply = file("base64", json.dumps(base64.b64encode(content).decode()))
    assert get(gateway, "signature.png").body == content


LONG = "a" * 300_000
BROKEN = {
    "nothing": b"", "half": file("text", '"' + LONG)[:150], "no JSON": b"nonsense\0",
    "two values": file("text", '"a"')[:-1] + b"{}\0",
    "a wrong escape": file("text", '"\\x"'), "half a surrogate": file("text", '"\\ud83d."'),
    "the second half": file("text", '"\\udd8b"'), "a sign in an escape": file("text", '"\\u+123"'),
    "a line feed": file("text", '"a\nb"'), "no base64": file("base64", '"a*b="'), "base64 cut off": file("base64", '"YWJj0"'),
    "much around": file("text", '"a"', ',"more":"' + 2 * LONG + 2 * LONG + '"'), "more after it": file("text", '"a"') + b"b",
    "no end": file("text", '"a"')[:-3] + b"\0",
    "a late type": b'{"parameters":{"text":"' + LONG.encode() + b'","mediaType":"text/x-test"}}\0',
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_reply_that_cannot_be_used_is_no_file(fake, name):
    panel, gateway = fake
    panel.reply = BROKEN[name]
    answer = get(gateway)
    assert answer.status in (500, 503) and answer.problem in ("panel-failed", "panel-not-running"), answer


@pytest.mark.parametrize("end", ["", "\\x", '"}}more', '"}'])
def test_a_file_that_breaks_off_is_not_taken_for_whole(fake, end):
    panel, gateway = fake
    panel.reply = file("text", '"' + LONG)[:-3] + end.encode() + b"\0" * (end != "")
    with pytest.raises((http.client.IncompleteRead, ConnectionResetError)):
        get(gateway)


def test_an_error_of_the_panel_is_translated(fake):
    panel, gateway = fake
    panel.reply = b'{"error":"org.inkpanel.Panel.NotExportable","parameters":{"reason":"no ink"}}\0'
    assert get(gateway).problem == "not-exportable"
    panel.reply = b'{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"size.width","expected":"less"}}\0'
    answer = get(gateway)
    assert answer.json["errors"] == [{"pointer": "width", "detail": "expected less"}], answer


def test_a_list_of_any_length_is_read_in_parts(fake):
    panel, gateway = fake
    choose = random.Random(3)
    records = [{"id": f"20261126-080627-{number:016x}", "outcome": {"result": "accepted"}, "startedAt": 1795680387000000,
                "prompt": [text(choose, 30), "[]{},\"\\"], "byteCount": 5, "data": {"a]": "}"}} for number in range(500)]
    panel.reply = json.dumps({"parameters": {"captures": records, "missingSeals": [3], "unreadable": []}}).encode() + b"\0"
    ids, after = [], ""
    while True:
        answer = gateway.request("GET", "/v1/captures?limit=200" + after, gateway.admin)
        assert answer.status == 200 and answer.json["missingSeals"] == [3], answer
        for record, sent in zip(answer.json["captures"], records[len(ids):]):
            assert record == sent | {"startedAt": "2026-11-26T08:06:27Z"}
        ids += [record["id"] for record in answer.json["captures"]]
        if "next" not in answer.json:
            break
        after = "&after=" + answer.json["next"]
    assert ids == [record["id"] for record in records]
    panel.reply = b'{"parameters":{"captures":[],"unreadable":[]}}\0'
    assert gateway.request("GET", "/v1/captures", gateway.admin).json == {"captures": []}


def peak(process) -> int:
    """Bytes."""
    return int(Path(f"/proc/{process.pid}/status").read_text().split("VmHWM:")[1].split()[0]) << 10


@long
def test_long_files_and_lists_at_once_need_little_memory(own):
    """390,000 samples, as table and as record, and a list of 500 records. Prints the gateway's memory."""
    panel, gateway = own
    token, admin = gateway.token(), gateway.token("admin", ["admin"])
    short = gateway.capture(token)["id"]
    wait_for(lambda: gateway.request("GET", f"/v1/captures/{short}", token).json["state"] == "ended", 30)
    store = Path(panel.folder) / "records" / "captures"
    lines = (store / f"{short}.jsonl").read_text().splitlines(keepends=True)
    for number in range(500):
        other = f"20250101-000000-{number:016x}"
        (store / f"{other}.jsonl").write_text("".join(lines).replace(short, other))
    other = "20250101-000000-f00000000000000f"
    samples = [[5000 * number, 4000 + number % 4000, 3000 + number // 300 % 4000, 500] for number in range(390_000)]
    strokes = [json.dumps({"stroke": {"device": 3, "pen": "ink", "samples": samples[start:start + 1000], "tool": "pen"}},
                          separators=(",", ":")) + "\n" for start in range(0, len(samples), 1000)]
    (store / f"{other}.jsonl").write_text(lines[0].replace(short, other) + "".join(strokes) + lines[-1])
    gateway.request("GET", "/v1/panel", token)
    before = peak(gateway.process)
    names = ["signature.csv", "record.jsonl", "signature.csv", "signature.csv", "record.jsonl", ""]
    with ThreadPoolExecutor(len(names)) as pool:
        answers = list(pool.map(
            lambda name: gateway.request("GET", f"/v1/captures/{other}/{name}" if name else "/v1/captures?limit=200", admin),
            names))
    for name, answer in zip(names, answers):
        assert answer.status == 200, (name, answer)
    exported = Path(panel.folder) / "exported.csv"
    subprocess.run(
        [os.environ["INKPANEL"], "export", other, "--output", exported, "--socket", panel.socket], check=True,
        capture_output=True)
    assert answers[0].body == answers[2].body == answers[3].body == exported.read_bytes() and len(answers[0].body) > 8_000_000
    assert answers[1].body == answers[4].body == (store / f"{other}.jsonl").read_bytes()
    grown = peak(gateway.process) - before
    print(f"{sum(len(answer.body) for answer in answers) >> 20} MiB at once: the gateway had {before >> 20} MiB before, "
          f"and {grown >> 20} MiB more")
    assert grown < 48 << 20
