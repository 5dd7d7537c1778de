# SPDX-License-Identifier: Apache-2.0
"""Signatures from Inkpanel panels behind a broker. One file over paho-mqtt 2, Python 3.9 or later.

    from inkpanel_fleet import Fleet
    with Fleet("mqtt.example.org:8884", cert="erp.crt", key="erp.key", ca="ca.crt") as fleet:
        capture = fleet.capture("panel-12", prompt=["Delivery 4711"])
        print(capture["outcome"]["result"], capture.get("seal"))

Whatever fails raises FleetError, whose text says what to do. Records do not travel through the broker: they are
delivered to the organisation's store under the capture's id.

A certificate is for one program at a time: the broker ends the connection of the former one. Within a program, threads
share a Fleet.

As a program: python3 inkpanel_fleet.py mqtt.example.org:8884 --cert erp.crt --key erp.key --ca ca.crt panel-12
--prompt "Delivery 4711"; without a panel it lists all. docs/fleet.md describes the protocol.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import queue
import random
import re
import socket
import ssl
import sys
import threading
import time
import uuid
from typing import Any, Callable, Generator, Iterator, Mapping, Sequence

try:
    import paho.mqtt.client as mqtt
    from paho.mqtt.enums import CallbackAPIVersion
    from paho.mqtt.packettypes import PacketTypes
    from paho.mqtt.properties import Properties
    from paho.mqtt.subscribeoptions import SubscribeOptions
except ImportError as error:
    # Debian 12 has version 1.
    advice = "inkpanel_fleet needs paho-mqtt 2: python3 -m pip install paho-mqtt"
    if __name__ == "__main__":
        sys.exit(advice)
    raise ImportError(advice) from error

__all__ = ["Fleet", "FleetError"]

# Seconds. A request is repeated until the panel answers; then seldom, in case that the broker loses an answer.
REPEAT_AFTER, REPEAT_ANSWERED_AFTER = 3.0, 20.0
# An answer to the last request before `until` may come so much later.
GRACE = 5.0
# A panel that has answered and is silent since.
GIVE_UP_AFTER = 600.0
# Of a cancel when the program is already on its way out, also of a panel that does not answer; the broker keeps it for
# longer.
CANCEL_TIMEOUT, SILENT_CANCEL_TIMEOUT, CANCEL_EXPIRY = 5.0, 1.0, 3600
LONGEST_UNTIL = 24 * 3600.0
# Panels read no longer message.
LONGEST_REQUEST = 65_536
# What the broker says of a publish that no session gets, and of one that the access list forbids.
NOBODY, FORBIDDEN = 0x10, 0x87
TAKEN_OVER = 0x8E
# What a broker says of a certificate or a name; whatever else it refuses a connection for may pass, as it starts anew.
REFUSED = (0x80, 0x82, 0x84, 0x85, 0x86, FORBIDDEN, 0x8A, 0x8C)
# mosquitto 2.0.11 does not say that another program has taken a connection over. So many in a row that ended so soon,
# of a broker that is there, suggest it. Then this program stays away for a while, twice as long each time, so that the
# two do not throw each other out for ever.
SHORT_CONNECTIONS, SHORT = 3, 5.0
LEAST_PAUSE, LONGEST_PAUSE = 30.0, 600.0
NAME = "[a-z0-9-]{1,64}"
KEY = "[A-Za-z0-9_-]{8,64}"
# What the panel's errors mean to whom asks.
ADVICE = {
    "Expired": "did not get the question in time, and has asked nobody: ask again, with a longer timeout=.",
    "KeyReused": "has this key from another question: use a new one for each signature.",
    "Interrupted": "was interrupted while it asked. Nobody signed, unless an operator finds a record: ask again with a "
                   "new key.",
    "NotKept": "cannot store the key, and has asked nobody: its administrator looks at its disk.",
    "Busy": "asks somebody else: try again later, or queue with wait=True.",
    "Unavailable": "cannot ask at present: its administrator looks at inkpanel status there.",
    "NoSuchCapture": "knows no capture of this host with this key.",
    "BeingStored": "stores the record already: it cannot be cancelled.",
    "StoreFailed": "cannot store records, and has asked nobody: its administrator looks at its disk.",
    "InvalidParameter": "refuses a parameter.",
    "MissingGlyphs": "has no font for some characters of the texts.",
    "TooSmallScreen": "has no space for these texts: shorten them.",
    "PermissionDenied": "does not allow that to hosts of the fleet.",
}


class FleetError(Exception):
    """Why a call failed; its text is for people and says what to do.

    `reason` is that of the panel's error, such as "expired", "key-reused", "interrupted", "busy"; or "offline" (the
    panel has not answered); or of the broker: "unreachable", "certificate", "denied" (its access list), "taken-over"
    (another program has this certificate); or, if nothing was sent: "bad-certificate", "bad-argument", "closed".
    `parameters` are those of the panel's error, and `is_answer` whether the panel has answered.
    """

    def __init__(
        self, reason: str, message: str, parameters: Mapping[str, Any] | None = None, is_answer: bool = False
    ) -> None:
        super().__init__(message)
        self.reason, self.parameters, self.is_answer = reason, dict(parameters or {}), is_answer

    @property
    def is_temporary(self) -> bool:
        """Whether the same question, with a new key, may succeed later."""
        return self.reason in ("offline", "unreachable", "busy", "unavailable", "expired", "interrupted")


class Call:
    """A request and what comes of it, in the order in which it comes."""

    def __init__(self, panel: str, method: str, document: Mapping[str, Any]) -> None:
        if not isinstance(panel, str) or not re.fullmatch(NAME, panel):
            raise FleetError("bad-argument", f"{panel!r} is not the name of a panel: a-z, 0-9 and -, at most 64.")
        try:
            self.payload = json.dumps(document, ensure_ascii=False, allow_nan=False).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise FleetError("bad-argument", f"The request cannot be written as JSON: {error}.") from error
        if len(self.payload) > LONGEST_REQUEST:
            raise FleetError("bad-argument", "The request is above 64 KiB: shorten its texts.")
        self.panel, self.topic = panel, f"inkpanel/v1/{panel}/request/{method}"
        self.correlation = uuid.uuid4().bytes
        self.key = document.get("key") if method == "capture" else None
        # An answer; "again" after a new connection; the broker's reason; an error that ends the call.
        self.events: queue.SimpleQueue[dict[str, Any] | str | int | FleetError] = queue.SimpleQueue()
        self.has_session = True


class Fleet:
    """All panels that a broker knows, for one host. Threads may share it."""

    def __init__(self, address: str, *, cert: str, key: str, ca: str, timeout: float = 30) -> None:
        """`address`: HOST:PORT of the broker. `cert`, `key`: files of this host, whose name is in the certificate.
        `ca`: file of the authority of the broker. `timeout`: seconds for a connection.
        """
        self.host, self.port = parsed(address)
        self.timeout = timeout
        try:
            context = ssl.create_default_context(cafile=ca)
            context.load_cert_chain(cert, key)
            self.name = common_name(cert)
        except (OSError, ValueError, IndexError, TypeError) as error:
            raise FleetError(
                "bad-certificate", f"{cert}, {key} and {ca} are not certificate, key and authority in PEM: {error}."
            ) from error
        self.lock = threading.Lock()
        self.calls: dict[bytes, Call] = {}
        # Who has published a message of a number; what the broker said of others, which is known first at times.
        self.published: dict[int, Call] = {}
        self.acknowledged: dict[int, int] = {}
        self.states: dict[str, dict[str, Any]] = {}
        self.watches, self.last_state = False, 0.0
        self.connected, self.was_connected, self.was_refused = threading.Event(), False, False
        self.connected_at, self.short_connections, self.pause = 0.0, 0, 0.0
        # Why there is no connection at present, and whether the broker has said so; else it may be wrong.
        self.trouble: FleetError | None = None
        self.is_told = False
        self.failure: FleetError | None = None
        self.client = mqtt.Client(
            CallbackAPIVersion.VERSION2, client_id=self.name, protocol=mqtt.MQTTv5, reconnect_on_failure=True)
        self.client.tls_set_context(context)
        self.client.reconnect_delay_set(1, 8)
        self.client.connect_timeout = timeout
        self.client.on_socket_open = self.opened
        self.client.on_connect, self.client.on_disconnect = self.began, self.lost
        self.client.on_connect_fail = self.missed
        self.client.on_subscribe, self.client.on_publish = self.subscribed, self.acknowledge
        self.client.on_message = self.received
        where = f"{self.host}:{self.port}"
        try:
            self.client.connect(self.host, self.port, keepalive=60, clean_start=True)
        except ssl.SSLCertVerificationError as error:
            raise FleetError(
                "certificate", f"The certificate of {where} is not trusted: {error.verify_message}. Give the authority "
                "of the broker's listener for hosts as ca=, and a name that is in its certificate.") from error
        except ssl.SSLError as error:
            raise FleetError("unreachable", f"{where} does not speak TLS: is it the port for hosts?") from error
        except socket.gaierror as error:
            raise FleetError("unreachable", f"There is no host {self.host}: check its name.") from error
        except OSError as error:
            raise FleetError("unreachable", f"No broker answers at {where}: {error}. Does it run?") from error
        self.client.loop_start()
        try:
            self.wait_for_connection(timeout)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Fleet:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection. Calls of other threads fail."""
        self.fail(FleetError("closed", "This Fleet was closed: make another one."))
        self.client.disconnect()
        self.client.loop_stop()

    def capture(
        self, panel: str, *, prompt: str | Sequence[str] | None = None, rows: Sequence[Mapping[str, str]] | None = None,
        signer: str | None = None, reason: str | None = None, operator: str | None = None,
        data: Mapping[str, str] | None = None, language: str | None = None, letters: float | None = None,
        document: Mapping[str, Any] | None = None,
        policy: Mapping[str, Any] | None = None, shows: Mapping[str, bool] | None = None, wait: bool | None = None,
        timeout: float = 120, until: float | None = None, key: str | None = None,
        on_progress: Callable[[dict[str, Any]], Any] | None = None, **more: Any,
    ) -> dict[str, Any]:
        """Asks for a signature and waits for its end, also while the panel or the broker is away. Returns the panel's
        last answer, with `outcome` and, if a record was stored and sealed, `seal`, to keep with what was signed.

        The arguments up to `wait` are those of Capture (docs/host-api.md), `more` such that this version does
        not know. `timeout`: seconds in which the page must appear; `until`: instead, the moment, as time.time() says.
        `key`: 8 to 64 letters, digits, - or _, new for each signature; who repeats a call with its key asks nobody
        twice. `on_progress` is called with each new answer. The capture is cancelled if anything ends the waiting:
        Ctrl-C, or an exception of `on_progress`.
        """
        parameters = dict(
            more, prompt=[prompt] if isinstance(prompt, str) else prompt, rows=rows, signer=signer, reason=reason,
            operator=operator, data=data, language=language, letters=letters, document=document, policy=policy, shows=shows,
            wait=wait)
        parameters = {name: value for name, value in parameters.items() if value is not None}
        key = str(uuid.uuid4()) if key is None else key
        if not isinstance(key, str) or not re.fullmatch(KEY, key):
            raise FleetError("bad-argument", "A key is 8 to 64 letters, digits, - or _, such as a UUID.")
        until = time.time() + timeout if until is None else until
        if not isinstance(until, (int, float)) or not 0 < until - time.time() <= LONGEST_UNTIL:
            raise FleetError("bad-argument", "The page must appear in the next 24 hours: timeout= is seconds.")
        call = Call(panel, "capture", {"key": key, "until": round(until * 1_000_000), "parameters": parameters})
        try:
            with contextlib.closing(self.answers(call, until, grace=GRACE)) as answers:
                answer: dict[str, Any] = {}
                while answer.get("state") != "ended":
                    answer = next(answers)
                    if on_progress:
                        on_progress(answer)
                return answer
        except BaseException as error:
            is_silent = isinstance(error, FleetError)
            # What the panel or the broker has refused does not run.
            if not (isinstance(error, FleetError) and (error.is_answer or error.reason == "denied")):
                with contextlib.suppress(Exception):
                    self.cancel(panel, key, SILENT_CANCEL_TIMEOUT if is_silent else CANCEL_TIMEOUT)
            raise

    def cancel(self, panel: str, key: str, timeout: float = 10) -> dict[str, Any]:
        """Cancels the capture with this key and returns its last state."""
        return self.answer(Call(panel, "cancel", {"key": key}), timeout, CANCEL_EXPIRY)

    def status(self, panel: str, timeout: float = 10) -> dict[str, Any]:
        """The `status` of a panel that is online (docs/host-api.md)."""
        answer = self.answer(Call(panel, "status", {}), timeout)
        if isinstance(status := answer.get("status"), dict):
            return status
        raise FleetError("bad-answer", f"{panel} answers without its status: is it another version?", is_answer=True)

    def panels(self, quiet: float = 1) -> Iterator[tuple[str, dict[str, Any]]]:
        """Names and states of all panels that were ever online, by name: `online`, `since`, `state`.

        The first time it waits until no state has come for `quiet` seconds: the broker does not say which is the last.
        """
        self.wait_for_connection(self.timeout)
        with self.lock:
            is_first, self.watches = not self.watches, True
            if is_first:
                self.last_state = time.monotonic()
        if is_first:
            self.client.subscribe("inkpanel/v1/+/status", qos=1)
        while (rest := self.last_state + quiet - time.monotonic()) > 0:
            time.sleep(rest)
        with self.lock:
            states = sorted(self.states.items())
        yield from states

    # ---- requests

    def answer(self, call: Call, timeout: float, expiry: int | None = None) -> dict[str, Any]:
        with contextlib.closing(self.answers(call, time.time() + timeout, expiry)) as answers:
            return next(answers)

    def answers(
        self, call: Call, until: float, expiry: int | None = None, grace: float = 0
    ) -> Generator[dict[str, Any], None, None]:
        """Repeats a request until the panel answers, at the latest at `until`, and yields each new answer, without
        end."""
        with self.lock:
            if self.failure or (self.trouble and self.is_told):
                raise self.failure or self.trouble
            self.calls[call.correlation] = call
        try:
            last: dict[str, Any] | None = None
            heard = due = time.monotonic()
            while True:
                now = time.monotonic()
                if last is None and time.time() >= until + grace:
                    raise self.offline(call)
                if last is not None and last.get("state") == "waiting" and time.time() >= until:
                    # The panel ends it itself, if its clock is right.
                    raise FleetError("expired", f"{call.panel} {ADVICE['Expired']}")
                if last is not None and now - heard > GIVE_UP_AFTER:
                    raise FleetError(
                        "offline", f"{call.panel} has begun and not answered for ten minutes: it is off, or has no "
                        "network. The capture is cancelled when it is back; look for a record then.")
                if now >= due:
                    due = now + (REPEAT_AFTER if last is None else REPEAT_ANSWERED_AFTER)
                    # An answer that was lost is asked for, too.
                    rest = max(until - time.time(), GRACE if last is None else REPEAT_ANSWERED_AFTER)
                    if self.connected.is_set():
                        self.publish(call, expiry or math.ceil(rest))
                is_limited = last is None or last.get("state") == "waiting"
                wait = min(due - now, until + (grace if last is None else 0) - time.time()) if is_limited else due - now
                try:
                    event = call.events.get(timeout=max(wait, 0.001))
                except queue.Empty:
                    continue
                if isinstance(event, FleetError):
                    raise event
                if isinstance(event, dict):
                    heard = time.monotonic()
                    due = heard + REPEAT_ANSWERED_AFTER
                    if event != last:
                        last = event
                        yield event
                elif event == "again":
                    due = time.monotonic()
                elif event == NOBODY:
                    call.has_session = False
                elif event == FORBIDDEN:
                    raise FleetError(
                        "denied", f"The broker does not let {self.name} ask {call.panel}: its access list "
                        f"needs what inkpanel-fleet-certificate host {self.name} prints.")
        finally:
            with self.lock:
                del self.calls[call.correlation]

    def publish(self, call: Call, expiry: int) -> None:
        properties = Properties(PacketTypes.PUBLISH)
        properties.PayloadFormatIndicator = 1
        properties.ContentType = "application/json"
        properties.MessageExpiryInterval = expiry
        properties.ResponseTopic = f"inkpanel/v1/{call.panel}/response/{self.name}"
        properties.CorrelationData = call.correlation
        # Without the lock: paho calls `acknowledge` with a lock that it needs here.
        number = self.client.publish(call.topic, call.payload, qos=1, properties=properties).mid
        with self.lock:
            reason = self.acknowledged.pop(number, None)
            if reason is None:
                self.published[number] = call
        if reason is not None:
            call.events.put(reason)

    def offline(self, call: Call) -> FleetError:
        if not self.connected.is_set():
            return self.trouble or FleetError(
                "unreachable", f"The broker {self.host}:{self.port} is away, and {call.panel} has not answered: try "
                "again later.")
        if not call.has_session:
            return FleetError(
                "offline", f"{call.panel} is not connected to the broker: check the name, else whether the panel is on "
                "and has a network (inkpanel-fleet status there).")
        return FleetError(
            "offline", f"{call.panel} has not answered in time: it is off, or has no network. Nobody will be asked "
            "later.")

    # ---- the connection, called by its thread

    def opened(self, client: mqtt.Client, data: Any, connection: Any) -> None:
        # Else each request waits for the acknowledgement of the one before.
        with contextlib.suppress(OSError, AttributeError):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def began(self, client: mqtt.Client, data: Any, flags: Any, reason: Any, properties: Any) -> None:
        if reason.is_failure:
            error = FleetError(
                "denied", f"The broker refuses {self.name}: {reason}. Its administrator looks at its log.")
            if not self.was_connected:
                self.fail(error)
                client.disconnect()
            elif reason.value in REFUSED:
                self.stay_away(error, is_told=True)
            return
        topics = [f"inkpanel/v1/+/response/{self.name}"] + (["inkpanel/v1/+/status"] if self.watches else [])
        client.subscribe([(topic, SubscribeOptions(qos=1)) for topic in topics])

    def subscribed(self, client: mqtt.Client, data: Any, number: int, reasons: Any, properties: Any) -> None:
        """Only now do answers arrive."""
        if not self.connected.is_set():
            self.was_connected, self.connected_at = True, time.monotonic()
            self.trouble, self.is_told = None, False
            self.connected.set()
            self.notify_calls("again")

    def missed(self, client: mqtt.Client, data: Any) -> None:
        """No broker answers: it starts anew, and nobody has taken anything over."""
        self.short_connections = 0

    def lost(self, client: mqtt.Client, data: Any, flags: Any, reason: Any, properties: Any) -> None:
        if self.connected.is_set():
            is_short = time.monotonic() - self.connected_at < SHORT
            self.short_connections = self.short_connections + 1 if is_short else 0
            if not is_short:
                self.pause = 0
                client.reconnect_delay_set(1, 8)
        self.connected.clear()
        # TLS 1.3 has greeted before the broker looks at the certificate.
        self.was_refused = not self.was_connected
        if reason.value == TAKEN_OVER or self.short_connections >= SHORT_CONNECTIONS:
            is_told = reason.value == TAKEN_OVER
            others = "has connected" if is_told else "may have connected"
            self.stay_away(
                FleetError(
                    "taken-over", f"Another program {others} with the certificate of {self.name}: give each its own."),
                is_told)

    def stay_away(self, trouble: FleetError, is_told: bool) -> None:
        """The next connection is tried later."""
        self.pause = min(max(2 * self.pause, LEAST_PAUSE), LONGEST_PAUSE)
        pause = self.pause * random.uniform(0.75, 1.25)
        self.client.reconnect_delay_set(pause, pause)
        self.trouble, self.is_told = trouble, is_told
        if is_told:
            self.notify_calls(trouble)

    def acknowledge(self, client: mqtt.Client, data: Any, number: int, reason: Any, properties: Any) -> None:
        with self.lock:
            call = self.published.pop(number, None)
            if call is None:
                self.acknowledged[number] = reason.value
        if call:
            call.events.put(reason.value)

    def received(self, client: mqtt.Client, data: Any, message: mqtt.MQTTMessage) -> None:
        topic = re.fullmatch(f"inkpanel/v1/({NAME})/(status|response)(/.*)?", message.topic)
        document: Any = None
        # Deeply nested JSON is a RecursionError.
        with contextlib.suppress(ValueError, RecursionError):
            document = json.loads(message.payload)
        if not topic:
            return
        panel, kind = topic[1], topic[2]
        if kind == "status":
            with self.lock:
                self.last_state = time.monotonic()
                if isinstance(document, dict):
                    self.states[panel] = document
                else:
                    self.states.pop(panel, None)
            return
        correlation = getattr(message.properties, "CorrelationData", None)
        with self.lock:
            if correlation is not None or not isinstance(document, dict):
                call = self.calls.get(correlation)
            else:
                # After a restart, a panel knows the key only.
                key = document.get("key", "")
                call = next((call for call in self.calls.values() if call.key and call.key == key), None)
        # Another panel may have seen the correlation data.
        if call and call.panel == panel:
            call.events.put(understood(panel, document))

    def notify_calls(self, event: str | FleetError) -> None:
        with self.lock:
            calls = list(self.calls.values())
        for call in calls:
            call.events.put(event)

    def fail(self, error: FleetError) -> None:
        with self.lock:
            self.failure = self.failure or error
        self.notify_calls(error)

    def wait_for_connection(self, timeout: float) -> None:
        end = time.monotonic() + timeout
        while not self.connected.wait(0.02):
            if self.failure:
                raise self.failure
            if self.was_refused:
                raise FleetError(
                    "certificate", f"The broker has ended the connection of {self.name} at once: the certificate has "
                    "ended, was revoked, or is of another authority than that of hosts; or the broker restarts.")
            if time.monotonic() > end:
                raise FleetError(
                    "unreachable", f"The broker {self.host}:{self.port} has not answered for {timeout:g} s: is it the "
                    "port for hosts?")


def understood(panel: str, document: Any) -> dict[str, Any] | FleetError:
    """An answer, or the error that it is."""
    if not isinstance(document, dict):
        return FleetError("bad-answer", f"{panel} does not answer with JSON: is it another version?", is_answer=True)
    if not isinstance(error := document.get("error"), str):
        return document
    name = shown(error.rpartition(".")[2])
    parameters = document.get("parameters")
    parameters = parameters if isinstance(parameters, dict) else {}
    details = ", ".join(
        f"{shown(key)}: {shown(value)}" for key, value in parameters.items() if isinstance(value, (str, int)))
    advice = ADVICE.get(name, f"answers with the error {shown(error)}: docs/host-api.md explains it.")
    return FleetError(
        re.sub("(?<=[a-z])(?=[A-Z])", "-", name).lower(), f"{panel} {advice}" + (f" ({details})" if details else ""),
        parameters, is_answer=True)


def shown(value: str | int) -> str:
    """For people and logs: what a panel says has no control characters there."""
    return "".join(letter if letter.isprintable() else "?" for letter in str(value)[:200])


def parsed(address: str) -> tuple[str, int]:
    found = re.fullmatch(r"\[?([0-9A-Za-z.:-]+?)\]?:([0-9]{1,5})", address if isinstance(address, str) else "")
    if not found or not 0 < int(found[2]) < 65_536:
        raise FleetError("bad-argument", f"{address!r} is not HOST:PORT, such as mqtt.example.org:8884.")
    return found[1], int(found[2])


def common_name(path: str) -> str:
    """The name in a certificate, by which the broker knows this host."""
    with open(path, encoding="ascii", errors="replace") as file:
        text = file.read()
    header, footer = "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"
    data = ssl.PEM_cert_to_DER_cert(text[text.index(header):text.index(footer) + len(footer)])

    def element(at: int) -> tuple[int, int]:
        """Start of the content and end of the element at a place."""
        length, start = data[at + 1], at + 2
        if length & 0x80:
            count = length & 0x7F
            length, start = int.from_bytes(data[start:start + count], "big"), start + count
        return start, start + length

    place, _ = element(element(0)[0])
    # Version, serial number, algorithm, issuer, validity; a version 1 certificate has no version.
    for _ in range(5 if data[place] == 0xA0 else 4):
        place = element(place)[1]
    begin, end = element(place)
    at = data.rindex(bytes([6, 3, 0x55, 4, 3]), begin, end) + 5
    begin, end = element(at)
    name = data[begin:end].decode()
    if not re.fullmatch(NAME, name):
        raise ValueError(f"its name {name!r} is not that of a host")
    return name


def main() -> None:
    parser = argparse.ArgumentParser(description="Asks a panel for a signature through a broker, or lists all panels.")
    parser.add_argument("address", help="of the broker, such as mqtt.example.org:8884")
    parser.add_argument("panel", nargs="?", help="whom to ask; without it, all panels are listed")
    parser.add_argument("--cert", required=True, help="certificate of this host")
    parser.add_argument("--key", required=True, help="its key")
    parser.add_argument("--ca", required=True, help="authority of the broker")
    parser.add_argument("--prompt", action="append", help="what the person reads; repeat for several lines")
    parser.add_argument("--signer", help="who signs")
    parser.add_argument("--wait", action="store_true", default=None, help="wait for a panel that is busy")
    parser.add_argument("--timeout", type=float, default=120, help="seconds in which the page must appear")
    # The panel comes after options, too.
    options = parser.parse_intermixed_args()
    try:
        with Fleet(options.address, cert=options.cert, key=options.key, ca=options.ca) as fleet:
            if options.panel is None:
                for name, state in fleet.panels():
                    print(name, state.get("state", "online") if state.get("online") else "offline")
                return
            answer = fleet.capture(
                options.panel, prompt=options.prompt, signer=options.signer, wait=options.wait, timeout=options.timeout,
                on_progress=lambda answer: print(answer.get("state"), file=sys.stderr))
    except FleetError as error:
        sys.exit(f"inkpanel: {error}")
    except KeyboardInterrupt:
        sys.exit("inkpanel: interrupted")
    print(json.dumps(answer, ensure_ascii=False))
    outcome = answer.get("outcome")
    if not isinstance(outcome, dict) or outcome.get("result") != "accepted":
        sys.exit(1)


if __name__ == "__main__":
    main()
