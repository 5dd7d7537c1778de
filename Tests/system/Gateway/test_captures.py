# SPDX-License-Identifier: Apache-2.0
"""Captures over HTTP: asking, following, ending, and what comes of a record."""

import concurrent.futures
import gzip
import hashlib
import json
import os
import re
import statistics
import subprocess
import time

import description
import pytest
from gateway import Gateway, Panel
from support import breadth
from support.waiting import wait_for


def state(gateway, token, capture, **headers):
    return gateway.request("GET", f"/v1/captures/{capture}", token, **headers)


def ended(gateway, token, capture) -> dict:
    """The capture when it has ended."""
    while (document := state(gateway, token, capture, Prefer="wait=20").json)["state"] != "ended":
        pass
    return document


def test_a_signature_is_asked_for_followed_and_fetched(gateway, token, panel):
    made = gateway.request(
        "POST", "/v1/captures", token,
        {"prompt": ["Delivery 4711"], "signer": "Anna Müller", "rows": [{"label": "Parcels", "value": "12"}],
         "data": {"order": "4711"}, "language": "de"})
    assert made.status == 201
    capture = made.json["id"]
    assert made.headers["Location"] == f"/v1/captures/{capture}"
    assert made.json["state"] == "signing" and made.json["strokes"] == 0

    events = list(gateway.events(token, capture))
    names = [name for name, _, _ in events]
    assert names[0] == "snapshot" and names[-1] == "ended" and "stroke" in names
    numbers = [number for _, number, _ in events]
    assert numbers == sorted(set(numbers))
    last = events[-1][2]
    assert last["outcome"] == {"result": "accepted"} and last["data"] == {"order": "4711"}
    assert "stroke" not in json.dumps([data.keys() - {"strokes"} for _, _, data in events if "x" in data])
    for _, _, data in events:
        assert set(data) <= {"id", "state", "strokes", "refusal", "outcome", "data", "seal", "createdAt", "endedAt"}

    for name, media, start in [
            ("signature.png", "image/png", b"\x89PNG"), ("signature.svg", "image/svg+xml", b"<?xml"),
            ("signature.inkml", "application/inkml+xml", b"<?xml"), ("signature.iso", "application/octet-stream", b"SDI"),
            ("signature.csv", "text/csv", b""), ("signature.json", "application/json", b"["),
            ("record.jsonl", "application/jsonl", b"{"), ("metadata.json", "application/json", b"{")]:
        file = gateway.request("GET", f"/v1/captures/{capture}/{name}", token)
        assert file.status == 200, file
        assert file.headers["Content-Type"].startswith(media.split("/")[0]), (name, file.headers["Content-Type"])
        assert file.body.startswith(start), (name, file.body[:20])
        # Under its id alone, `inkpanel verify` finds the seal of a record.
        proposed = capture + (".jsonl" if name == "record.jsonl" else "-" + name)
        assert file.headers["Cache-Control"] == "no-store"
        assert file.headers["Content-Disposition"] == f'attachment; filename="{proposed}"'
        again = gateway.request("GET", f"/v1/captures/{capture}/{name}", token, If_None_Match=file.headers["ETag"])
        assert again.status == 304 and again.body == b""
    large = gateway.request("GET", f"/v1/captures/{capture}/signature.png?width=640&height=200&color=0000ff", token)
    assert int.from_bytes(large.body[16:20], "big") == 640 and int.from_bytes(large.body[20:24], "big") == 200

    listed = gateway.request("GET", "/v1/captures", token).json["captures"]
    assert capture in [record["id"] for record in listed]


def test_a_wait_ends_with_the_next_change(gateway, token):
    gateway.act(token, "leave")
    capture = gateway.capture(token)["id"]
    first = state(gateway, token, capture)
    tag = first.headers["ETag"]
    assert state(gateway, token, capture, If_None_Match=tag).status == 304
    before = time.monotonic()
    same = state(gateway, token, capture, If_None_Match=tag, Prefer="wait=1")
    assert same.status == 304 and 0.9 < time.monotonic() - before < 5
    with concurrent.futures.ThreadPoolExecutor() as pool:
        waiting = pool.submit(state, gateway, token, capture, If_None_Match=tag, Prefer="wait=30")
        time.sleep(0.2)
        assert gateway.request("POST", f"/v1/captures/{capture}/cancel", token).json["state"] == "ended"
        changed = waiting.result(timeout=5)
    assert changed.status == 200 and changed.json["outcome"] == {"result": "cancelled", "by": "host"}


def test_the_running_capture_of_another_program_is_not_signed_yet(own):
    panel, gateway = own
    token, admin = gateway.token(), gateway.token("admin", ["admin"])
    gateway.act(token, "leave")
    command = subprocess.Popen(
        [os.environ["INKPANEL"], "capture", "--socket", panel.socket, "--prompt", "At the counter"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    running = wait_for(lambda: gateway.request("GET", "/v1/panel", admin).json.get("running"))["id"]
    for path in ("/signature.png", "/record.jsonl", "/metadata.json", ""):
        answer = gateway.request("GET", f"/v1/captures/{running}{path}", admin)
        assert (answer.status, answer.problem) == (409, "not-signed"), answer
        assert gateway.request("GET", f"/v1/captures/{running}{path}", token).status == 404, "it is not this token's"
    command.terminate()
    command.wait()
    assert wait_for(lambda: gateway.request("GET", f"/v1/captures/{running}", admin).problem == "not-found")


def test_tags_that_a_server_in_between_has_made_weak_are_the_same(gateway, token):
    gateway.act(token, "leave")
    capture = gateway.capture(token)["id"]
    tag = state(gateway, token, capture).headers["ETag"]
    for known in ["W/" + tag, f'"x", {tag}', "*"]:
        assert state(gateway, token, capture, If_None_Match=known).status == 304, known
    for other in ["x", '"x"', tag[:-1], ""]:
        assert state(gateway, token, capture, If_None_Match=other).status == 200, other
    assert gateway.request("POST", f"/v1/captures/{capture}/cancel", token).json["state"] == "ended"


def test_a_follower_goes_on_after_the_last_event_it_has_seen(gateway, token):
    capture = gateway.capture(token)["id"]
    events = gateway.events(token, capture)
    seen = []
    for event in events:
        seen.append(event)
        if event[0] == "stroke":
            break
    events.close()
    rest = list(gateway.events(token, capture, Last_Event_ID=str(seen[-1][1])))
    assert rest[-1][0] == "ended"
    numbers = [number for _, number, _ in seen + rest]
    assert numbers == sorted(set(numbers)), "no event comes twice"
    assert "snapshot" not in [name for name, _, _ in rest]
    # A number that never was gets the present state.
    assert next(iter(gateway.events(token, capture, Last_Event_ID="999999")))[0] == "snapshot"


def test_clear_accept_and_refusal(gateway, token):
    gateway.act(token, "leave")
    capture = gateway.capture(token)["id"]
    refused = gateway.request("POST", f"/v1/captures/{capture}/accept", token).json
    assert refused["state"] == "refused" and refused["refusal"] == {"reason": "noInk"}
    assert gateway.request("POST", f"/v1/captures/{capture}/clear", token).json["strokes"] == 0
    assert gateway.request("POST", f"/v1/captures/{capture}/cancel", token).status == 200
    late = gateway.request("POST", f"/v1/captures/{capture}/cancel", token)
    assert late.status == 409 and late.problem == "not-running"


def test_the_person_decides(gateway, token):
    gateway.act(token, "cancel")
    capture = gateway.capture(token)["id"]
    assert ended(gateway, token, capture)["outcome"] == {"result": "cancelled", "by": "person"}
    missing = gateway.request("GET", f"/v1/captures/{capture}/signature.png", token)
    assert missing.status == 404 and missing.problem == "not-found"


def test_an_idempotency_key_makes_one_capture(gateway, token):
    gateway.act(token, "leave")
    body = {"prompt": ["Once"]}
    first = gateway.request("POST", "/v1/captures", token, body, Idempotency_Key="a b")
    again = gateway.request("POST", "/v1/captures", token, body, Idempotency_Key="a b")
    assert (first.status, again.status) == (201, 201) and first.json["id"] == again.json["id"]
    other = gateway.request("POST", "/v1/captures", token, {"prompt": ["Other"]}, Idempotency_Key="a b")
    assert other.status == 422 and other.problem == "key-reused"
    busy = gateway.request("POST", "/v1/captures", token, body, Idempotency_Key="b")
    assert busy.status == 409 and busy.problem == "busy"
    gateway.request("POST", f"/v1/captures/{first.json['id']}/cancel", token)
    # Nothing was begun with the second key, so it is free.
    gateway.act(token, "leave")
    free = gateway.request("POST", "/v1/captures", token, body, Idempotency_Key="b")
    assert free.status == 201
    gateway.request("POST", f"/v1/captures/{free.json['id']}/cancel", token)
    for key in ["", "x" * 256]:
        assert gateway.request("POST", "/v1/captures", token, body, Idempotency_Key=key).problem == "invalid-parameter"


def test_a_capture_that_nobody_follows_is_cancelled(own):
    panel, gateway = own
    token = gateway.token()
    gateway.act(token, "leave")
    capture = gateway.capture(token, abandonAfter=10)["id"]
    events = gateway.events(token, capture)
    assert next(iter(events))[0] == "snapshot"
    time.sleep(11)
    assert gateway.request("GET", "/v1/panel", token).json["running"]["id"] == capture, "a follower keeps it"
    events.close()
    gateway.request("POST", f"/v1/captures/{capture}/cancel", token)
    gateway.act(token, "leave")
    capture = gateway.capture(token, abandonAfter=10)["id"]
    wait_for(lambda: "running" not in gateway.request("GET", "/v1/panel", token).json, 20)
    assert state(gateway, token, capture).json["outcome"] == {"result": "cancelled", "by": "host"}


def test_other_tokens_do_not_see_a_capture(gateway, token):
    other = gateway.token("other", ["capture", "record"])
    admin = gateway.token("chief", ["admin"])
    gateway.act(token, "leave")
    capture = gateway.capture(token)["id"]
    for path in ["", "/events"]:
        assert gateway.request("GET", f"/v1/captures/{capture}{path}", other).problem == "not-found"
    for verb in ["cancel", "clear", "accept"]:
        assert gateway.request("POST", f"/v1/captures/{capture}/{verb}", other).problem == "not-found"
    assert gateway.request("GET", f"/v1/captures/{capture}/record.jsonl", other).problem == "not-found"
    assert state(gateway, admin, capture).status == 200
    gateway.act(token, "sign")
    ended(gateway, token, capture)
    assert gateway.request("GET", f"/v1/captures/{capture}/record.jsonl", other).problem == "not-found"
    assert gateway.request("GET", "/v1/captures", other).json["captures"] == []
    assert gateway.request("GET", f"/v1/captures/{capture}/record.jsonl", admin).status == 200


def test_owners_survive_the_gateway(own):
    panel, gateway = own
    token, other = gateway.token(), gateway.token("other")
    capture = gateway.capture(token)["id"]
    ended(gateway, token, capture)
    picture = gateway.request("GET", f"/v1/captures/{capture}/signature.png", token).body
    gateway.kill()
    gateway.start()
    document = state(gateway, token, capture).json
    assert document["state"] == "ended" and document["outcome"] == {"result": "accepted"}
    assert gateway.request("GET", f"/v1/captures/{capture}/signature.png", token).body == picture
    assert state(gateway, other, capture).problem == "not-found"


def test_the_file_of_owners_may_be_damaged_or_long(own):
    panel, gateway = own
    token, other = gateway.token(), gateway.token("other")
    capture = gateway.capture(token)["id"]
    ended(gateway, token, capture)
    owners = gateway.state / "owners"
    line = owners.read_text()
    gateway.kill()
    # Older captures are forgotten; a line that a power failure cut off does not join the next one.
    owners.write_text("".join(f"old-{number} x\n" for number in range(25_000)) + line + "cut-of")
    gateway.start()
    assert state(gateway, token, capture).json["outcome"] == {"result": "accepted"}
    kept = owners.read_text().splitlines()
    assert len(kept) == 20_000 and kept[-1] + "\n" == line and kept[0] == "old-5001 x"
    second = gateway.capture(other)["id"]
    assert owners.read_text().splitlines()[-1].split()[0] == second
    ended(gateway, other, second)
    gateway.kill()
    owners.write_bytes(b"\xff" * (17 << 20))
    gateway.start()
    assert "is too long" in gateway.log.read_text()
    assert state(gateway, token, capture).problem == "not-found"
    third = gateway.capture(token)["id"]
    ended(gateway, token, third)
    gateway.kill()
    gateway.start()
    assert state(gateway, token, third).json["outcome"] == {"result": "accepted"}


def test_lists_are_read_in_pages(own):
    panel, gateway = own
    token = gateway.token()
    ids = []
    for _ in range(3):
        ids.append(gateway.capture(token)["id"])
        ended(gateway, token, ids[-1])
    first = gateway.request("GET", "/v1/captures?limit=2", token).json
    assert [record["id"] for record in first["captures"]] == ids[:0:-1] and first["next"] == ids[1]
    second = gateway.request("GET", f"/v1/captures?limit=2&after={first['next']}", token).json
    assert [record["id"] for record in second["captures"]] == ids[:1] and "next" not in second
    assert gateway.request("GET", "/v1/captures?after=none", token).problem == "invalid-parameter"
    for limit in ["0", "201", "x"]:
        assert gateway.request("GET", f"/v1/captures?limit={limit}", token).problem == "invalid-parameter"


def test_characters_that_no_font_has_are_told_or_refused(gateway, token, panel):
    box = "\U0001DFFF"
    lacks = [{"text": "prompt[1]", "characters": ["U+1DFFF"]}]
    gateway.act(token, "leave")
    capture = gateway.capture(token, prompt=["Pay", box])
    assert capture["state"] == "signing" and capture["missingGlyphs"] == lacks
    ended = gateway.request("POST", f"/v1/captures/{capture['id']}/cancel", token).json
    assert ended["state"] == "ended" and ended["missingGlyphs"] == lacks
    for request, pointer in [({"signer": "Ada " + box}, "/signer"),
                             ({"rows": [{"label": "a", "value": box}]}, "/rows/0/value"),
                             ({"reason": box, "policy": {"missingGlyphs": "refuse"}}, "/reason")]:
        refused = gateway.request("POST", "/v1/captures", token, request)
        assert refused.status == 422 and refused.problem == "missing-glyphs", refused
        assert refused.json["errors"] == [{"pointer": pointer, "detail": "no font has U+1DFFF"}]
        assert "U+1DFFF" in refused.json["detail"]
    capture = gateway.capture(token, signer="Ada " + box, policy={"missingGlyphs": "tell"})["id"]
    *_, (_, _, last) = gateway.events(token, capture)
    assert last["outcome"] == {"result": "accepted"} and last["missingGlyphs"][0]["text"] == "signer"
    metadata = gateway.request("GET", f"/v1/captures/{capture}/metadata.json", token).json
    assert metadata["missingGlyphs"] == last["missingGlyphs"]


def test_wrong_requests_name_what_is_wrong(gateway, token):
    def pointer(body, **headers):
        answer = gateway.request("POST", "/v1/captures", token, body, **headers)
        assert answer.status == 400 and answer.problem == "invalid-parameter", answer
        return answer.json["errors"][0]["pointer"]

    assert pointer({"prompt": ["a", "b\u0007"]}) == "/prompt/1"
    assert pointer({"promt": ["a"]}) == "/promt"
    for nothing in [None, {}, {"prompt": []}, {"prompt": [""]}, {"prompt": ["\u00a0\u3000"]},
                    {"rows": [{"label": "Amount", "value": ""}]}, {"signer": " "}, {"document": {"reference": "a"}}]:
        assert pointer(nothing) == "/prompt", nothing
    hidden = gateway.request("POST", "/v1/captures", token, {"prompt": ["Pay \u202e00.21"]})
    assert hidden.problem == "invalid-parameter" and hidden.json["errors"][0]["pointer"] == "/prompt/0"
    assert "U+202E RIGHT-TO-LEFT OVERRIDE at character 5" in hidden.json["detail"]
    assert pointer({"prompt": "a"}) == "/prompt"
    assert pointer({"policy": {"minima": {"length": -1}}}) == "/policy/minima/length"
    assert pointer({"rows": [{"label": "a"}]}).startswith("/rows/0")
    assert pointer({"language": "xx"}) == "/language"
    assert pointer({"abandonAfter": 5}) == "/abandonAfter"
    assert pointer({"abandonAfter": "60"}) == "/abandonAfter"
    small = gateway.request("POST", "/v1/captures", token, {"prompt": ["word " * 700]})
    assert small.status == 422 and small.problem == "too-small-screen"
    assert small.json["errors"][0]["pointer"] == "/prompt"
    rows = [{"label": f"Item {index}", "value": "twelve and a half euros " * 4} for index in range(16)]
    many = gateway.request("POST", "/v1/captures", token, {"prompt": ["Sign"], "rows": rows})
    assert many.status == 422 and many.problem == "too-small-screen"
    error = many.json["errors"][0]
    fitting = int(re.search(r"only (\d+) rows fit", error["detail"])[1])
    assert error["pointer"] == "/rows" and 0 < fitting < 16
    # Each nesting is refused by the gateway or by the panel, and none is a fault of either.
    for depth in range(8, 20):
        deep = gateway.request(
            "POST", "/v1/captures", token, '{"data":{"a":' + "[" * depth + "]" * depth + "}}",
            Content_Type="application/json")
        assert deep.status == 400 and deep.problem in ("not-json", "invalid-parameter"), deep
    for body in ["{", "[]", "1", "\xff", '{"a":' + "[" * 40 + "]" * 40 + "}", '{"prompt":["a"]} x']:
        wrong = gateway.request("POST", "/v1/captures", token, body, Content_Type="application/json")
        assert wrong.status == 400 and wrong.problem in ("not-json", "invalid-parameter"), wrong
    for body, place in [
            ('{"prompt":["Pay 1"],"prompt":["Pay 1000"]}', 'line 1, column 21: the name "prompt" is there twice'),
            ('{"prompt":["a"],"data":{"a":"1","\\u0061":"2"}}', "line 1, column 33 (data): the name"),
            ('{"prompt":["a",]}', "line 1, column 16 (prompt[1]): this begins no value"),
            ('{"prompt":["a"],\n}', "line 2, column 1: a name in quotes is missing"),
            ('{"prompt":["a"],"abandonAfter":030}', "column 32 (abandonAfter): a number begins with 0"),
            ('{"prompt":["\\ud800"]}', "column 13 (prompt[0]): this is half of a surrogate pair"),
            ('\ufeff{"prompt":["a"]}', "it begins with a byte order mark"),
            ('{"prompt":["a"]}'.encode("utf-16"), "it is UTF-16"), ('{"prompt":["a"]}'.encode("utf-16-be"), "it is UTF-16"),
            (b'{"prompt":["\xc0\xaf"]}', "a string is not UTF-8"), ("[]", "it is another value")]:
        body = body.encode() if isinstance(body, str) else body
        wrong = gateway.request("POST", "/v1/captures", token, body, Content_Type="application/json")
        assert wrong.status == 400 and wrong.problem == "not-json" and place in wrong.json["detail"], wrong
    assert gateway.request("POST", "/v1/captures", token, "a=b", Content_Type="text/plain").problem == "wrong-content-type"
    for path, type in (("/v1/captures", "application/json"), ("/v1/documents", "application/pdf")):
        packed = gateway.request("POST", path, token, gzip.compress(b"{}"), Content_Type=type, Content_Encoding="gzip")
        assert packed.status == 415 and "Content-Encoding" in packed.json["detail"], packed
    assert gateway.request("POST", "/v1/captures", token, {"prompt": ["x" * 70000]}).problem == "too-large"
    unknown = gateway.request("POST", "/v1/captures", token, {"prompt": ["a"], "promt": ["b"]}).json["errors"][0]
    assert unknown["pointer"] == "/promt"
    members = description.DOCUMENT["components"]["schemas"]["CaptureRequest"]["properties"]
    assert set(members) == set(re.findall(r"\w+", unknown["detail"].removeprefix("expected one of the names ")))


def test_two_headers_prefer_are_one_list(gateway, token):
    gateway.act(token, "leave")
    capture = gateway.capture(token)["id"]
    tag = state(gateway, token, capture).headers["ETag"]
    connection = gateway.connection()
    connection.putrequest("GET", f"/v1/captures/{capture}")
    for name, value in (("Authorization", "Bearer " + token), ("If-None-Match", tag), ("Prefer", "a=b"), ("Prefer", "wait=20")):
        connection.putheader(name, value)
    connection.endheaders()
    connection.sock.settimeout(0.1)
    with pytest.raises(TimeoutError):
        connection.sock.recv(1)
    assert gateway.request("POST", f"/v1/captures/{capture}/cancel", token).status == 200


def test_files_of_a_running_capture_are_not_there_yet(gateway, token):
    gateway.act(token, "leave")
    capture = gateway.capture(token)["id"]
    for name in ("signature.png", "signature.csv", "record.jsonl", "metadata.json", "record.jsonl.age", "seal", "seal.sig"):
        early = gateway.request("GET", f"/v1/captures/{capture}/{name}", token)
        assert early.status == 409 and early.problem == "not-signed" and early.headers["Retry-After"], early
    gateway.request("POST", f"/v1/captures/{capture}/cancel", token)
    assert gateway.request("GET", f"/v1/captures/{capture}/signature.png", token).problem == "not-found"


def test_times_have_one_form(gateway, token):
    gateway.act(token, "sign")
    capture = gateway.capture(token)["id"]
    document = ended(gateway, token, capture)
    [record] = gateway.request("GET", "/v1/captures?limit=1", token).json["captures"]
    summary = gateway.request("GET", f"/v1/captures/{capture}/metadata.json", token).json["summary"]
    session = gateway.request("POST", "/v1/sessions", token, {"origin": "https://till.example"}).json
    times = [document["createdAt"], document["endedAt"], record["startedAt"], record["endedAt"], summary["startedAt"],
             summary["endedAt"], session["expires"]]
    assert all(re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", text) for text in times), times


def test_files_refuse_wrong_parameters(gateway, token):
    capture = gateway.capture(token)["id"]
    ended(gateway, token, capture)
    for query in ["dpi=x", "dpi=1", "dpi=nan", "width=10", "width=1.5&height=2", "part=all", "color=red", "colour=ff0000",
                  "transparent=yes", "dpi=100&dpi=200", "width=100000&height=100000"]:
        wrong = gateway.request("GET", f"/v1/captures/{capture}/signature.png?{query}", token)
        assert wrong.status in (400, 422) and wrong.problem in ("invalid-parameter", "not-exportable"), (query, wrong)
        if wrong.status == 400:
            # Names of the query, whether the gateway or the panel refuses it.
            assert wrong.json["errors"][0]["pointer"] in re.findall(r"(\w+)=", query) + ["height"] * (query == "width=10")
            assert wrong.json["detail"].startswith(wrong.json["errors"][0]["pointer"] + ": ")
    assert gateway.request("GET", f"/v1/captures/{capture}/signature.csv?dpi=100", token).problem == "invalid-parameter"
    both = gateway.request("GET", f"/v1/captures/{capture}/signature.png?dpi=96&width=10&height=10", token).json
    assert both["detail"] == "width: expected dpi, or width and height, not both", both


def test_many_followers_and_the_first_event(own):
    """Many followers of one capture all see its end; prints the time from a request to the first event."""
    panel, gateway = own
    token = gateway.token()
    times = []
    for _ in range(breadth.count(4, 16)):
        gateway.act(token, "leave")
        begun = time.monotonic()
        capture = gateway.capture(token)["id"]
        assert next(iter(gateway.events(token, capture)))[0] == "snapshot"
        times.append((time.monotonic() - begun) * 1000)
        gateway.request("POST", f"/v1/captures/{capture}/cancel", token)
    print(f"capture to first event: p50 {statistics.median(times):.1f} ms, worst {max(times):.1f} ms")
    capture = gateway.capture(token)["id"]
    followers = [gateway.events(token, capture) for _ in range(breadth.count(50, 200))]
    lasts = [list(follower)[-1] for follower in followers]
    assert {name for name, _, _ in lasts} == {"ended"}
    assert {hashlib.sha256(json.dumps(data).encode()).hexdigest() for _, _, data in lasts}.__len__() == 1


def test_an_interrupted_capture_keeps_its_outcome(tmp_path):
    """Panel and gateway are killed while a person signs: the capture is then known by its record only."""
    panel = Panel(tmp_path)
    gateway = Gateway(tmp_path, panel.socket)
    try:
        token = gateway.token()
        gateway.act(token, "leave")
        capture = gateway.capture(token, data={"order": "4711"})
        path = f"/v1/captures/{capture['id']}"
        wait_for(lambda: gateway.request("GET", path, token).json["state"] == "signing")
        # Its first line is there, too.
        wait_for(lambda: any(
            path.stat().st_size for path in (tmp_path / "records").glob(f"**/{capture['id']}*") if path.is_file()))
        # The panel first: it cancels a capture whose host is gone.
        panel.kill()
        gateway.kill()
        panel.start()
        gateway.start()
        wait_for(lambda: gateway.request("GET", "/v1/panel", token).json.get("page") == "idle")
        answer = gateway.request("GET", path, token)
        assert answer.status == 200, answer
        assert set(answer.json) == {"id", "state", "outcome", "data", "createdAt"}
        assert answer.json["outcome"] == {"result": "interrupted"} and answer.json["state"] == "ended"
        assert answer.json["data"] == {"order": "4711"}
    finally:
        gateway.kill()
        panel.kill()
