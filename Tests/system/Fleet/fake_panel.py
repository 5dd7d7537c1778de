# SPDX-License-Identifier: Apache-2.0
"""A panel that speaks the protocol of docs/fleet.md, over paho-mqtt. Tests decide when its person signs."""

import json
import re
import ssl
import threading
import time
from pathlib import Path

import paho.mqtt.client as mqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties


class FakePanel:
    """`state` is its folder, as inkpanel-fleet-certificate leaves it. `pages` has the key of each page that it shows.

    `drops`: so many answers are lost before they are sent. `error`: the error that it answers captures with; `raw`: the
    text instead of any answer.
    """

    def __init__(self, name: str, state: Path, port: int):
        self.name, self.lock = name, threading.Lock()
        self.pages, self.requests, self.messages = [], [], []
        self.drops, self.error, self.raw = 0, None, None
        # By key: parameters, answer, and to whom.
        self.captures = {}
        self.connected = threading.Event()
        context = ssl.create_default_context(cafile=state / "ca.crt")
        context.load_cert_chain(state / "panel.crt", state / "panel.key")
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id=name, protocol=mqtt.MQTTv5)
        self.client.tls_set_context(context)
        self.client.reconnect_delay_set(1, 1)
        self.client.on_connect, self.client.on_message = self.began, self.received
        self.client.on_subscribe = lambda *_: self.connected.set()
        self.client.on_disconnect = lambda *_: self.connected.clear()
        will = Properties(PacketTypes.WILLMESSAGE)
        self.client.will_set(f"inkpanel/v1/{name}/status", '{"online":false}', qos=1, retain=True, properties=will)
        self.session = Properties(PacketTypes.CONNECT)
        self.session.SessionExpiryInterval = 3600
        self.port = port

    def start(self) -> "FakePanel":
        self.client.connect("localhost", self.port, clean_start=False, properties=self.session)
        self.client.loop_start()
        assert self.connected.wait(10)
        return self

    def stop(self):
        """As if its power failed: the broker sends its will."""
        if self.client.is_connected():
            self.client.socket().close()
        self.client.disconnect()
        self.client.loop_stop()

    def began(self, client, data, flags, reason, properties):
        client.subscribe(f"inkpanel/v1/{self.name}/request/+", qos=1)
        self.publish("status", {"online": True, "since": time.time_ns() // 1000, "state": "idle"}, retain=True)

    def publish(self, topic: str, document, retain=False, correlation=None):
        properties = Properties(PacketTypes.PUBLISH)
        properties.ContentType = "application/json"
        if correlation is not None:
            properties.CorrelationData = correlation
        text = json.dumps(document) if self.raw is None else self.raw
        self.client.publish(f"inkpanel/v1/{self.name}/{topic}", text, qos=1, retain=retain, properties=properties)

    def received(self, client, data, message):
        self.messages.append(message.topic)
        responds = getattr(message.properties, "ResponseTopic", "")
        if not re.fullmatch(f"inkpanel/v1/{self.name}/response/[a-z0-9-]+", responds):
            return
        asks = responds.split("/")[-1], message.properties.CorrelationData
        method, document = message.topic.split("/")[-1], json.loads(message.payload)
        with self.lock:
            self.requests.append((method, message.properties))
        if method == "status":
            return self.answer(asks, {"status": {"state": "idle", "name": self.name}})
        key = document["key"]
        capture = self.captures.get(key)
        if method == "cancel":
            if not capture:
                return self.answer(asks, {"error": "org.inkpanel.Panel.NoSuchCapture", "parameters": {"id": key}})
            self.change(key, {"state": "ended", "outcome": {"result": "cancelled", "by": "host"}})
            return self.answer(asks, capture["answer"])
        if capture and capture["parameters"] != document["parameters"]:
            return self.answer(asks, {"error": "org.inkpanel.Fleet.KeyReused", "parameters": {}})
        if not capture:
            if document["until"] < time.time() * 1_000_000:
                return self.answer(asks, {"error": "org.inkpanel.Fleet.Expired", "parameters": {}})
            if self.error:
                return self.answer(asks, {"error": self.error, "parameters": {}})
            self.pages.append(key)
            capture = self.captures[key] = {
                "parameters": document["parameters"],
                "answer": {"id": f"id-{key}", "state": "signing", "strokes": 0}}
        capture["asks"] = asks
        self.answer(asks, capture["answer"])

    def answer(self, asks, document):
        with self.lock:
            if self.drops > 0:
                self.drops -= 1
                return
        self.publish(f"response/{asks[0]}", document, correlation=asks[1])

    def change(self, key: str, changes: dict):
        """Something happens on the page: the host gets to know it."""
        capture = self.captures[key]
        if capture["answer"]["state"] != "ended":
            capture["answer"] = capture["answer"] | changes
            self.answer(capture["asks"], capture["answer"])

    def sign(self, key: str):
        self.change(key, {"strokes": 1})
        self.change(key, {"state": "ended", "outcome": {"result": "accepted"}, "seal": {"n": 1, "digest": "0" * 64}})
