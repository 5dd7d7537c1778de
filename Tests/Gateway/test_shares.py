# SPDX-License-Identifier: Apache-2.0
"""One token cannot take all places from the others."""

import concurrent.futures
import time

from conftest import ORIGIN
from gateway import wait_for


def test_waiting_captures_of_one_token_leave_places(own):
    panel, gateway = own
    token, other, third = gateway.token(), gateway.token("other"), gateway.token("third")
    gateway.act(token, "leave")
    asked = [gateway.request("POST", "/v1/captures", token, {"prompt": [str(n)], "wait": True}) for n in range(8)]
    assert [answer.status for answer in asked] == [201] * 4 + [503] * 4
    assert asked[-1].problem == "too-many-captures"
    theirs = [gateway.request("POST", "/v1/captures", other, {"prompt": ["a"], "wait": True}).status for _ in range(4)]
    assert theirs == [201, 201, 503, 503]
    assert gateway.request("POST", "/v1/captures", third, {"prompt": ["a"], "wait": True}).status == 201


def test_pictures_of_one_token_keep_nobody_from_anything(own):
    panel, gateway = own
    token, other = gateway.token(), gateway.token("other")
    capture = gateway.capture(token)["id"]
    wait_for(lambda: gateway.request("GET", f"/v1/captures/{capture}", token).json["state"] == "ended")
    mine = gateway.capture(other)["id"]
    wait_for(lambda: gateway.request("GET", f"/v1/captures/{mine}", other).json["state"] == "ended")
    picture = "signature.png?width=3000&height=3000"
    with concurrent.futures.ThreadPoolExecutor(40) as pool:
        pictures = [pool.submit(gateway.request, "GET", f"/v1/captures/{capture}/{picture}", token) for _ in range(40)]
        wait_for(lambda: any(one.done() for one in pictures))
        assert gateway.request("GET", f"/v1/captures/{mine}/{picture}", other).status == 200
        first = sum(one.done() for one in pictures)
        assert first < 40, "its turn came before the last of the others"
        gateway.act(other, "leave")
        running = gateway.capture(other)["id"]
        assert gateway.request("GET", "/v1/panel", other).status == 200
        assert gateway.request("POST", f"/v1/captures/{running}/cancel", other).status == 200
        assert [one.result().status for one in pictures] == [200] * 40


def test_sessions_of_one_token_leave_places(own):
    panel, gateway = own
    token, other = gateway.token(), gateway.token("other")
    made = [gateway.request("POST", "/v1/sessions", token, {"origin": ORIGIN}).status for _ in range(505)]
    assert made == [201] * 500 + [429] * 5
    assert gateway.request("POST", "/v1/sessions", other, {"origin": ORIGIN}).status == 201
