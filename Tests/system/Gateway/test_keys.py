# SPDX-License-Identifier: Apache-2.0
"""Idempotency keys: an order is not signed twice, whatever ends in between."""

import json
import os
import subprocess
import threading
import time

from conftest import ORIGIN
from support.waiting import wait_for

BODY = {"prompt": ["Order 4711"], "data": {"order": "4711"}}


def ask(gateway, token, key="k", body=BODY):
    return gateway.request("POST", "/v1/captures", token, body, Idempotency_Key=key)


def wait_until_ended(gateway, token, capture):
    wait_for(lambda: gateway.request("GET", f"/v1/captures/{capture}", token).json["state"] == "ended")


def restart(gateway):
    gateway.kill()
    gateway.start()


def records(gateway, token) -> list:
    return [one["id"] for one in gateway.request("GET", "/v1/captures?limit=200", token).json["captures"]]


def test_the_same_order_is_not_signed_again_after_a_restart(own):
    panel, gateway = own
    token, other = gateway.token(), gateway.token("other")
    capture = ask(gateway, token).json["id"]
    wait_until_ended(gateway, token, capture)
    for _ in range(2):
        restart(gateway)
        again = ask(gateway, token)
        assert again.status == 201 and again.json["id"] == capture and again.headers["Location"].endswith(capture)
        assert again.json["outcome"] == {"result": "accepted"} and again.json["data"] == {"order": "4711"}
    assert ask(gateway, token, body={"prompt": ["Other"]}).problem == "key-reused"
    assert records(gateway, token) == [capture]
    theirs = ask(gateway, other)
    assert theirs.status == 201 and theirs.json["id"] != capture, "a key belongs to its token"
    assert b"4711" not in (gateway.state / "keys").read_bytes() and token not in (gateway.state / "keys").read_text()


def session(gateway, token) -> str:
    return gateway.request("POST", "/v1/sessions", token, {"origin": ORIGIN}).json["token"]


def test_the_same_order_is_not_signed_again_by_another_session(own):
    """A restart ends all sessions, so a page that is loaded again has a new one."""
    panel, gateway = own
    token, other = gateway.token(), gateway.token("other")
    page = session(gateway, token)
    gateway.act(token, "leave")
    capture = ask(gateway, page).json["id"]
    assert ask(gateway, page).json["id"] == ask(gateway, token).json["id"] == capture, "the same session, and its token"

    def is_refused() -> bool:
        refused = ask(gateway, session(gateway, token))
        return refused.problem == "key-of-another" and capture not in refused.body.decode()

    assert is_refused(), "while the capture runs"
    gateway.request("POST", f"/v1/captures/{capture}/cancel", token)
    assert is_refused()
    signed = ask(gateway, page := session(gateway, token), "second").json["id"]
    wait_until_ended(gateway, token, signed)
    restart(gateway)
    capture = signed
    assert ask(gateway, session(gateway, token), "second").problem == "key-of-another"
    assert ask(gateway, token, "second").json["outcome"] == {"result": "accepted"}, "its back end learns what became of it"
    assert records(gateway, token) == [signed]
    theirs = ask(gateway, session(gateway, other), "second")
    assert theirs.status == 201 and theirs.json["id"] != signed, "a key belongs to its token"


def test_the_key_of_a_token_gives_its_pages_nothing(own):
    panel, gateway = own
    token = gateway.token()
    capture = ask(gateway, token).json["id"]
    refused = ask(gateway, session(gateway, token))
    assert refused.problem == "key-of-another" and capture not in refused.body.decode()


def test_a_call_that_did_not_reach_the_panel_leaves_the_key_free(own):
    panel, gateway = own
    token = gateway.token()
    panel.kill()
    assert ask(gateway, token).problem == "panel-not-running"
    panel.start()
    subprocess.run(
        [os.environ["INKPANEL"], "capture", "--socket", panel.socket, "--prompt", "Another host's"], check=True,
        capture_output=True, timeout=60)
    again = wait_for(lambda: (answer := ask(gateway, token)).problem_name != "busy" and answer)
    assert again.status == 201, again
    wait_until_ended(gateway, token, again.json["id"])
    assert records(gateway, token) == [again.json["id"]]


def test_the_order_of_a_killed_gateway_failed(own):
    panel, gateway = own
    token = gateway.token()
    gateway.act(token, "leave")
    capture = ask(gateway, token).json["id"]
    restart(gateway)
    again = wait_for(lambda: (answer := ask(gateway, token)).status == 201 and answer)
    assert again.json["id"] == capture and again.json["state"] == "ended" and again.json["outcome"]["result"] == "failed"
    assert ask(gateway, token, "another").status == 201


def cut_after(gateway, count: int):
    """The gateway was killed when it had written so much of the file of keys."""
    gateway.kill()
    path = gateway.state / "keys"
    path.write_bytes(path.read_bytes()[:count])
    gateway.start()


def test_an_order_in_doubt_is_signed_again_only_if_it_was_not(own):
    panel, gateway = own
    token = gateway.token()
    capture = ask(gateway, token).json["id"]
    wait_until_ended(gateway, token, capture)
    whole = (gateway.state / "keys").read_bytes()
    asked = whole.index(b"\n") + 1
    # The end of the capture was written by the panel, and the gateway wrote neither the capture nor its owner.
    (gateway.state / "owners").write_bytes(b"")
    for count in (asked, asked + 10, len(whole) - 1):
        cut_after(gateway, count)
        doubtful = ask(gateway, token)
        assert doubtful.status == 409 and doubtful.problem == "key-in-doubt" and capture in doubtful.json["detail"]
    (gateway.state / "keys").write_bytes(whole)
    restart(gateway)
    assert ask(gateway, token).json["id"] == capture
    assert gateway.request("GET", f"/v1/captures/{capture}/signature.svg", token).status == 200, "its owner is known again"
    # Nothing was signed: a torn line, and a whole one, begin anew.
    for count in (asked - 5, asked):
        gateway.kill()
        (gateway.state / "keys").write_bytes(whole[:count].replace(whole.split()[2], str(int(time.time()) + 5).encode()))
        gateway.start()
        if count < asked:
            assert "torn" in gateway.log.read_text()
        new = ask(gateway, token)
        assert new.status == 201 and new.json["id"] != capture
        gateway.request("POST", f"/v1/captures/{new.json['id']}/cancel", token)


def test_kills_at_any_moment_sign_an_order_once(own):
    """A host that repeats its order until it has an answer, while the gateway is killed again and again."""
    panel, gateway = own
    token = gateway.token()
    for number in range(12):
        body = {"prompt": [f"Order {number}"], "data": {"order": str(number)}}
        killer = threading.Timer(0.002 * number, gateway.kill)
        killer.start()
        try:
            ask(gateway, token, f"order {number}", body)
        except OSError:
            pass
        except Exception as error:
            assert "Remote end closed" in str(error) or "incomplete" in str(error).lower(), error
        killer.join()
        gateway.start()
        answer = wait_for(lambda: (a := ask(gateway, token, f"order {number}", body)).problem_name != "key-in-use" and a)
        if answer.status == 201:
            wait_until_done(gateway, token, answer.json["id"])
    signed = [json.dumps(one.get("data")) for one in gateway.request(
        "GET", "/v1/captures?limit=200", gateway.token("chief", ["admin"])).json["captures"]]
    assert len(signed) == len(set(signed)), signed


def wait_until_done(gateway, token, capture):
    def has_ended() -> bool:
        answer = gateway.request("GET", f"/v1/captures/{capture}", token)
        return answer.status == 404 or answer.json["state"] == "ended"
    wait_for(has_ended)


def test_a_key_that_cannot_be_kept_asks_for_nothing(own):
    panel, gateway = own
    token = gateway.token()
    (gateway.state / "keys").unlink(missing_ok=True)
    (gateway.state / "keys").mkdir()
    refused = ask(gateway, token)
    assert refused.status == 500 and refused.problem == "store-failed" and "keys" in refused.json["detail"]
    assert records(gateway, token) == []


def test_files_that_others_can_change_are_not_used(own):
    panel, gateway = own
    token = gateway.token()
    capture = ask(gateway, token).json["id"]
    wait_until_ended(gateway, token, capture)
    gateway.kill()
    files = [gateway.state / "keys", gateway.state / "owners"]
    before = [file.read_bytes() for file in files]
    for file in files:
        file.chmod(0o666)
    gateway.start()
    assert gateway.log.read_text().count("can be read or changed by others") == 2
    refused = ask(gateway, token)
    assert refused.problem == "store-failed" and "chmod 600" in refused.json["detail"]
    assert gateway.request("GET", f"/v1/captures/{capture}", token).problem == "not-found"
    assert gateway.capture(token)["state"] == "signing"
    assert [file.read_bytes() for file in files] == before
    gateway.kill()
    for file in files:
        file.chmod(0o600)
    gateway.start()
    assert ask(gateway, token).json["id"] == capture
