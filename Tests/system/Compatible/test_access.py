# SPDX-License-Identifier: Apache-2.0
"""Who may speak with the pad: sessions, origins, limits; and what hostile pages cost."""

import statistics
import time
from pathlib import Path

import pytest
from conftest import ORIGIN, SCOPES, Stack
from socket_client import Closed, Refused
from support import breadth
from test_signotec import Page, opened, request
from virtual_client import VirtualClient
from support.waiting import wait_for
from support.breadth import long

PROTOCOLS = ["signotec", "stepover"]


def refusal(stack, protocol: str, session: str, origin: str | None = ORIGIN) -> tuple[int, str]:
    with pytest.raises(Refused) as refused:
        stack.open(protocol, session, origin)
    return refused.value.status, refused.value.problem


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_only_sessions_are_let_in(stack, protocol):
    session = stack.session()
    assert refusal(stack, protocol, "ipt_wrong") == (401, "wrong-token")
    assert refusal(stack, protocol, stack.token) == (401, "wrong-token"), "a token that lasts"
    assert refusal(stack, protocol, session, "https://evil.example") == (403, "wrong-origin")
    assert refusal(stack, protocol, stack.session(scopes=["record"])) == (403, "missing-scope")
    stack.open(protocol, session)
    # The characters of a session may be escaped.
    stack.open(protocol, "".join(f"%{ord(character):02X}" for character in session))


def test_a_session_is_for_pages_of_its_origin(own):
    stack = own(origins=(ORIGIN, "https://other.example"))
    assert refusal(stack, "signotec", stack.session(), "https://other.example") == (403, "wrong-origin")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_request_that_is_no_handshake_is_refused_and_takes_no_place(stack, protocol):
    session = stack.session()
    for _ in range(300):
        answer = stack.gateway.request("GET", f"/compat/{protocol}/{session}")
        assert (answer.status, answer.problem) == (400, "not-a-websocket")
    assert stack.gateway.request("POST", f"/compat/{protocol}/{session}").status == 405
    stack.open(protocol, session)


@pytest.mark.parametrize("frame, protocol", breadth.pairs(
    [(2, b"{}", 1003), (1, b"x" * 65537, 1009), (8, b"", 1000), (3, b"", 1002), (0, b"", 1002)], PROTOCOLS))
def test_a_frame_that_is_none_ends_the_connection(stack, protocol, frame):
    opcode, payload, code = frame
    socket = stack.open(protocol)
    socket.frame(opcode, payload)
    with pytest.raises(Closed) as closed:
        socket.receive()
    assert closed.value.code == code


def test_a_message_in_pieces_is_bounded_as_a_whole(stack):
    socket = stack.open("signotec")
    with pytest.raises((Closed, OSError)):
        socket.frame(1, b"x" * 40000, is_last=False)
        socket.frame(0, b"x" * 40000)
        assert socket.receive()
    socket = stack.open("signotec")
    whole = b'{"TOKEN_TYPE": "TOKEN_TYPE_REQUEST", "TOKEN_CMD": "TOKEN_CMD_GET_SERVER_VERSION"}'
    socket.frame(1, whole[:20], is_last=False)
    socket.frame(9, b"ping")
    socket.frame(0, whole[20:])
    assert socket.receive()["TOKEN_PARAM_RETURN_CODE"] == "0"


def test_a_connection_ends_with_its_session(own):
    stack = own()
    socket = stack.open("signotec", lifetime=10)
    with pytest.raises(Closed) as closed:
        socket.receive(15)
    assert closed.value.code == 4003


def test_a_connection_lives_on_with_its_session(own):
    """As the back end of a page that stays open does it: the address with the session is in the page."""
    stack = own()
    session = stack.session(lifetime=10)
    page = opened(stack, session=session)
    for session_text, status in ((session, 200), ("ipt_wrong", 400), (stack.token, 400)):
        answer = stack.gateway.request("POST", "/v1/sessions/renew", stack.token, {"session": session_text})
        assert answer.status == status
    time.sleep(11)
    page.do("SIGNATURE_START", CUSTOM_TEXT="Sign")
    page.wait_for("SIGNATURE_CONFIRM")
    assert stack.gateway.request("POST", "/v1/sessions/renew", session, {"session": session}).status == 400


def test_a_connection_ends_when_its_token_is_removed(own):
    stack = own()
    stack.act("leave")
    page, idle = opened(stack), Page(stack.open("signotec"))
    page.do("SIGNATURE_START", CUSTOM_TEXT="Sign")
    stack.wait_for_page("signing")
    admin = stack.gateway.token("other", ["panel"])
    assert stack.gateway.command("token", "remove", "till").returncode == 0
    with pytest.raises(Closed) as closed:
        page.receive()
    assert closed.value.code == 4003
    wait_for(lambda: stack.gateway.request("GET", "/v1/panel", admin).json["page"] == "idle")
    # One on which nothing happens ends with the next message.
    idle.socket.send(request("GET_SERVER_VERSION"))
    with pytest.raises(Closed) as closed:
        idle.receive()
    assert closed.value.code == 4003


def test_others_get_no_records_and_no_pictures_of_a_session(stack):
    page = opened(stack)
    page.do("SIGNATURE_START", CUSTOM_TEXT="Sign")
    page.wait_for("SIGNATURE_CONFIRM")
    for other in (opened(stack), opened(stack, token=stack.gateway.token(f"other-{time.time()}", SCOPES))):
        assert "confirmed" in other.error("SIGNATURE_IMAGE") and "confirmed" in other.error("SIGNATURE_SIGN_DATA")
    blind = opened(stack, scopes=["capture"])
    blind.do("SIGNATURE_START", CUSTOM_TEXT="Sign")
    blind.wait_for("SIGNATURE_CONFIRM")
    assert "scope record" in blind.error("SIGNATURE_IMAGE")


def memory(stack: Stack) -> float:
    """MiB."""
    status = Path(f"/proc/{stack.gateway.process.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def wakeups(stack: Stack, seconds: float) -> float:
    """A second, of the threads that are there before and after: others end because they have nothing to do."""
    def counts() -> dict[str, int]:
        return {task.parent.name: int(task.read_text().split("\nvoluntary_ctxt_switches:")[1].split()[0])
                for task in Path(f"/proc/{stack.gateway.process.pid}/task").glob("*/status")}
    before = counts()
    time.sleep(seconds)
    return sum(count - before[task] for task, count in counts().items() if task in before) / seconds


@long
def test_a_hundred_open_sessions_cost_little_memory_and_no_wakeups(own, capsys):
    stack = own(mirror="ink")
    tokens = [stack.token, stack.gateway.token("second", SCOPES)]
    time.sleep(2)
    # A second wakes libdispatch, which looks after its threads.
    start, before = memory(stack), wakeups(stack, 4)
    pages = [Page(stack.open(PROTOCOLS[number % 2], stack.session(tokens[number % 2]))) for number in range(100)]
    for page in pages[::2]:
        page.do("GET_SERVER_VERSION")
    grown = memory(stack) - start
    # Until the times for 100 requests would be over.
    time.sleep(12)
    idle = wakeups(stack, 4)
    with capsys.disabled():
        print(f"\n100 open sessions: {grown:.1f} MiB more than {start:.1f}; {idle:.1f} wakeups a second, before {before:.1f}")
    # One wakeup a second of each would be 100.
    assert grown < 16 and idle < before + 50
    for page in pages:
        page.socket.close()


def test_pages_share_the_connections_and_give_them_back(own):
    stack = own()
    session = stack.session(captures=1)
    sockets = []
    with pytest.raises(Refused) as refused:
        for _ in range(201):
            sockets.append(stack.open("stepover", session))
    assert refused.value.status == 503 and 90 <= len(sockets) <= 110, "a half for the first token"
    other = stack.session(stack.gateway.token("second", SCOPES))
    sockets.append(stack.open("stepover", other))
    for socket in sockets:
        socket.close()
    wait_for(lambda: all(stack.open("stepover", session) for _ in range(60)))


def test_a_page_that_reads_nothing_costs_one_answer(own):
    stack = own(mirror="ink")
    page = opened(stack)
    page.do("SIGNATURE_START", CUSTOM_TEXT="Sign")
    page.wait_for("SIGNATURE_CONFIRM")
    before = memory(stack)
    page.socket.socket.settimeout(2)
    with pytest.raises(OSError):
        while True:
            page.socket.send(request("SIGNATURE_IMAGE"))
    assert memory(stack) - before < 8
    # And the panel serves others.
    assert opened(stack).do("SEARCH_FOR_PADS")["CONNECTED_PADS"]


def test_the_page_is_on_the_pad_soon_after_the_command(own, capsys):
    stack = own(simulate=False, mirror="ink")
    client = VirtualClient(stack.panel.virtual)
    client.frames(0.5)
    socket = opened(stack, captures=30).socket
    times = []
    for _ in range(30):
        idle = bytes(client.pixels)
        began = time.monotonic()
        socket.send(request("SIGNATURE_START", CUSTOM_TEXT="Please sign!"))
        while client.pixels == idle:
            client.frame()
        times.append(1000 * (time.monotonic() - began))
        assert socket.receive()["TOKEN_PARAM_RETURN_CODE"] == "0"
        socket.send(request("SIGNATURE_CANCEL"))
        assert socket.receive()["TOKEN_PARAM_RETURN_CODE"] == "0"
        client.frames(0.3)
    p95 = sorted(times)[int(0.95 * len(times))]
    with capsys.disabled():
        # The aim is a p95 below 100 ms on a quiet machine. Other tests run beside this one.
        print(f"\nfrom the command to the page on the pad: p50 {statistics.median(times):.0f} ms, p95 {p95:.0f} ms")
