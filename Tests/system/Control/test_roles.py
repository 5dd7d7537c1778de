# SPDX-License-Identifier: Apache-2.0
"""Hosts of real users: an operator, and the gateway, which reaches only what it asked for."""

import base64
import os

import pytest
from conftest import User

GATEWAY, CLERK = 65533, 65532
DENIED = {"error": "org.varlink.service.PermissionDenied", "parameters": {}}
NOT_RUNNING = {"error": "org.inkpanel.Panel.NotRunning", "parameters": {}}
FORMATS = ["metadata", "png", "svg", "inkml", "iso19794", "signature_pad", "csv", "record"]

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")


@pytest.fixture
def peer(start):
    return start(gateway=GATEWAY)


@pytest.fixture
def gateway(peer):
    with User(peer, GATEWAY) as user:
        yield user


@pytest.fixture
def clerk(peer):
    with User(peer, CLERK) as user:
        yield user


def sign(user: User, **parameters) -> str:
    ended = user.call("Capture", reason="accept", **parameters)["parameters"]
    assert ended["outcome"] == {"result": "accepted"}
    return ended["id"]


def listed(user: User) -> set[str]:
    return {capture["id"] for capture in user.call("List")["parameters"]["captures"]}


def missing(name: str) -> dict:
    return {"error": "org.inkpanel.Panel.NoSuchCapture", "parameters": {"id": name}}


def test_the_gateway_reads_only_records_of_captures_that_it_asked_for(peer, gateway, clerk):
    own, other = sign(gateway, data={"order": "1"}), sign(clerk, data={"order": "2"})
    assert listed(gateway) == {own} and listed(clerk) == {own, other}
    for form in FORMATS:
        assert "parameters" in gateway.call("Get", id=own, format=form)
        assert gateway.call("Get", id=other, format=form) == missing(other)
        assert gateway.call("Get", id="none", format=form) == missing("none")
        assert all("error" not in clerk.call("Get", id=name, format=form) for name in (own, other))
    asked = [clerk.call("Get", id=name, format="metadata")["parameters"]["metadata"] for name in (own, other)]
    assert [metadata.get("askedBy") for metadata in asked] == ["gateway", None]
    assert b'"askedBy":"gateway"' in (peer.store / "captures" / f"{own}.jsonl").read_bytes()
    assert b"askedBy" not in (peer.store / "captures" / f"{other}.jsonl").read_bytes()


def test_the_gateway_deletes_nothing(peer, gateway, clerk):
    own, other = sign(gateway), sign(clerk)
    for name in (own, other, "none"):
        assert gateway.call("Delete", id=name) == DENIED
    assert gateway.call("Delete") == DENIED
    assert peer.records() == sorted([own, other])
    assert peer.log.read_text().count(f"user {GATEWAY}, the gateway, may not call org.inkpanel.Panel.Delete") == 4
    assert "error" not in clerk.call("Delete", id=own)
    assert listed(gateway) == set()


def test_the_gateway_takes_no_screenshot(gateway, clerk):
    assert gateway.call("Screenshot") == DENIED
    picture = clerk.call("Screenshot")["parameters"]
    assert picture["mediaType"] == "image/png" and base64.b64decode(picture["base64"]).startswith(b"\x89PNG")


def test_files_that_nobody_can_read_are_not_shown_to_the_gateway(peer, gateway, clerk):
    sign(clerk)
    (peer.store / "captures" / "broken.jsonl").write_text('{"askedBy":"gateway","format":"inkpanel-capture"}\n')
    assert gateway.call("List")["parameters"] == {"captures": [], "unreadable": []}
    assert len(clerk.call("List")["parameters"]["unreadable"]) == 1
    assert gateway.call("Get", id="broken", format="record") == missing("broken")


def test_the_gateway_neither_sees_nor_touches_a_capture_of_an_operator(gateway, clerk):
    watched = gateway.follow("Watch")["parameters"]["status"]
    assert watched["page"] == "idle"
    started = clerk.follow("Capture", reason="sign")["parameters"]
    name = started["id"]
    for identity in ({}, {"id": name}, {"id": None}):
        for method in ("Cancel", "Clear", "Accept"):
            assert gateway.call(method, **identity) == NOT_RUNNING
    assert gateway.call("Capture", reason="sign") == {"error": "org.inkpanel.Panel.Busy", "parameters": {}}
    assert clerk.call("Capture", reason="sign") == {"error": "org.inkpanel.Panel.Busy", "parameters": {"id": name}}
    status = gateway.call("Status")["parameters"]["status"]
    assert status["page"] == "signing" and "running" not in status
    assert clerk.call("Status")["parameters"]["status"]["running"] == {"id": name, "strokes": 2}
    changed = gateway.next(0)["parameters"]["status"]
    assert changed["page"] == "signing" and "running" not in changed
    assert "error" not in clerk.call("Accept", id=name)
    # It heard of neither stroke: the next change is the page.
    assert gateway.next(0)["parameters"]["status"]["page"] == "saving"


def test_the_gateway_operates_its_own_captures(gateway, clerk):
    name = gateway.follow("Capture", reason="sign")["parameters"]["id"]
    assert gateway.call("Status")["parameters"]["status"]["running"] == {"id": name, "strokes": 2}
    assert gateway.call("Capture", reason="sign") == {
        "error": "org.inkpanel.Panel.Busy", "parameters": {"id": name}}
    assert gateway.call("Clear", id=name) == {"parameters": {}}
    assert gateway.call("Status")["parameters"]["status"]["running"] == {"id": name, "strokes": 0}
    # Operators operate all captures.
    assert clerk.call("Cancel") == {"parameters": {}}
    replies = [gateway.next(0)["parameters"] for _ in range(4)]
    assert replies[-1]["outcome"] == {"by": "host", "result": "cancelled"}
    assert gateway.call("Cancel") == NOT_RUNNING


def test_a_waiting_capture_of_the_gateway(gateway, clerk):
    running = clerk.follow("Capture", prompt=["Sign"])["parameters"]["id"]
    waiting = gateway.follow("Capture", prompt=["Sign"], wait=True)["parameters"]
    assert waiting["state"] == "waiting"
    assert gateway.call("Cancel") == NOT_RUNNING
    assert gateway.call("Cancel", id=waiting["id"]) == {"parameters": {}}
    assert clerk.call("Status")["parameters"]["status"]["running"]["id"] == running


def test_after_a_restart_the_gateway_still_has_its_records_and_no_others(start):
    first = start(gateway=GATEWAY)
    with User(first, GATEWAY) as gateway, User(first, CLERK) as clerk:
        own, other = sign(gateway), sign(clerk)
    assert first.stop() == 0
    again = start(folder=first.folder, gateway=GATEWAY)
    with User(again, GATEWAY) as gateway, User(again, CLERK) as clerk:
        assert listed(gateway) == {own} and listed(clerk) == {own, other}
        assert gateway.call("Get", id=other, format="record") == missing(other)
        assert "error" not in gateway.call("Get", id=own, format="record")
    assert again.stop() == 0
    # Another user that becomes the gateway has the gateway's records; the old one is an ordinary member of the group.
    last = start(folder=first.folder, gateway=CLERK)
    with User(last, CLERK) as gateway, User(last, GATEWAY) as member:
        assert listed(gateway) == {own} and listed(member) == {own, other}


def test_the_role_is_the_users_whatever_its_groups(peer):
    os.chmod(peer.socket, 0o666)
    with User(peer, GATEWAY, groups=[]) as alone, User(peer, GATEWAY, groups=[0, os.getegid()]) as member:
        for user in (alone, member):
            assert user.call("Delete", id="none") == DENIED
            assert "error" not in user.call("Status")
    with User(peer, CLERK, groups=[]) as stranger:
        assert stranger.call("Status") == DENIED


def test_without_a_gateway_nobody_has_its_role(start):
    peer = start()
    with User(peer, GATEWAY) as member:
        assert member.call("Delete", id="none") == missing("none")


def test_a_full_gateway_leaves_the_others_their_places(peer, gateway, clerk):
    full = "org.inkpanel.Panel.TooManyConnections"
    watch = {"method": "org.inkpanel.Panel.Watch", "more": True}
    assert ["parameters" in gateway.connect(watch) for _ in range(16)] == [True] * 16
    assert gateway.connect(watch)["error"] == full
    assert ["parameters" in clerk.connect(watch) for _ in range(12)] == [True] * 12
    # The places that are left are for root.
    assert clerk.connect(watch)["error"] == full
    with peer.open() as panel:
        assert panel.Status()["status"]["page"] == "idle"
