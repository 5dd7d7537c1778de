# SPDX-License-Identifier: Apache-2.0
"""Signatures from an Inkpanel pad. One file, standard library only, Python 3.9 or later.

    from inkpanel import Inkpanel
    pad = Inkpanel("https://pad.example:8443", token, ca="inkpanel-ca.pem")
    capture = pad.capture(prompt=["Delivery 4711"])
    if capture["outcome"]["result"] == "accepted":
        open("signature.png", "wb").write(pad.file(capture["id"], "signature.png"))

Of a PDF file that people read and sign on the pad:

    document = {"id": pad.upload(open("contract.pdf", "rb").read())["id"], "fields": [{"anchor": "Signature:"}]}
    capture = pad.capture(document=document)
    if capture.get("signed"):
        open("signed.pdf", "wb").write(pad.file(capture["id"], "signed.pdf"))

Whatever fails raises InkpanelError, whose text says what to do.

As a program it pairs with a pad and prints the token: python3 inkpanel.py https://pad.example:8443 --name till-3
docs/gateway.md describes the API, docs/clients.md the package of this name, with types and asyncio.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import email.utils
import hashlib
import http.client
import inspect
import json
import math
import re
import secrets
import socket
import ssl
import sys
import time
import urllib.parse
import uuid
import warnings
from typing import Any, Callable, Generator, Iterator, Mapping, Sequence, Tuple

__all__ = ["Inkpanel", "InkpanelError", "pair"]

# Seconds. Pauses between two tries double up to the longest. A capture is given up when the gateway has not answered
# for so long: it keeps the state of an ended one no longer.
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 8.0
LONGEST_RETRY_AFTER = 60.0
GIVE_UP_AFTER = 600.0
# Of a request that follows a capture, which is answered after 30: a silent connection is noticed before the gateway
# cancels the capture that nobody follows.
FOLLOW_TIMEOUT = 45.0
# An answer with nothing new comes after 30, too. Of a server that gives it at once, the next one is asked for later.
LEAST_WAIT = 1.0
NO_TOKEN = "This is not a token: copy the whole ipt_..., and nothing else."
# HTTP removes blanks at the ends.
IDEMPOTENCY_KEY = "[!-~]([ -~]{0,253}[!-~])?"
# Bytes of an answer: of files, and of others. Who sends more, or for longer than such a file takes at 16 KiB/s, is no
# gateway.
LONGEST_FILE, LONGEST_ANSWER = 256 << 20, 16 << 20
LEAST_RATE = 16 << 10
# What steers a terminal or turns its text around.
STEERS = re.compile("[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
# What OpenSSL says of an answer without TLS.
NOT_TLS = ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "HTTP_REQUEST", "UNKNOWN_PROTOCOL")
# Of a cancel when the program is already on its way out.
CANCEL_TIMEOUT = 5.0
# What a call does, without the doing, which differs with asyncio: a number is a pause in seconds, a tuple the arguments
# of `Inkpanel.request`, whose answer or error comes back; with asyncio only, anything else is awaited.
Steps = Generator[Any, Any, Any]
Answer = Tuple[int, http.client.HTTPMessage, bytes]


class InkpanelError(Exception):
    """Why a call failed; its text is for people and says what to do.

    `reason` is the name of the gateway's problem, such as "busy"; or, if nothing was sent: "bad-url", "bad-token",
    "bad-ca", "bad-key" (of the pad or of idempotency), "bad-timeout", "bad-argument"; or, if the gateway did not
    answer: "unreachable", "not-tls", "certificate", "wrong-key" (another pad), "not-a-gateway", "http-404" and the like
    of other servers; or of a pairing: "denied", "unanswered". `status` is that of HTTP, None without an answer;
    `problem` the gateway's document; `retry_after` the seconds after which it asks to try again.
    """

    def __init__(
        self, reason: str, message: str, *, status: int | None = None, problem: dict[str, Any] | None = None,
        retry_after: float | None = None,
    ):
        super().__init__(printable(message))
        self.reason, self.status, self.problem, self.retry_after = reason, status, problem or {}, retry_after

    @property
    def is_temporary(self) -> bool:
        """Whether the same request may succeed later."""
        if self.status is None:
            return self.reason == "unreachable"
        # The gateway is still at the first request with an Idempotency-Key.
        return self.reason == "key-in-use" or self.status in (408, 429) or self.status >= 500


class Inkpanel:
    """A pad, by its gateway."""

    def __init__(
        self, url: str, token: str, ca: str | None = None, key: str | None = None, timeout: float = 90,
        retry: float = 0,
    ) -> None:
        """`url`: such as https://pad.local:8443. `timeout`: seconds for an answer; following a capture has its own.
        `ca`: file of the authority that signed the pad's certificate; the pad makes its own (docs/web.md).
        `key`: instead, the SHA-256 of the pad's public key in Base64, as the pad shows it.
        `retry`: for so many seconds, what may pass is tried again, if twice is as good as once: whatever reads, and
        asking for a signature, as the same key gets the same capture.
        """
        self.url = parsed(url)
        warn_of_plain(self.url)
        # An empty one is refused when it is needed: nobody has one before pairing.
        if not isinstance(token, str) or not re.fullmatch("[!-~]*", token):
            raise InkpanelError("bad-token", NO_TOKEN)
        if not isinstance(timeout, (int, float)) or not 0 < timeout < math.inf:
            raise InkpanelError("bad-timeout", f"The timeout is a number of seconds above 0, not {timeout!r}.")
        if not isinstance(retry, (int, float)) or not 0 <= retry < math.inf:
            raise InkpanelError("bad-timeout", f"The time to retry is a number of seconds, not {retry!r}.")
        self.token, self.timeout, self.retry = token, timeout, retry
        self.key = None if key is None else checked_key(key)
        try:
            self.context = ssl.create_default_context(cafile=ca)
        except (OSError, TypeError) as error:
            raise InkpanelError("bad-ca", f"{ca} is not a file of certificates in PEM: {error}") from error
        if key:
            # The key is checked instead, before anything is sent.
            self.context.check_hostname, self.context.verify_mode = False, ssl.CERT_NONE

    def capture(
        self, prompt: str | Sequence[str] | None = None, *, rows: Sequence[Mapping[str, str]] | None = None,
        signer: str | None = None, reason: str | None = None, operator: str | None = None,
        data: Mapping[str, str] | None = None, language: str | None = None, letters: float | None = None,
        assistance: Sequence[str] | None = None, document: Mapping[str, Any] | None = None,
        questions: Sequence[Mapping[str, Any]] | None = None, people: Sequence[Mapping[str, str]] | None = None,
        decline: Sequence[str] | None = None, policy: Mapping[str, Any] | None = None,
        shows: Mapping[str, bool] | None = None, wait: bool | None = None,
        abandonAfter: int | None = None, on_change: Callable[[dict[str, Any]], Any] | None = None,
        idempotency_key: str | None = None, **more: Any,
    ) -> dict[str, Any]:
        """Asks for a signature and waits for its end. An accepted capture has `seal`, to keep with what was signed.

        The arguments are those of POST /v1/captures, `more` such that this version does not know. `prompt`: lines, the
        first is the heading. `rows`: each {"label": ..., "value": ...}. `document`: {"id": ...} of `upload`, to be read
        and signed. `people`: each {"role": ...}, in order. `decline`: people may, for one of these reasons. `wait`:
        until the pad is free, else a busy one is an error. `on_change` is called with the capture at each change. The
        capture is cancelled if anything ends the waiting: Ctrl-C, or an exception of `on_change`.
        """
        request = dict(
            more, prompt=[prompt] if isinstance(prompt, str) else prompt, rows=rows, signer=signer, reason=reason,
            operator=operator, data=data, language=language, letters=letters, assistance=assistance, document=document,
            questions=questions, people=people, decline=decline, policy=policy, shows=shows, wait=wait, abandonAfter=abandonAfter)
        request = {name: value for name, value in request.items() if value is not None}
        return self.carried_out(self.capturing(request, idempotency_key, on_change))  # type: ignore[no-any-return]

    def capturing(
        self, request: Mapping[str, Any], idempotency_key: str | None = None,
        on_change: Callable[[dict[str, Any]], Any] | None = None,
    ) -> Steps:
        """What `capture` does."""
        key = checked_idempotency_key(idempotency_key)
        capture = None
        try:
            capture = (yield from self.asking(request, key))["id"]
            return (yield from self.following(capture, on_change))
        except GeneratorExit:
            # Nobody carries the steps out any more.
            raise
        except BaseException as error:
            # What the gateway itself has refused has not begun.
            is_answered = isinstance(error, InkpanelError) and (
                error.status not in (None, 502, 504) and error.reason != "key-in-use"
                or error.reason.startswith("bad-"))
            # Who knows the key may ask again.
            may_ask_again = isinstance(error, InkpanelError) and idempotency_key is not None
            if capture or not (is_answered or may_ask_again):
                with contextlib.suppress(Exception):
                    if not capture:
                        capture = yield from self.lost(request, key)
                    yield "POST", f"{path_of(capture)}/cancel", None, {}, CANCEL_TIMEOUT
            raise

    def lost(self, request: Mapping[str, Any], key: str) -> Steps:
        """The id of the capture whose answer has not come: the same key gets it."""
        end = time.monotonic() + CANCEL_TIMEOUT
        while True:
            try:
                answer = yield "POST", "/v1/captures", request, {"Idempotency-Key": key}, CANCEL_TIMEOUT
                return self.member(self.decoded(answer[2]), "id")
            except InkpanelError as error:
                if error.reason != "key-in-use" or time.monotonic() > end:
                    raise
            yield FIRST_PAUSE / 5

    def asking(self, request: Mapping[str, Any], idempotency_key: str | None = None) -> Steps:
        """Asks for a signature and does not wait; returns the capture as it begins."""
        headers = {"Idempotency-Key": checked_idempotency_key(idempotency_key)}
        answer = yield from self.trying("POST", "/v1/captures", request, headers)
        capture = self.decoded(answer[2])
        self.member(capture, "id")
        return capture

    def follow(self, capture: str, on_change: Callable[[dict[str, Any]], Any] | None = None) -> dict[str, Any]:
        """Waits for the end of a capture.

        Goes on when a connection is lost or the gateway is overloaded or restarts. Raises the last InkpanelError when
        there was no answer for ten minutes, and others at once.
        """
        return self.carried_out(self.following(capture, on_change))  # type: ignore[no-any-return]

    def following(self, capture: str, on_change: Callable[[dict[str, Any]], Any] | None = None) -> Steps:
        """What `follow` does."""
        tag: str | None = None
        last: dict[str, Any] | None = None
        failures, answered = 0, time.monotonic()
        while True:
            # The first answer is the present state.
            headers = {} if tag is None else {"Prefer": "wait=30", "If-None-Match": tag}
            asked = time.monotonic()
            try:
                status, answer, body = yield "GET", path_of(capture), None, headers, FOLLOW_TIMEOUT
            except InkpanelError as error:
                if not error.is_temporary or time.monotonic() - answered > GIVE_UP_AFTER:
                    raise
                yield pause_after(error, failures)
                failures += 1
                continue
            failures, answered = 0, time.monotonic()
            document = last if status == 304 else self.decoded(body)
            if document is None or document == last:
                yield max(0.0, LEAST_WAIT - (answered - asked))
                continue
            tag, last = answer["ETag"] or '""', document
            state = self.member(document, "state")
            if state == "ended":
                self.member(document, "outcome", dict)
            if on_change and inspect.isawaitable(change := on_change(document)):
                yield change
            if state == "ended":
                return document

    def cancel(self, capture: str) -> dict[str, Any]:
        """Cancels a capture; nothing is kept."""
        return self.call("POST", f"{path_of(capture)}/cancel")

    def clear(self, capture: str) -> dict[str, Any]:
        """Removes the ink."""
        return self.call("POST", f"{path_of(capture)}/clear")

    def accept(self, capture: str) -> dict[str, Any]:
        """Accepts the ink, like the pad's button."""
        return self.call("POST", f"{path_of(capture)}/accept")

    def type_name(self, capture: str, name: str, by: str, reason: str | None = None) -> dict[str, Any]:
        """Shows a name in place of a signature, if `alternatives` of the policy has "typed". `by`: "person" or "staff",
        who must say why. The person accepts it on the pad; what staff typed, `accept` accepts, too."""
        typed = {"name": name, "by": by} | ({} if reason is None else {"reason": reason})
        return self.call("POST", f"{path_of(capture)}/typed-name", typed)

    def upload(self, document: bytes) -> dict[str, Any]:
        """Uploads a PDF file that people read and sign on the pad: {"id", "bytes", "sha256"}.

        It stays for an hour after its last use. `id` is for `document` of captures: {"id": ..., "fields": [...]}.
        """
        uploaded = self.call("POST", "/v1/documents", checked_document(document))
        self.member(uploaded, "id")
        return uploaded

    def forget(self, document: str) -> None:
        """Deletes an uploaded document; captures that were asked for with it go on."""
        self.answer("DELETE", path_of_document(document))

    def file(self, capture: str, name: str, **parameters: str | float | bool | None) -> bytes:
        """A file of an accepted capture, such as signature.png, signature.svg, signed.pdf or record.jsonl.

        `parameters` of pictures: dpi, width and height, part, color, transparent, caption; None is left out.
        With the panel's seals: seal and seal.sig. With recipients: record.jsonl.age, and the others for a while only.
        evidence.zip has all that others need to check the capture.
        """
        return self.answer("GET", path_of_file(capture, name, parameters))[2]

    def list(self) -> Iterator[dict[str, Any]]:
        """The records of this token's captures, newest first."""
        after: str | None = None
        while True:
            query = urllib.parse.urlencode({"limit": 200, **({"after": after} if after else {})})
            page = self.call("GET", "/v1/captures?" + query)
            yield from self.member(page, "captures", list)
            after = page.get("next")
            if not after:
                return

    def status(self) -> dict[str, Any]:
        """The panel's status; `abilities` says what it can do."""
        return self.call("GET", "/v1/panel")

    def session(self, origin: str, **limits: Any) -> str:
        """A short token for one web page: `captures`, `lifetime` in seconds, `scopes`."""
        return str(self.member(self.call("POST", "/v1/sessions", {"origin": origin, **limits}), "token"))

    def renew(self, session: str, **limits: Any) -> None:
        """Lets a session live on, for a page that stays open: `captures`, `lifetime` in seconds."""
        self.call("POST", "/v1/sessions/renew", {"session": session, **limits})

    def call(
        self, method: str, path: str, body: Mapping[str, Any] | bytes | None = None, headers: Mapping[str, str] = {},
    ) -> dict[str, Any]:
        """The object that a request is answered with."""
        return self.decoded(self.answer(method, path, body, headers)[2])

    def answer(
        self, method: str, path: str, body: Mapping[str, Any] | bytes | None = None, headers: Mapping[str, str] = {},
    ) -> Answer:
        """As `request`, tried again if `retry` allows."""
        return self.carried_out(self.trying(method, path, body, headers))  # type: ignore[no-any-return]

    def trying(
        self, method: str, path: str, body: Mapping[str, Any] | bytes | None = None, headers: Mapping[str, str] = {},
    ) -> Steps:
        """What `answer` does."""
        failures, end = 0, time.monotonic() + self.retry
        while True:
            try:
                return (yield method, path, body, headers)
            except InkpanelError as error:
                pause = pause_after(error, failures)
                is_harmless = method == "GET" or "Idempotency-Key" in headers
                if not error.is_temporary or not is_harmless or time.monotonic() + pause > end:
                    raise
            failures += 1
            yield pause

    def carried_out(self, steps: Steps) -> Any:
        """Does what steps say, and returns what they return. They handle whatever interrupts them."""
        try:
            step = next(steps)
            while True:
                answer = None
                try:
                    if isinstance(step, tuple):
                        answer = self.request(*step)
                    elif isinstance(step, (int, float)):
                        time.sleep(step)
                    else:
                        step.close()
                        raise InkpanelError("bad-argument", "on_change is a coroutine, which only AsyncPad awaits.")
                except BaseException as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(answer)
        except StopIteration as end:
            return end.value

    def request(
        self, method: str, path: str, body: Mapping[str, Any] | bytes | None = None, headers: Mapping[str, str] = {},
        timeout: float | None = None,
    ) -> Answer:
        """Status (2xx or 304), headers and body of an answer. Raises InkpanelError for all others."""
        headers = self.authorized(headers)
        with self.explained(timeout):
            return exchange(self.connect(timeout), method, self.url.path.rstrip("/") + path, body, headers)

    def authorized(self, headers: Mapping[str, str]) -> dict[str, str]:
        if not self.token:
            raise InkpanelError("bad-token", NO_TOKEN)
        return {"Authorization": "Bearer " + self.token, **headers}

    def connect(self, timeout: float | None = None) -> http.client.HTTPConnection:
        host, port, timeout = self.url.hostname or "", self.url.port, timeout or self.timeout
        if self.url.scheme == "http":
            return http.client.HTTPConnection(host, port, timeout=timeout)
        connection = http.client.HTTPSConnection(host, port or 8443, timeout=timeout, context=self.context)
        if self.key:
            connection.connect()
            try:
                self.check_key(key_digest(connection.sock))
            except InkpanelError:
                connection.close()
                raise
        return connection

    def check_key(self, digest: str) -> None:
        if self.key and not secrets.compare_digest(digest, self.key):
            raise InkpanelError(
                "wrong-key", f"{self.url.netloc} is not the pad that was paired: its key is another one. "
                "Compare it with the one that the pad shows, or pair again.")

    def decoded(self, body: bytes) -> dict[str, Any]:
        # Deeply nested JSON is a RecursionError.
        with contextlib.suppress(ValueError, RecursionError):
            if isinstance(document := json.loads(body), dict):
                return document
        raise self.not_a_gateway()

    def member(self, document: Mapping[str, Any], name: str, kind: type[Any] = str) -> Any:
        """A member that each answer of a gateway has."""
        if not isinstance(value := document.get(name), kind):
            raise self.not_a_gateway()
        return value

    def not_a_gateway(self) -> InkpanelError:
        return InkpanelError(
            "not-a-gateway", f"{self.url.geturl()} answers, but not as Inkpanel's gateway: check host and port.")

    @contextlib.contextmanager
    def explained(self, timeout: float | None = None) -> Iterator[None]:
        """Says what to do about whatever a connection may fail with."""
        where = f"{self.url.scheme}://{self.url.netloc}"
        try:
            yield
        except ssl.SSLCertVerificationError as error:
            raise InkpanelError(
                "certificate", f"The certificate of {where} is not trusted: {error.verify_message}. The pad makes its "
                "own: give its authority as ca= (docs/web.md), or its key as key=.") from error
        except ssl.SSLError as error:
            if error.reason not in NOT_TLS:
                raise InkpanelError(
                    "unreachable",
                    f"TLS with {where} has failed: {error}. Is it http://, or another port? Else try again."
                ) from error
            raise InkpanelError("not-tls", f"{where} does not speak TLS: is it http://, or another port?") from error
        except socket.gaierror as error:
            raise InkpanelError("unreachable", f"There is no host {self.url.hostname}: check its name.") from error
        except ConnectionRefusedError as error:
            raise InkpanelError(
                "unreachable", f"Nothing listens at {where}: does the gateway run, and is this its port?") from error
        except (TimeoutError, socket.timeout) as error:
            raise InkpanelError(
                "unreachable", f"{where} has not answered for {timeout or self.timeout:g} s: it is off or busy, or a "
                "firewall is in between.") from error
        except (OSError, http.client.HTTPException) as error:
            reason = str(error) or type(error).__name__
            raise InkpanelError("unreachable", f"The connection to {where} has ended: {reason}. Try again.") from error


def printable(text: str) -> str:
    """A text that may be a server's, for terminals and logs."""
    return STEERS.sub("\ufffd", text[:4000])


def is_plain(url: urllib.parse.SplitResult) -> bool:
    """Whether others could read along: without TLS, to another machine."""
    host = url.hostname or ""
    is_own = host == "localhost" or host.endswith(".localhost") or host == "::1" or re.fullmatch(r"127(\.\d+){3}", host)
    return url.scheme == "http" and not is_own


def warn_of_plain(url: urllib.parse.SplitResult) -> None:
    if is_plain(url):
        warnings.warn(
            f"Token and signatures go to {url.netloc} unencrypted, for everybody in between: use https://, such as "
            f"https://{url.hostname}:8443.", stacklevel=3)


def parsed(url: str) -> urllib.parse.SplitResult:
    with contextlib.suppress(ValueError, AttributeError, TypeError):
        parts = urllib.parse.urlsplit(url)
        # As DNS has names: those with other letters than of ASCII are encoded.
        if not url.isascii():
            parts = parts._replace(netloc=parts.netloc.encode("idna").decode())
        elif parts.hostname:
            parts.hostname.encode("idna")
        # Reading the port checks it.
        is_bare = parts.port != 0 and not (parts.query or parts.fragment or parts.username or parts.password)
        is_whole = re.fullmatch("[!-~]+", url if url.isascii() else parts.geturl())
        if parts.scheme in ("http", "https") and parts.hostname and is_bare and is_whole:
            return parts
    # Texts of errors get into logs, to which no token and no password belongs.
    shown = re.sub("(?<=//)[^/]*@|ipt_[^/]*|[?#].*", "...", str(url), flags=re.DOTALL)
    raise InkpanelError(
        "bad-url", f"{shown!r} is not the address of a gateway: it is like https://pad.local:8443, with the scheme and "
        "nothing after the port.")


def checked_key(key: str) -> str:
    """The digest in Base64, without the gaps that the pad shows."""
    with contextlib.suppress(ValueError, AttributeError, TypeError):
        key = "".join(key.split()).rstrip("=") + "="
        if len(base64.b64decode(key, validate=True)) == 32:
            return key
    raise InkpanelError("bad-key", "The key is not a SHA-256 in Base64, as the pad shows it: 43 characters and =.")


def checked_idempotency_key(key: str | None) -> str:
    """The key, or a random one."""
    if key is None:
        return str(uuid.uuid4())
    if not isinstance(key, str) or not re.fullmatch(IDEMPOTENCY_KEY, key):
        raise InkpanelError(
            "bad-key", "An idempotency_key is 1 to 255 characters of ASCII, such as the number of an order.")
    return key


def pause_after(error: InkpanelError, failures: int) -> float:
    """Seconds until the next try, of which so many have failed before: what the gateway asks for, if it is anything."""
    return min(error.retry_after or 0, LONGEST_RETRY_AFTER) or min(FIRST_PAUSE * 2 ** min(failures, 10), LONGEST_PAUSE)


def path_of(capture: str) -> str:
    if not isinstance(capture, str) or not capture:
        raise InkpanelError("bad-argument", f"{capture!r} is not the id of a capture: it is the text in its member id.")
    return "/v1/captures/" + escaped(capture)


def path_of_file(capture: str, name: str, parameters: Mapping[str, str | float | bool | None]) -> str:
    query = urllib.parse.urlencode({
        key: str(value).lower() if isinstance(value, bool) else value
        for key, value in parameters.items() if value is not None}, errors="replace")
    return f"{path_of(capture)}/{escaped(name)}" + ("?" + query if query else "")


def path_of_document(document: str) -> str:
    return "/v1/documents/" + escaped(document)


def escaped(part: str) -> str:
    """A part of a path. Half of a surrogate pair is no character that a name has."""
    if not isinstance(part, str) or not part:
        raise InkpanelError("bad-argument", f"{part!r} is not the name of a file or document.")
    return urllib.parse.quote(part, safe="", errors="replace")


def checked_document(document: bytes) -> bytes:
    if not isinstance(document, (bytes, bytearray)):
        raise InkpanelError("bad-argument", "A document is the bytes of a PDF file, such as open(name, 'rb').read().")
    return bytes(document)


def exchange(
    connection: http.client.HTTPConnection, method: str, path: str, body: Mapping[str, Any] | bytes | None = None,
    headers: Mapping[str, str] | None = None,
) -> Answer:
    content, type_headers = encoded(body)
    try:
        try:
            connection.request(method, path, content, {**(headers or {}), **type_headers})
        except (BrokenPipeError, ConnectionResetError):
            # Who refuses a long body says why before it has read it.
            if not content or connection.sock is None:
                raise
        answer = connection.getresponse()
        received = received_of(answer, connection.timeout)
    finally:
        connection.close()
    return judged(answer, received, f"{connection.host}:{connection.port}")


def limit_of(answer: http.client.HTTPResponse) -> int:
    """The most bytes of a body."""
    is_file = 200 <= answer.status < 300 and answer.headers.get_content_type() != "application/json"
    return LONGEST_FILE if is_file else LONGEST_ANSWER


def received_of(answer: http.client.HTTPResponse, timeout: float | None) -> bytes:
    """The body, which neither grows nor comes without end."""
    # Not answer.length itself, from which read1 takes nothing before Python 3.12. None until the connection ends.
    began, parts, count, length = time.monotonic(), [], 0, answer.length
    while length is None or count < length:
        if not (part := answer.read1(65536 if length is None else min(65536, length - count))):
            break
        parts.append(part)
        count += len(part)
        if count > limit_of(answer):
            raise http.client.HTTPException(f"the answer has more than {limit_of(answer) >> 20} MiB")
        if timeout and time.monotonic() - began > timeout + count / LEAST_RATE:
            raise TimeoutError
    if length is not None and count < length:
        raise http.client.IncompleteRead(b"", length - count)
    return b"".join(parts)


def encoded(body: Mapping[str, Any] | bytes | None) -> tuple[bytes | None, dict[str, str]]:
    """A body and its header."""
    if body is None:
        return None, {}
    if isinstance(body, bytes):
        kinds = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg"}
        kind = next((kind for start, kind in kinds.items() if body.startswith(start)), "application/pdf")
        return body, {"Content-Type": kind}
    try:
        return json.dumps(body, allow_nan=False).encode(), {"Content-Type": "application/json"}
    except (TypeError, ValueError, RecursionError) as error:
        raise InkpanelError("bad-argument", f"The request cannot be written as JSON: {error}.") from error


def judged(answer: http.client.HTTPResponse, content: bytes, where: str) -> Answer:
    """The parts of an answer of a server, such as pad.local:8443. Raises InkpanelError for a refusal."""
    if 200 <= answer.status < 300 or answer.status == 304:
        return answer.status, answer.headers, content
    problem: Any = {}
    if answer.headers.get_content_type() == "application/problem+json":
        with contextlib.suppress(ValueError, RecursionError):
            problem = json.loads(content)
    problem = problem if isinstance(problem, dict) else {}
    kind, detail = problem.get("type"), problem.get("detail")
    reason = kind.replace("urn:inkpanel:problem:", "") if isinstance(kind, str) else ""
    # Programs compare it, and some print it.
    if not re.fullmatch("[A-Za-z0-9:/._-]{1,200}", reason):
        reason = f"http-{answer.status}"
    if not detail or not isinstance(detail, str):
        is_temporary = answer.status in (408, 429) or answer.status >= 500
        remedy = (
            "it may be busy or start anew; try again in a minute." if is_temporary
            else "check scheme, host, port and path of the address.")
        detail = (
            f"{where} answers with the HTTP status {answer.status} {answer.reason}, and not as Inkpanel's gateway: "
            f"{remedy}")
    raise InkpanelError(
        reason, detail, status=answer.status, problem=problem, retry_after=seconds_of(answer.headers["Retry-After"]))


def seconds_of(retry_after: str | None) -> float | None:
    """Of the header Retry-After: seconds, or a date (RFC 9110, 10.2.3)."""
    if retry_after is None:
        return None
    if retry_after.strip().isdecimal():
        return float(retry_after)
    with contextlib.suppress(ValueError, TypeError):
        return max(0.0, email.utils.parsedate_to_datetime(retry_after).timestamp() - time.time())
    return None


def key_digest(peer: Any) -> str:
    """SHA-256 of the public key (SubjectPublicKeyInfo, RFC 5280) at the other end of TLS, in Base64."""
    return base64.b64encode(hashlib.sha256(public_key(peer.getpeercert(True))).digest()).decode()


def public_key(certificate: bytes) -> bytes:
    """The SubjectPublicKeyInfo of a certificate in DER."""

    def element(data: bytes, at: int) -> tuple[int, int]:
        """Start of the content and end of the element at a place."""
        length, start = data[at + 1], at + 2
        if length & 0x80:
            count = length & 0x7F
            length, start = int.from_bytes(data[start:start + count], "big"), start + count
        return start, start + length

    place, _ = element(certificate, element(certificate, 0)[0])
    # Version, serial number, algorithm, issuer, validity, subject; a version 1 certificate has no version.
    for _ in range(6 if certificate[place] == 0xA0 else 5):
        place = element(certificate, place)[1]
    return certificate[place:element(certificate, place)[1]]


def pair(
    url: str, name: str, scopes: Sequence[str] | None = None, show: Callable[[str], Any] = print, wait: float = 150
) -> tuple[str, str | None]:
    """Pairs with a pad: `show` gets six digits, which a person compares with those on the pad and allows there.

    Returns the token and the digest of the pad's key, for `Inkpanel(url, token, key=digest)`. A pad that is tried on
    this machine, with http://, has no key: None.
    """
    # Nobody vouches for the certificate yet: the digits are made of its key.
    if is_plain(address := parsed(url)):
        raise InkpanelError(
            "bad-url", f"Pairing compares certificates: use https://, such as https://{address.hostname}:8443.")
    pad = Inkpanel(url, "")
    pad.context.check_hostname, pad.context.verify_mode = False, ssl.CERT_NONE
    keys: set[str] = set()

    def call(method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        with pad.explained():
            connection = pad.connect()
            connection.connect()
            keys.add(key_digest(connection.sock) if pad.url.scheme == "https" else "")
            if len(keys) > 1:
                connection.close()
                raise InkpanelError(
                    "wrong-key", "The pad's key has changed in between: somebody may stand between. Begin again.")
            return pad.decoded(exchange(connection, method, pad.url.path.rstrip("/") + path, body)[2])

    number = secrets.token_bytes(32)
    request: dict[str, Any] = {"name": name, "commit": hashlib.sha256(number).hexdigest()}
    if scopes:
        request["scopes"] = list(scopes)
    begun = call("POST", "/v1/pairings", request)
    path = "/v1/pairings/" + pad.member(begun, "id")
    try:
        theirs = bytes.fromhex(pad.member(begun, "b"))
    except ValueError:
        raise pad.not_a_gateway() from None
    digest = hashlib.sha256(base64.b64decode(next(iter(keys))) + number + theirs).digest()
    digits = f"{int.from_bytes(digest[:8], 'big') % 1_000_000:06}"
    call("POST", path, {"a": number.hex()})
    show(f"{digits[:3]} {digits[3:]}")
    end, failures = time.monotonic() + wait, 0
    while time.monotonic() < end:
        pause = 1.0
        try:
            pairing = call("GET", path)
            state = pad.member(pairing, "state")
            if state == "allowed" and "token" in pairing:
                # It is printed.
                if not re.fullmatch("[!-~]{1,1000}", token := pad.member(pairing, "token")):
                    raise pad.not_a_gateway()
                return token, next(iter(keys)) or None
            if state in ("denied", "failed"):
                raise InkpanelError("denied", str(pairing.get("reason") or "") or "The pairing was denied at the pad.")
            failures = 0
        except InkpanelError as error:
            # The person may press Allow meanwhile; the gateway tells the token again.
            if not error.is_temporary or time.monotonic() + (pause := pause_after(error, failures)) >= end:
                raise
            failures += 1
        time.sleep(pause)
    raise InkpanelError("unanswered", f"Nobody pressed Allow at the pad within {wait:g} s: begin again.")


def main() -> None:
    parser = argparse.ArgumentParser(description="Pairs with an Inkpanel pad and prints a token and the pad's key.")
    parser.add_argument("url", help="such as https://pad.local:8443")
    parser.add_argument("--name", required=True, help="of this host, as the pad shows it")
    parser.add_argument("--scope", action="append", help="repeat for several; default: capture, record, panel")
    options = parser.parse_args()
    print("Compare these digits with those on the pad, and press Allow there:", file=sys.stderr)
    try:
        token, key = pair(options.url, options.name, options.scope, lambda digits: print(digits, file=sys.stderr))
    except InkpanelError as error:
        sys.exit(f"inkpanel: {error}")
    except KeyboardInterrupt:
        sys.exit("inkpanel: interrupted")
    print(f"token {token}" + (f"\nkey {key}" if key else ""))


if __name__ == "__main__":
    main()
