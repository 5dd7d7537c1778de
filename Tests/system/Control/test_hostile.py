# SPDX-License-Identifier: Apache-2.0
"""Hosts that disappear, do not read, are too many, or are not authorised."""

import json
import os
import resource
import shutil
import socket
import subprocess
import sys
import time

import pytest
from conftest import User
from support.breadth import long

INFO = {"method": "org.varlink.service.GetInfo"}


def connect(peer) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(30)
    connection.connect(peer.socket)
    return connection


def send(connection, *calls):
    connection.sendall(b"".join(json.dumps(call).encode() + b"\0" for call in calls))


def receive(connection) -> dict:
    data = b""
    while not data.endswith(b"\0"):
        part = connection.recv(1 << 16)
        assert part, "the connection has ended"
        data += part
    assert data.count(b"\0") == 1
    return json.loads(data[:-1])


def eventually(condition):
    for _ in range(600):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("it did not come to be")


def page(peer) -> str:
    with peer.open() as panel:
        return panel.Status()["status"]["page"]


def test_killing_a_host_cancels_its_capture(peer):
    script = "import sys, varlink\nc = varlink.Client('unix:' + sys.argv[1]).open('org.inkpanel.Panel')\n" \
        "for a in c.Capture(prompt=['Sign'], _more=True): print(a['state'], flush=True)"
    host = subprocess.Popen([sys.executable, "-c", script, peer.socket], stdout=subprocess.PIPE)
    assert host.stdout.readline() == b"signing\n"
    assert page(peer) == "signing"
    host.kill()
    host.wait()
    eventually(lambda: page(peer) == "idle")


def test_a_host_that_does_not_read_is_disconnected(peer):
    slow = connect(peer)
    send(slow, {"method": "org.inkpanel.Panel.Capture", "more": True, "parameters": {"reason": "scribble"}})
    eventually(lambda: page(peer) == "idle")
    # By the size of what waits, or on a busy machine by its time.
    log = peer.log.read_bytes()
    assert b"a host does not read" in log or b"a host reads its answer too slowly" in log


def test_garbage_ends_only_its_connection(peer):
    good = connect(peer)
    for garbage in [b"\0", b"\xff\xfe\0", b"[" * 60000 + b"\0", b"x" * 70000, b'{"method":"' + b"y" * 70000 + b'"}\0',
                    b'{"method":"org.inkpanel.Panel.Capture","parameters":{"prompt":["a"],"prompt":["b"]}}\0',
                    b'{"method":"org.inkpanel.Panel.Status",}\0', b'\xef\xbb\xbf{"method":"org.inkpanel.Panel.Status"}\0',
                    '{"method":"org.inkpanel.Panel.Status"}'.encode("utf-16") + b"\0"]:
        bad = connect(peer)
        bad.sendall(garbage)
        assert receive(bad)["error"] == "org.inkpanel.Panel.MalformedMessage"
        assert bad.recv(1) == b""
        send(good, INFO)
        assert receive(good)["parameters"]["product"] == "inkpanel"


WATCH = {"method": "org.inkpanel.Panel.Watch", "more": True}


def test_too_many_hosts(peer):
    hosts = [connect(peer) for _ in range(16)]
    for host in hosts:
        send(host, WATCH)
        receive(host)
    late = connect(peer)
    assert receive(late)["error"] == "org.inkpanel.Panel.TooManyConnections"
    hosts.pop().close()
    eventually(lambda: "parameters" in _ask(peer))


def test_silent_connections_make_room(peer):
    hosts = [connect(peer) for _ in range(16)]
    # A connection keeps its place for at least a second.
    eventually(lambda: "parameters" in _ask(peer))
    assert hosts[0].recv(1) == b""
    send(hosts[-1], INFO)
    assert receive(hosts[-1])["parameters"]["product"] == "inkpanel"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_no_user_locks_out_the_others(peer):
    full = "org.inkpanel.Panel.TooManyConnections"
    with User(peer, 65533) as first, User(peer, 65532) as second, User(peer, 65531) as third:
        # One user's maximum, all watching.
        assert ["parameters" in first.connect(WATCH) for _ in range(16)] == [True] * 16
        assert first.connect(WATCH)["error"] == full
        # Others are not affected until two users have used all places but root's.
        assert "parameters" in third.connect(INFO)
        assert ["parameters" in second.connect(WATCH) for _ in range(11)] == [True] * 11
        assert second.connect(WATCH)["error"] == full
        kept = [connect(peer) for _ in range(4)]
        for host in kept:
            send(host, {"method": "org.inkpanel.Panel.Status"})
            assert receive(host)["parameters"]["status"]["page"] == "idle"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_silent_connections_of_two_users_do_not_lock_out_others(peer):
    with User(peer, 65533) as first, User(peer, 65532) as second, User(peer, 65531) as third:
        for _ in range(16):
            first.connect()
            second.connect()
        # Root gets a reserved place without waiting.
        assert "parameters" in _ask(peer)
        eventually(lambda: "parameters" in third.connect(INFO))


@long
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_user_that_does_not_read_does_not_delay_others(start):
    peer = start("accept")
    with peer.open() as panel:
        name = panel.Capture(prompt=["x"])["id"]
    get = {"method": "org.inkpanel.Panel.Get",
           "parameters": {"id": name, "format": "png", "size": {"width": 4000, "height": 4000}}}
    with User(peer, 65533) as other:
        # More pictures than can be made in a minute, none of them read.
        hosts = [connect(peer) for _ in range(8)]
        for host in hosts:
            send(host, *[get] * 100)
        assert other.connect({"method": "org.inkpanel.Panel.Status"})["parameters"]["status"]["page"] == "idle"
        assert other.connect(get)["parameters"]["mediaType"] == "image/png"


def _ask(peer) -> dict:
    host = connect(peer)
    try:
        send(host, INFO)
        answer = receive(host)
    except OSError:
        return {}
    return {} if "error" in answer else answer


def test_without_descriptors_it_waits_and_goes_on(start):
    def few():
        resource.setrlimit(resource.RLIMIT_NOFILE, (26, 26))

    peer = start(preexec_fn=few)
    hosts = [connect(peer) for _ in range(30)]
    eventually(lambda: b"cannot accept a connection" in peer.log.read_bytes())
    time.sleep(2)
    # One warning for each try, once per second.
    assert peer.log.read_bytes().count(b"cannot accept a connection") < 20
    send(hosts[0], INFO)
    assert receive(hosts[0])["parameters"]["product"] == "inkpanel"
    for host in hosts[:20]:
        host.close()
    send(hosts[-1], INFO)
    assert receive(hosts[-1])["parameters"]["product"] == "inkpanel"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_users_that_are_not_in_the_group_are_refused(peer):
    # Open the socket's permissions, which alone would refuse others.
    os.chmod(peer.socket, 0o666)
    script = "import socket, sys\ns = socket.socket(socket.AF_UNIX)\ns.connect(sys.argv[1])\n" \
        "s.sendall(b'{\"method\":\"org.varlink.service.GetInfo\"}\\0')\nprint(s.recv(9999).decode())"

    def ask(**identity) -> str:
        # Parent directories may be closed to the other user, who therefore inherits an open descriptor.
        return subprocess.run(
            ["/usr/bin/python3", "-c", script, peer.socket], capture_output=True, text=True, cwd="/", **identity).stdout

    peer.open_to_others()
    assert "PermissionDenied" in ask(user=65534, group=65534, extra_groups=[])
    assert "inkpanel" in ask(user=65534, group=65534, extra_groups=[os.getegid()])
    assert "inkpanel" in ask(user=65534, group=os.getegid(), extra_groups=[])
    # Members of the group are accepted.
    os.chmod(peer.socket, 0o660)
    assert ask(user=65534, group=65534, extra_groups=[]) == ""


def test_a_socket_from_the_service_manager(tmp_path):
    path = str(tmp_path / "passed.sock")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    # Descriptor 3 of this process may be something else, such as a worker's connection.
    number = listener.fileno()
    process = subprocess.Popen(
        ["bash", "-c", f'LISTEN_PID=$$ LISTEN_FDS=1 exec "$0" - "$1" 3<&{number}', os.environ["CONTROL_PEER"],
         str(tmp_path / "store")], stdout=subprocess.PIPE, pass_fds=[number])
    assert process.stdout.readline() == b"ready\n"
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(30)
    connection.connect(path)
    send(connection, INFO)
    assert receive(connection)["parameters"]["product"] == "inkpanel"
    process.terminate()
    assert process.wait(30) == 0
    # The service manager's socket is not removed.
    assert os.path.exists(path)


@pytest.mark.skipif(shutil.which("varlinkctl") is None, reason="varlinkctl comes with systemd 255")
def test_varlinkctl(start):
    peer = start("accept")
    info = subprocess.run(["varlinkctl", "info", peer.socket], capture_output=True, text=True, check=True).stdout
    assert "org.inkpanel.Panel" in info
    text = subprocess.run(
        ["varlinkctl", "introspect", peer.socket, "org.inkpanel.Panel"], capture_output=True, text=True, check=True)
    assert "method Capture" in text.stdout
    status = subprocess.run(
        ["varlinkctl", "call", "--json=short", peer.socket, "org.inkpanel.Panel.Status", "{}"], capture_output=True,
        text=True, check=True)
    assert json.loads(status.stdout)["status"]["page"] == "idle"
