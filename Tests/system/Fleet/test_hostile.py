# SPDX-License-Identifier: Apache-2.0
"""Brokers that are not what they should be: the panel says so, wastes nothing, and goes on with its captures."""

import contextlib
import os
import shutil
import signal
import socket
import ssl
import subprocess
import threading
import time

import pytest
from conftest import CERTIFICATE, Authority, free_ports
from support import breadth
from test_panel import RealPanel
from support.waiting import wait_for

CONNACK = bytes.fromhex("20030000 00".replace(" ", ""))
SUBACK = bytes.fromhex("900400010001")


class Hostile(threading.Thread):
    """A TLS server with the broker's certificate, which answers each connection with what `speak` sends."""

    def __init__(self, broker, speak):
        super().__init__(daemon=True)
        self.connections, self.speak = [], speak
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(broker.settings / "panels.crt", broker.settings / "broker.key")
        [self.port, _] = free_ports()
        listener = socket.create_server(("127.0.0.1", self.port))
        self.context, self.listener = context, listener
        self.start()

    def run(self):
        while True:
            plain, _ = self.listener.accept()
            self.connections.append(time.monotonic())
            try:
                with self.context.wrap_socket(plain, server_side=True) as connection:
                    connection.settimeout(5)
                    connection.recv(4096)
                    self.speak(connection)
            except OSError:
                pass


def publish(topic: str, payload: bytes, properties: bytes = b"", claims: int | None = None) -> bytes:
    body = len(topic).to_bytes(2, "big") + topic.encode() + bytes([len(properties)]) + properties + payload
    length, count = b"", len(body) if claims is None else claims
    while True:
        length += bytes([count % 128 | (0x80 if count > 127 else 0)])
        count //= 128
        if not count:
            return b"\x30" + length + body


def speaks(*parts: bytes):
    def speak(connection):
        for part in parts:
            connection.sendall(part)
            time.sleep(0.05)
        # Until the panel goes away.
        while connection.recv(4096):
            pass
    return speak


RESPONDS = b"\x08" + len("inkpanel/v1/panel-a/response/x").to_bytes(2, "big") + b"inkpanel/v1/panel-a/response/x"
REQUEST = "inkpanel/v1/panel-a/request/capture"
SPEECHES = {
    "silence, then the end": [],
    "nonsense": [os.urandom(3000)],
    "another protocol": [b"HTTP/1.1 400 Bad Request\r\n\r\n"],
    "refusal": [bytes.fromhex("2003008700")],
    "half a packet": [CONNACK[:3]],
    "a packet of 256 MB": [CONNACK, SUBACK, publish(REQUEST, b"x" * 1000, claims=268_435_455)],
    "wrong lengths": [CONNACK, SUBACK, b"\x30\xff\xff\xff\xff\xff"],
    "a topic with zero bytes": [CONNACK, SUBACK, publish("inkpanel/v1/\0", b"{}")],
    "messages that are no requests": [
        CONNACK, SUBACK, publish(REQUEST, b"{"), publish(REQUEST, b"\xff\xfe", RESPONDS), publish("", b""),
        publish(REQUEST, b"[" * 50_000, RESPONDS), publish(REQUEST, b'{"key":"\\ud800aaaaaaaa","until":1}', RESPONDS),
        publish("inkpanel/v1/panel-a/request/" + "x" * 60_000, b"{}", RESPONDS)],
    "a flood": [CONNACK, SUBACK, publish(REQUEST, b"{}", RESPONDS) * 3000],
}


@pytest.fixture
def real(tmp_path, broker, fleet_authority):
    real = RealPanel(tmp_path, fleet_authority.state("panel-a"), broker.panels_port)
    yield real
    real.kill()


@pytest.mark.parametrize("speech", breadth.share(SPEECHES, 4, 1))
def test_a_hostile_broker(real, broker, speech):
    hostile = Hostile(broker, speaks(*SPEECHES[speech]))
    real.start_fleet(port=hostile.port)
    wait_for(lambda: hostile.connections, what="the connection")
    time.sleep(1.5)
    if real.fleet.poll() == -signal.SIGABRT:
        # libmosquitto 2.0.11 ends a program that gets a property of an unknown type (property_mosq.c logs for nobody).
        # systemd starts it again, and the requests are on disk.
        assert "logging_mosq.c" in real.log
        return real.start()
    assert real.fleet.poll() is None, real.log
    # It neither spins nor hurries.
    ticks = sum(int(word) for word in (real.process_file("stat")).rsplit(") ", 1)[1].split()[11:13])
    assert ticks < 100 and len(hostile.connections) <= 4
    resident = int(real.process_file("status").split("VmRSS:")[1].split()[0])
    assert resident < 64_000, f"{resident} kB"
    # The good broker is found again by the same program.
    real.fleet.kill()
    real.start()


class Router(threading.Thread):
    """Carries connections to the broker, until it forgets them without a word, as routers do."""

    def __init__(self, port: int):
        super().__init__(daemon=True)
        [self.port, _] = free_ports()
        self.to, self.count, self.forgotten = port, 0, 0
        self.listener = socket.create_server(("127.0.0.1", self.port))
        self.start()

    def run(self):
        while True:
            panel, _ = self.listener.accept()
            broker = socket.create_connection(("127.0.0.1", self.to))
            self.count += 1
            for source, target in ((panel, broker), (broker, panel)):
                threading.Thread(target=self.carry, args=[self.count, source, target], daemon=True).start()

    def carry(self, number: int, source, target):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if number > self.forgotten:
                    target.sendall(data)


def test_a_router_that_forgets_the_connection(real, broker):
    router = Router(broker.panels_port)
    with (real.folder / "panel.toml").open("a") as file:
        file.write("[fleet]\nkeep-alive-seconds = 10\n")
    real.start_panel()
    real.start_fleet("--config", f"{real.folder}/panel.toml", port=router.port)
    real.until_connected()
    router.forgotten = router.count
    # One sign of life that is not answered within the same time.
    wait_for(lambda: "does not answer" in real.log, 25, "the fault")
    wait_for(lambda: router.count == 2)
    wait_for(lambda: real.log.count("connected to") == 2)


def test_a_broker_that_is_not_there(real, broker):
    [port, _] = free_ports()
    real.start_fleet(port=port)
    wait_for(lambda: "Connection refused" in real.status.get("fault", ""))
    real.fleet.kill()
    real.start_fleet("--broker", "no-such-host.invalid:8883")
    wait_for(lambda: "no address is known" in real.status.get("fault", ""))


def test_a_broker_of_another_authority(real, broker, tmp_path_factory):
    other = Authority(tmp_path_factory.mktemp("other"))
    other("broker", "localhost")
    for name in ("panels.crt", "hosts.crt", "broker.key"):
        shutil.copy(other.out / "broker" / name, broker.settings / name)
    broker.stop()
    broker.start()
    real.start_fleet()
    wait_for(lambda: "TLS failed" in real.status.get("fault", ""), what=real.log)
    assert "ca.crt" in real.status["fault"]


def test_a_broker_under_another_name(real, broker):
    broker.authority("broker", "elsewhere.example")
    broker.copy_files()
    broker.stop()
    broker.start()
    real.start_fleet()
    wait_for(lambda: "TLS failed" in real.status.get("fault", ""))


def test_a_brokers_certificate_that_has_ended_is_named_as_the_brokers(real, broker):
    authority = broker.authority
    subprocess.run(
        ["faketime", "-f", "-10d", CERTIFICATE, "--ca", authority.ca, "broker", "localhost", "127.0.0.1", "--days",
         "3"], check=True, capture_output=True)
    broker.copy_files()
    broker.stop()
    broker.start()
    real.start_fleet()
    words = "the certificate of the broker, or of its authority, has ended by this panel's clock"
    wait_for(lambda: words in real.status.get("fault", ""), what=real.log)
    assert "brokerCertificateEnds" not in real.status
    # With another one it connects, and knows how long that lasts.
    authority("broker", "localhost", "127.0.0.1", "--days", "20")
    broker.copy_files()
    broker.stop()
    broker.start()
    wait_for(lambda: "connectedSince" in real.status, 60, what=real.log)
    assert 19 * 86400 < real.status["brokerCertificateEnds"] - time.time() <= 20 * 86400


@pytest.mark.parametrize("shift", breadth.share(["-400d", "+400d"], 2))
def test_a_wrong_clock_is_named(real, shift):
    real.start_fleet(prefix=["faketime", "-f", shift])
    wait_for(lambda: "panel.crt is not valid by this panel's clock" in real.status.get("fault", ""), what=real.log)


def test_a_panel_whose_certificate_was_revoked_says_where_to_look(real, broker, fleet_authority):
    fleet_authority.panel("panel-r")
    real.state = fleet_authority.state("panel-r")
    fleet_authority("revoke", "panel-r")
    broker.copy_files()
    broker.reload()
    real.start_fleet()
    # In TLS 1.3 the reason comes after the handshake, and may be lost: then with another try.
    wait_for(lambda: "this panel's certificate was revoked" in real.status.get("fault", ""), 60, what="the reason")


def test_captures_on_the_board_go_on_without_a_broker(real):
    [port, _] = free_ports()
    real.start_panel()
    real.start_fleet(port=port)
    asked = subprocess.Popen(
        [os.environ["INKPANEL"], "capture", "--socket", real.socket, "--prompt", "Sign here"], stdout=subprocess.PIPE)
    real.act("sign")
    assert asked.wait(20) == 0 and len(real.records) == 1
