# SPDX-License-Identifier: Apache-2.0
"""What the broker of deploy/fleet/mosquitto.conf delivers to whom. It grants subscriptions that get nothing: deliveries
count, not its answers."""

import ssl
import threading
import time

import paho.mqtt.client as mqtt
import pytest
from conftest import Broker
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from support.waiting import wait_for


class Client:
    """Any MQTT client with a certificate, or without."""

    def __init__(self, port: int, ca, cert=None, key=None, id: str = ""):
        self.got, self.reasons, self.lock = [], {}, threading.Lock()
        context = ssl.create_default_context(cafile=ca)
        if cert:
            context.load_cert_chain(cert, key)
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id=id, protocol=mqtt.MQTTv5,
                                  reconnect_on_failure=False)
        self.client.tls_set_context(context)
        self.is_connected = self.was_refused = self.has_ended = False
        self.client.on_connect = self.began
        self.client.on_disconnect = self.lost
        self.client.on_message = lambda client, data, message: self.got.append((message.topic, message.payload))
        self.client.on_publish = lambda client, data, mid, reason, properties: self.reasons.update({mid: reason.value})
        self.client.on_subscribe = lambda client, data, mid, reasons, properties: self.reasons.update({mid: reasons})
        try:
            self.client.connect("localhost", port)
        except OSError:
            self.was_refused = True
            return
        self.client.loop_start()
        end = time.monotonic() + 5
        while not self.is_connected and not self.was_refused and time.monotonic() < end:
            time.sleep(0.02)

    def began(self, client, data, flags, reason, properties):
        self.is_connected = not reason.is_failure

    def lost(self, client, data, flags, reason, properties):
        self.was_refused, self.has_ended = not self.is_connected, True

    def subscribe(self, *topics: str):
        for topic in topics:
            number = self.client.subscribe(topic, qos=1)[1]
            wait_for(lambda number=number: number in self.reasons, what="the answer to a subscription")

    def publish(self, topic: str, payload: str = "x", retain: bool = False, responds: str | None = None) -> int:
        """The broker's reason."""
        properties = Properties(PacketTypes.PUBLISH)
        if responds:
            properties.ResponseTopic = responds
        number = self.client.publish(topic, payload, qos=1, retain=retain, properties=properties).mid
        return wait_for(lambda: (self.reasons.get(number, -1) + 1), what="the answer to a message") - 1

    def stop(self):
        self.client.disconnect()
        self.client.loop_stop()


@pytest.fixture
def clients(broker: Broker, fleet_authority):
    """Makes clients: of a panel's name, or of a host's."""
    made = []

    def client(name: str, port: int | None = None, **more) -> Client:
        if name.startswith("panel"):
            state = fleet_authority.state(name)
            made.append(Client(port or broker.panels_port, fleet_authority.out / "panels-ca.crt", state / "panel.crt",
                               state / "panel.key", **more))
        else:
            folder = fleet_authority.out / f"host-{name}"
            made.append(Client(port or broker.hosts_port, folder / "ca.crt", folder / f"{name}.crt",
                               folder / f"{name}.key", **more))
        return made[-1]

    yield client
    for one in made:
        one.stop()


# All that a panel or a host might listen to.
EVERYTHING = ["#", "inkpanel/v1/+/request/#", "inkpanel/v1/+/response/#", "inkpanel/v1/+/status", "inkpanel/v1/+/info",
              "inkpanel/v1/+/delivery", "inkpanel/v1/+/event/#", "inkpanel/v1/panel-b/request/capture",
              "inkpanel/v1/panel-b/status", "inkpanel/v1/panel-b/response/erp", "$SYS/#"]


def fence(sender: Client, receiver: Client, topic: str):
    """What was sent before has been delivered, if it ever is."""
    assert sender.publish(topic, "fence") == 0
    wait_for(lambda: (topic, b"fence") in receiver.got, what="the fence")
    time.sleep(0.1)


def test_what_may_be_done(clients):
    panel, host = clients("panel-a"), clients("erp")
    panel.subscribe("inkpanel/v1/panel-a/request/+")
    host.subscribe("inkpanel/v1/+/response/erp", "inkpanel/v1/+/status", "inkpanel/v1/+/info",
                   "inkpanel/v1/+/delivery", "inkpanel/v1/+/event/#")
    asked = [f"inkpanel/v1/panel-a/request/{method}" for method in ("capture", "cancel", "status")]
    said = [f"inkpanel/v1/panel-a/{part}" for part in ("status", "info", "delivery", "response/erp", "event/capture")]
    assert [host.publish(topic) for topic in asked] == [0, 0, 0]
    retained = ("status", "info", "delivery")
    assert [panel.publish(topic, retain=topic.endswith(retained)) for topic in said] == [0, 0, 0, 0, 0]
    wait_for(lambda: len(panel.got) == 3 and len(host.got) == 5, what="all messages")
    assert [topic for topic, _ in panel.got] == asked and [topic for topic, _ in host.got] == said
    # A new host gets what is retained.
    late = clients("till")
    late.subscribe(*(f"inkpanel/v1/+/{part}" for part in retained))
    wait_for(lambda: len(late.got) == 3, what="states")


def test_panel_reads_nothing_of_another(clients):
    spy, panel, host = clients("panel-a"), clients("panel-b"), clients("erp")
    spy.subscribe(*EVERYTHING)
    panel.subscribe("inkpanel/v1/panel-b/request/+")
    host.subscribe("inkpanel/v1/+/response/erp")
    for method in ("capture", "cancel", "status"):
        host.publish(f"inkpanel/v1/panel-b/request/{method}")
    for part in ("status", "info", "delivery", "event/capture", "response/erp"):
        panel.publish(f"inkpanel/v1/panel-b/{part}")
    fence(host, panel, "inkpanel/v1/panel-b/request/capture")
    # It does get its own.
    fence(host, spy, "inkpanel/v1/panel-a/request/capture")
    assert {topic for topic, _ in spy.got} == {"inkpanel/v1/panel-a/request/capture"}


def test_panel_writes_nothing_of_another(clients):
    panel, other, host = clients("panel-a"), clients("panel-b"), clients("erp")
    other.subscribe("#", "inkpanel/v1/panel-b/request/+")
    host.subscribe("#", "inkpanel/v1/+/response/erp", "inkpanel/v1/+/status", "inkpanel/v1/+/info",
                   "inkpanel/v1/+/event/#")
    topics = [f"inkpanel/v1/panel-b/{part}" for part in (
        "status", "info", "delivery", "event/capture", "response/erp", "request/capture", "request/cancel",
        "request/status")]
    topics += ["inkpanel/v1/panel-a/request/capture", "inkpanel/v1/panel-a/response/erp/x",
               "inkpanel/v2/panel-a/status", "anything", "$SYS/broker/version"]
    for topic in topics:
        assert panel.publish(topic) >= 0x80, topic
        panel.publish(topic, retain=True)
    fence(panel, host, "inkpanel/v1/panel-a/response/erp")
    fence(host, other, "inkpanel/v1/panel-b/request/capture")
    assert {topic for topic, _ in host.got} == {"inkpanel/v1/panel-a/response/erp"}
    assert {topic for topic, _ in other.got} == {"inkpanel/v1/panel-b/request/capture"}


def test_host_writes_no_states_and_gets_its_own_responses(clients):
    host, other, panel = clients("till"), clients("erp"), clients("panel-a")
    host.subscribe(*EVERYTHING, "inkpanel/v1/panel-a/response/erp", "inkpanel/v1/panel-a/response/till")
    other.subscribe("inkpanel/v1/+/status", "inkpanel/v1/+/info", "inkpanel/v1/+/event/#",
                    "inkpanel/v1/+/response/erp")
    panel.subscribe("inkpanel/v1/panel-a/request/+")
    for part in ("status", "info", "delivery", "event/capture", "response/erp", "response/till", "request/configure"):
        assert host.publish(f"inkpanel/v1/panel-a/{part}") >= 0x80, part
        host.publish(f"inkpanel/v1/panel-a/{part}", retain=True)
    panel.publish("inkpanel/v1/panel-a/response/erp", "for the other")
    fence(panel, other, "inkpanel/v1/panel-a/response/erp")
    fence(panel, host, "inkpanel/v1/panel-a/response/till")
    fence(host, panel, "inkpanel/v1/panel-a/request/capture")
    assert {topic for topic, _ in host.got} == {"inkpanel/v1/panel-a/response/till"}
    assert {topic for topic, _ in other.got} == {"inkpanel/v1/panel-a/response/erp"}
    assert {topic for topic, _ in panel.got} == {"inkpanel/v1/panel-a/request/capture"}


def test_host_of_one_panel_reaches_no_other(clients):
    host, panel = clients("till"), clients("panel-b")
    panel.subscribe("inkpanel/v1/panel-b/request/+")
    host.subscribe(*EVERYTHING, "inkpanel/v1/panel-b/response/till")
    for method in ("capture", "cancel", "status"):
        assert host.publish(f"inkpanel/v1/panel-b/request/{method}") >= 0x80
    for part in ("status", "info", "delivery", "event/capture", "response/till"):
        panel.publish(f"inkpanel/v1/panel-b/{part}", retain=part in ("status", "info", "delivery"))
    fence(clients("erp"), panel, "inkpanel/v1/panel-b/request/capture")
    assert host.got == [] and len(panel.got) == 1


def test_panel_with_the_name_of_a_host(clients, broker):
    """The rights of a host need a certificate of the hosts' authority."""
    access = broker.settings / "acl"
    access.write_text(access.read_text() + "user CN=panel-a\ntopic write inkpanel/v1/+/request/capture\n")
    broker.reload()
    panel = clients("panel-b")
    panel.subscribe("inkpanel/v1/panel-b/request/+")
    assert clients("panel-a").publish("inkpanel/v1/panel-b/request/capture") >= 0x80
    fence(clients("erp"), panel, "inkpanel/v1/panel-b/request/capture")
    assert len(panel.got) == 1


def test_client_id_of_another(clients, broker):
    """It does not throw the other one out: the certificate is the identity."""
    panel, host = clients("panel-b"), clients("erp")
    panel.subscribe("inkpanel/v1/panel-b/request/+")
    impostor = clients("panel-a", id="panel-b")
    assert impostor.is_connected
    impostor.subscribe("inkpanel/v1/panel-b/request/+")
    fence(host, panel, "inkpanel/v1/panel-b/request/capture")
    assert not panel.has_ended and impostor.got == []
    assert "as panel-a (p5" in broker.log and broker.log.count("as panel-b (p5") == 1


def test_without_a_certificate_or_with_a_foreign_one(clients, broker, fleet_authority):
    ca = fleet_authority.out
    assert clients("panel-a").is_connected and clients("erp").is_connected
    panels = broker.panels_port, ca / "panels-ca.crt"
    hosts = broker.hosts_port, ca / "hosts-ca.crt"
    assert Client(*panels).was_refused and Client(*hosts).was_refused
    panel, host = fleet_authority.state("panel-a"), ca / "host-erp"
    assert Client(*hosts, panel / "panel.crt", panel / "panel.key").was_refused
    assert Client(*panels, host / "erp.crt", host / "erp.key").was_refused
    # The broker's own is not one of a client.
    assert Client(*panels, ca / "broker/panels.crt", ca / "broker/broker.key").was_refused


def test_panel_does_not_trust_a_server_with_a_panels_certificate(tmp_path, broker, fleet_authority):
    """A stolen panel cannot be a broker."""
    state = fleet_authority.state("panel-a")
    context = ssl.create_default_context(cafile=state / "ca.crt")
    context.check_hostname = False
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(state / "panel.crt", state / "panel.key")
    here, there, to, back = ssl.MemoryBIO(), ssl.MemoryBIO(), ssl.MemoryBIO(), ssl.MemoryBIO()
    client, rogue = context.wrap_bio(here, there), server.wrap_bio(to, back, server_side=True)
    with pytest.raises(ssl.SSLCertVerificationError, match="unsuitable certificate purpose|unsupported certificate"):
        for _ in range(4):
            for side, out, into in [(client, there, to), (rogue, back, here)]:
                try:
                    side.do_handshake()
                except ssl.SSLWantReadError:
                    pass
                into.write(out.read())


def test_states_survive_a_kill(clients, broker):
    panel = clients("panel-a")
    panel.publish("inkpanel/v1/panel-a/status", "kept", retain=True)
    wait_for(lambda: b"kept" in (broker.folder / "data/mosquitto.db").read_bytes()
          if (broker.folder / "data/mosquitto.db").exists() else False, what="the database")
    broker.kill()
    broker.start()
    host = clients("erp")
    host.subscribe("inkpanel/v1/+/status")
    wait_for(lambda: host.got == [("inkpanel/v1/panel-a/status", b"kept")], what="the state")


@pytest.fixture
def own_broker(tmp_path, authority):
    """Of a fleet of its own: other tests want their certificates."""
    folder = tmp_path / "own"
    folder.mkdir()
    broker = Broker(folder, authority)
    broker.start()
    yield broker
    broker.kill()


def test_revoked_panel_after_a_reload(own_broker, authority, tmp_path):
    broker = own_broker
    authority.panel("panel-c")
    state = authority.state("panel-c")
    files = authority.out / "panels-ca.crt", state / "panel.crt", state / "panel.key"
    before = Client(broker.panels_port, *files)
    assert before.is_connected
    # Another board gets the name.
    board = tmp_path / "board"
    # Of two lists with the same second the broker may use the older one.
    time.sleep(1.1)
    authority.sign(authority.request("panel-c", authority.invite("panel-c", "--replace"), board))
    authority.install("panel-c", "--ca", authority.out / "panels-ca.crt", state=board)
    broker.copy_files()
    broker.reload()
    assert Client(broker.panels_port, *files).was_refused
    # A connection stays until the broker ends, or until the new board has the name.
    assert not before.has_ended
    assert Client(broker.panels_port, files[0], board / "panel.crt", board / "panel.key").is_connected
    wait_for(lambda: before.has_ended, what="the end of the old board's connection")
    broker.kill()
    broker.start()
    assert Client(broker.panels_port, *files).was_refused
    before.stop()
