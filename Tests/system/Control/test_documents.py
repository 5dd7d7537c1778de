# SPDX-License-Identifier: Apache-2.0
"""Documents that hosts hand over: whole ones, others, and hosts that never finish. The pad takes any bytes."""

import base64
import hashlib
import os
import resource
import time

import pytest
import varlink
from conftest import User

DOCUMENT = os.urandom(300_000)
PIECE = 45 * 1024


def opened(panel, document=DOCUMENT, size=None, sha256=None) -> str:
    return panel.OpenDocument(
        size=len(document) if size is None else size, sha256=sha256 or hashlib.sha256(document).hexdigest())["id"]


def append(panel, name: str, bytes: bytes):
    panel.Append(id=name, base64=base64.b64encode(bytes).decode())


def handed_over(panel, document=DOCUMENT) -> str:
    name = opened(panel, document)
    for start in range(0, len(document), PIECE):
        append(panel, name, document[start:start + PIECE])
    return name


def refused(call, *words, **members) -> dict:
    with pytest.raises(varlink.VarlinkError) as error:
        call(*words, **members)
    return {"error": error.value.error().rpartition(".")[2], **(error.value.parameters() or {})}


def test_a_person_is_asked_with_a_whole_document(peer):
    with peer.open() as panel, peer.open() as other:
        name = handed_over(panel)
        capture = panel.Capture(document={"id": name, "policy": {"mustSeeAllPages": True}}, _more=True)
        assert next(capture)["state"] in ("reading", "signing")
        other.Cancel()
        assert list(capture)[-1]["outcome"] == {"result": "cancelled", "by": "host"}
        # It stays for another capture, until it is closed.
        panel.CloseDocument(name)
        assert refused(panel.Capture, document={"id": name})["error"] == "NoSuchDocument"


def test_parts_of_documents_and_those_of_others_are_refused(peer):
    with peer.open() as panel, peer.open() as other:
        name = opened(panel)
        append(panel, name, DOCUMENT[:PIECE])
        told = refused(panel.Capture, document={"id": name})
        assert told["fault"] == "incomplete" and f"{PIECE} of its {len(DOCUMENT)} bytes" in told["reason"]
        assert refused(other.Capture, document={"id": name})["error"] == "NoSuchDocument"
        assert refused(append, other, name, b"x")["error"] == "NoSuchDocument"
        assert refused(other.CloseDocument, name)["error"] == "NoSuchDocument"
        told = refused(opened, panel)
        assert told["error"] == "Unavailable" and "CloseDocument" in told["reason"]


def test_what_does_not_fit_its_announcement_is_refused(peer):
    with peer.open() as panel:
        assert refused(opened, panel, size=0)["parameter"] == "size"
        assert refused(opened, panel, size=(32 << 20) + 1)["parameter"] == "size"
        assert refused(opened, panel, sha256="0" * 63)["parameter"] == "sha256"
        name = opened(panel, size=10)
        assert refused(append, panel, name, b"x" * 11)["fault"] == "size"
        name = opened(panel, size=10)
        assert refused(append, panel, name, b"x" * 10)["fault"] == "digest"
        assert refused(panel.Capture, document={"id": name})["fault"] == "digest"
        name = opened(panel)
        for garbage in ("", "%%%%", "YWJ", "YWJj YWJj", "YWJj\nYWJj", "ä"):
            assert refused(panel.Append, id=name, base64=garbage)["parameter"] == "base64", garbage
        panel.CloseDocument(name)
        handed_over(panel)


def test_documents_of_many_hosts_are_limited(peer):
    large = 32 << 20
    digest = "0" * 64
    with peer.open() as first, peer.open() as second, peer.open() as third:
        opened(first, size=large, sha256=digest)
        opened(second, size=large, sha256=digest)
        assert refused(opened, third, size=1, sha256=digest)["error"] == "Unavailable"
    # Those that have ended make room.
    with peer.open() as panel:
        for _ in range(100):
            try:
                opened(panel, size=large, sha256=digest)
                return
            except varlink.VarlinkError:
                time.sleep(0.05)
    raise AssertionError("there is no room any more")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_no_user_keeps_others_from_handing_over(peer):
    large = {"size": 32 << 20, "sha256": "0" * 64}
    call = {"method": "org.inkpanel.Panel.OpenDocument", "parameters": large}
    with User(peer, 65533) as first, User(peer, 65532) as second:
        assert "parameters" in first.connect(call) and first.connect(call)["error"].endswith("Unavailable")
        assert "parameters" in second.connect(call)


def test_documents_that_dribble_are_discarded(peer):
    with peer.open() as panel:
        name = opened(panel)
        append(panel, name, b"x")
        time.sleep(11)
        told = refused(append, panel, name, b"x")
        assert told["fault"] == "discarded" and "slowly" in told["reason"]
    assert b"hands over its document too slowly" in peer.log.read_bytes()


def test_a_document_is_in_memory_once(start):
    # Half a gigabyte of address space: copies of each capture would not fit.
    peer = start(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29)))
    document = os.urandom(32 << 20)
    with peer.open() as panel, peer.open() as other:
        name = handed_over(panel, document)
        for _ in range(8):
            capture = panel.Capture(prompt=["Sign"], document={"id": name}, _more=True)
            next(capture)
            other.Cancel()
            list(capture)
