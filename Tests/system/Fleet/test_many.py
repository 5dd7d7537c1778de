# SPDX-License-Identifier: Apache-2.0
"""Many panels on one broker: nobody is asked twice, whatever ends; INKPANEL_FLEET_FIGURES=1 prints times."""

import collections
import json
import os
import random
import socket
import ssl
import statistics
import subprocess
import threading
import time
import uuid
from datetime import datetime, timedelta, timezone

import paho.mqtt.client as mqtt
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from inkpanel_fleet import FleetError
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from support import breadth
from support.waiting import wait_for

COUNT = int(os.environ.get("INKPANEL_FLEET_PANELS", breadth.count(30, 200)))
FIGURES = "INKPANEL_FLEET_FIGURES" in os.environ


def sign(authority, folder, name: str, key, public: bytes):
    """Certificates as inkpanel-fleet-certificate makes them; a thousand calls of openssl would take minutes."""
    now = datetime.now(timezone.utc)
    certificate = (
        x509.CertificateBuilder().subject_name(x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)]))
        .issuer_name(authority[0].subject).public_key(key.public_key()).serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1)).not_valid_after(now + timedelta(days=90))
        .add_extension(x509.ExtendedKeyUsage([x509.ExtendedKeyUsageOID.CLIENT_AUTH]), False)
        .sign(authority[1], hashes.SHA256()))
    folder.mkdir(mode=0o700)
    (folder / "panel.crt").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / "panel.key").write_bytes(public)
    (folder / "panel.key").chmod(0o600)
    (folder / "ca.crt").write_bytes(authority[2])


class Many:
    """fleet-peer: `pages` counts how often each panel has shown the page of a key."""

    def __init__(self, folder, broker, seconds: float):
        self.words = [os.environ["FLEET_PEER"], "localhost", str(broker.panels_port), folder, str(seconds)]
        self.pages, self.connected = collections.Counter(), 0
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.words, stdout=subprocess.PIPE, text=True)
        threading.Thread(target=self.read, args=[self.process], daemon=True).start()

    def read(self, process):
        for line in process.stdout:
            words = line.split()
            if words[0] == "page":
                self.pages[tuple(words[1:])] += 1
            else:
                self.connected = int(words[1])

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.connected = 0


@pytest.fixture(scope="module")
def states(tmp_path_factory, fleet_authority):
    folder = tmp_path_factory.mktemp("many")
    files = [fleet_authority.ca / name for name in ("panels/ca.crt", "panels/ca.key")]
    authority = (
        x509.load_pem_x509_certificate(files[0].read_bytes()),
        serialization.load_pem_private_key(files[1].read_bytes(), None), files[0].read_bytes())
    key = ec.generate_private_key(ec.SECP256R1())
    text = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    for number in range(COUNT):
        sign(authority, folder / f"panel-{number:04}", f"panel-{number:04}", key, text)
    return folder


@pytest.fixture
def many(states, broker):
    for requests in states.glob("*/requests"):
        requests.unlink()
    started = time.monotonic()
    many = Many(states, broker, 0.2)
    wait_for(lambda: many.connected == COUNT, 60, "all panels")
    print(f"{COUNT} panels connected in {time.monotonic() - started:.1f} s")
    yield many
    many.kill()


def ask(fleet, results, number: int, **more):
    key, begun = uuid.uuid4().hex, time.monotonic()
    first = []

    def progress(answer):
        if not first:
            first.append(time.monotonic() - begun)

    try:
        answer = fleet.capture(
            f"panel-{number % COUNT:04}", prompt=["Sign"], data={"key": key}, key=key, on_progress=progress, **more)
        results.append((key, number % COUNT, answer["outcome"]["result"], first[0] if first else None))
    except FleetError as error:
        results.append((key, number % COUNT, error.reason, None))


def ask_many(fleet, count: int, rate: float, **more) -> list:
    results, threads, begun = [], [], time.monotonic()
    for number in range(count):
        time.sleep(max(0, begun + number / rate - time.monotonic()))
        threads.append(threading.Thread(target=ask, args=[fleet, results, number], kwargs=more))
        threads[-1].start()
    for thread in threads:
        thread.join(120)
    assert len(results) == count
    return results


class Burst:
    """Requests at a rate without a thread for each, and when the first and the last answer came."""

    def __init__(self, broker, authority):
        folder = authority.out / "host-erp"
        context = ssl.create_default_context(cafile=folder / "ca.crt")
        context.load_cert_chain(folder / "erp.crt", folder / "erp.key")
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id="erp", protocol=mqtt.MQTTv5)
        self.client.tls_set_context(context)
        self.client.on_message, ready = self.received, threading.Event()
        self.client.on_socket_open = lambda client, _, open: open.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.client.on_subscribe = lambda *_: ready.set()
        self.client.connect("localhost", broker.hosts_port)
        self.client.subscribe("inkpanel/v1/+/response/erp", qos=1)
        self.client.loop_start()
        assert ready.wait(10)
        self.asked, self.pages, self.ends = {}, {}, {}

    def received(self, client, data, message):
        answer = json.loads(message.payload)
        self.pages.setdefault(answer["key"], time.monotonic())
        if answer["state"] == "ended":
            self.ends[answer["key"]] = answer["outcome"]["result"]

    def ask(self, count: int, rate: float):
        begun = time.monotonic()
        for number in range(count):
            time.sleep(max(0, begun + number / rate - time.monotonic()))
            panel, key = f"panel-{number % COUNT:04}", uuid.uuid4().hex
            properties = Properties(PacketTypes.PUBLISH)
            properties.ResponseTopic = f"inkpanel/v1/{panel}/response/erp"
            document = {"key": key, "until": time.time_ns() // 1000 + 60_000_000, "parameters": {"data": {"key": key}}}
            self.asked[key] = time.monotonic()
            self.client.publish(f"inkpanel/v1/{panel}/request/capture", json.dumps(document), 1, properties=properties)
        wait_for(lambda: len(self.ends) == count, 30, "all answers")
        self.client.disconnect()
        self.client.loop_stop()
        return sorted(1000 * (self.pages[key] - asked) for key, asked in self.asked.items())


def test_requests_to_many_panels(many, broker, fleet_authority):
    count, rate = (3000, 100) if FIGURES else (COUNT, 50)
    burst = Burst(broker, fleet_authority)
    times = burst.ask(count, rate)
    assert set(burst.ends.values()) == {"accepted"}
    assert set(many.pages.values()) == {1} and len(many.pages) == count
    print(f"request to page at {rate} a second: p50 {statistics.median(times):.1f} ms, "
          f"p99 {times[count * 99 // 100]:.1f} ms")


# test_panel.py kills it under one panel.
@breadth.long
def test_the_broker_is_killed_under_many_panels(many, connect, broker):
    fleet, results = connect(), []
    asking = threading.Thread(target=lambda: results.extend(ask_many(fleet, COUNT, COUNT / 5, timeout=40)))
    asking.start()
    time.sleep(1.5)
    broker.kill()
    wait_for(lambda: many.connected == 0, 10)
    broker.start()
    begun = time.monotonic()
    wait_for(lambda: many.connected == COUNT, 60, "all panels")
    print(f"{COUNT} panels are back after {time.monotonic() - begun:.1f} s")
    asking.join(120)
    # Each order was signed once, and each host knows it.
    assert {result for _, _, result, _ in results} == {"accepted"}, collections.Counter(each[2] for each in results)
    assert set(many.pages.values()) == {1} and len(many.pages) == COUNT


def test_panels_are_killed_and_nobody_is_asked_twice(many, connect):
    fleet, results = connect(), []
    asking = threading.Thread(target=lambda: results.extend(ask_many(fleet, COUNT, COUNT / 5, timeout=40)))
    asking.start()
    for _ in range(2):
        time.sleep(random.uniform(0.5, 1.5))
        many.kill()
        many.start()
        wait_for(lambda: many.connected == COUNT, 60, "all panels")
    asking.join(120)
    assert set(many.pages.values()) == {1} and len(results) == COUNT
    ends = collections.Counter(result for _, _, result, _ in results)
    # Whoever was amid a page hears that it was interrupted or has failed, never nothing.
    assert set(ends) <= {"accepted", "interrupted", "failed"} and ends["accepted"] > COUNT / 2, ends
