# SPDX-License-Identifier: Apache-2.0
"""Signatures from an Inkpanel pad. One file, standard library only, Python 3.9 or later.

    from inkpanel import Inkpanel
    pad = Inkpanel("https://pad.example:8443", token, ca="inkpanel-ca.pem")
    capture = pad.capture(prompt=["Delivery 4711"])
    if capture["outcome"]["result"] == "accepted":
        open("signature.png", "wb").write(pad.file(capture["id"], "signature.png"))

As a program it pairs with a pad and prints the token: python3 inkpanel.py https://pad.example:8443 --name till-3
docs/gateway.md describes the API.
"""

import argparse
import base64
import hashlib
import http.client
import json
import secrets
import ssl
import sys
import time
import urllib.parse
import uuid


class InkpanelError(Exception):
    """The gateway's problem: `reason` is its name, such as "busy", `status` that of HTTP, `problem` its document."""

    def __init__(self, status: int, problem: dict):
        super().__init__(problem.get("detail", f"HTTP status {status}"))
        self.status, self.problem = status, problem
        self.reason = problem.get("type", "").replace("urn:inkpanel:problem:", "")


class Inkpanel:
    def __init__(self, url: str, token: str, ca: str = None, key: str = None, timeout: float = 90):
        """`ca`: file of the authority that signed the pad's certificate; the pad makes its own (docs/web.md).
        `key`: instead, the SHA-256 of the pad's public key in Base64, as the pad shows it.
        """
        self.url = urllib.parse.urlsplit(url)
        self.token, self.key, self.timeout = token, key, timeout
        self.context = ssl.create_default_context(cafile=ca)
        if key:
            # The key is checked instead, before anything is sent.
            self.context.check_hostname, self.context.verify_mode = False, ssl.CERT_NONE

    def capture(self, on_change=None, idempotency_key: str = None, **request) -> dict:
        """Asks for a signature and waits for its end. An accepted capture has `seal`, to keep with what was signed.

        `request`: prompt, rows, signer, reason, operator, data, language, ...
        `on_change` is called with the capture at each change.
        """
        key = idempotency_key or str(uuid.uuid4())
        capture = self.call("POST", "/v1/captures", request, {"Idempotency-Key": key})
        return self.follow(capture["id"], on_change)

    def follow(self, capture: str, on_change=None) -> dict:
        """Waits for the end of a capture."""
        path, tag = f"/v1/captures/{capture}", ""
        while True:
            status, headers, body = self.request("GET", path, None, {"Prefer": "wait=30", "If-None-Match": tag})
            if status == 200:
                tag, document = headers["ETag"], json.loads(body)
                if on_change:
                    on_change(document)
                if document["state"] == "ended":
                    return document

    def cancel(self, capture: str) -> dict:
        """Cancels a capture; nothing is kept."""
        return self.call("POST", f"/v1/captures/{capture}/cancel")

    def clear(self, capture: str) -> dict:
        """Removes the ink."""
        return self.call("POST", f"/v1/captures/{capture}/clear")

    def accept(self, capture: str) -> dict:
        """Accepts the ink, like the pad's button."""
        return self.call("POST", f"/v1/captures/{capture}/accept")

    def file(self, capture: str, name: str, **parameters) -> bytes:
        """A file of an accepted capture, such as signature.png, signature.svg or record.jsonl.

        With the panel's seals: seal and seal.sig. With recipients: record.jsonl.age, and the others for a while only.
        """
        query = urllib.parse.urlencode(parameters)
        return self.request("GET", f"/v1/captures/{capture}/{name}" + ("?" + query if query else ""))[2]

    def list(self):
        """The records of this token's captures, newest first."""
        after = ""
        while True:
            page = self.call("GET", "/v1/captures?limit=200" + (f"&after={after}" if after else ""))
            yield from page["captures"]
            after = page.get("next")
            if not after:
                return

    def status(self) -> dict:
        return self.call("GET", "/v1/panel")

    def session(self, origin: str, **limits) -> str:
        """A short token for one web page: `captures`, `lifetime` in seconds, `scopes`."""
        return self.call("POST", "/v1/sessions", {"origin": origin, **limits})["token"]

    def call(self, method: str, path: str, body: dict = None, headers: dict = {}) -> dict:
        return json.loads(self.request(method, path, body, headers)[2])

    def request(self, method: str, path: str, body: dict = None, headers: dict = {}):
        """Status, headers and body of an answer. Raises InkpanelError for a problem."""
        headers = {"Authorization": "Bearer " + self.token, **headers}
        return exchange(self.connect(), method, path, body, headers)

    def connect(self) -> http.client.HTTPConnection:
        if self.url.scheme == "http":
            return http.client.HTTPConnection(self.url.hostname, self.url.port, timeout=self.timeout)
        connection = http.client.HTTPSConnection(
            self.url.hostname, self.url.port or 8443, timeout=self.timeout, context=self.context)
        if self.key:
            connection.connect()
            if not secrets.compare_digest(key_digest(connection), self.key):
                connection.close()
                raise ssl.SSLError("this is not the pad that was paired: its key is another one")
        return connection


def exchange(connection, method: str, path: str, body: dict = None, headers: dict = {}):
    if body is not None:
        headers = {"Content-Type": "application/json", **headers}
    try:
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        content = answer.read()
    finally:
        connection.close()
    if answer.status >= 400:
        is_problem = answer.headers.get_content_type() == "application/problem+json"
        raise InkpanelError(answer.status, json.loads(content) if is_problem else {})
    return answer.status, answer.headers, content


def key_digest(connection: http.client.HTTPSConnection) -> str:
    """SHA-256 of the server's public key (SubjectPublicKeyInfo, RFC 5280), in Base64."""
    return base64.b64encode(hashlib.sha256(public_key(connection.sock.getpeercert(True))).digest()).decode()


def public_key(certificate: bytes) -> bytes:
    """The SubjectPublicKeyInfo of a certificate in DER."""

    def element(data: bytes, at: int):
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


def pair(url: str, name: str, scopes: list = None, show=print, wait: float = 150) -> tuple:
    """Pairs with a pad: `show` gets six digits, which a person compares with those on the pad and allows there.

    Returns the token and the digest of the pad's key, for `Inkpanel(url, token, key=digest)`.
    """
    # Nobody vouches for the certificate yet: the digits are made of its key.
    pad = Inkpanel(url, "", key="")
    pad.context.check_hostname, pad.context.verify_mode = False, ssl.CERT_NONE
    keys = set()

    def call(method: str, path: str, body: dict = None) -> dict:
        connection = pad.connect()
        connection.connect()
        keys.add(key_digest(connection))
        if len(keys) > 1:
            raise ssl.SSLError("the pad's key has changed in between: somebody may stand between")
        return json.loads(exchange(connection, method, path, body)[2])

    number = secrets.token_bytes(32)
    request = {"name": name, "commit": hashlib.sha256(number).hexdigest()}
    if scopes:
        request["scopes"] = scopes
    begun = call("POST", "/v1/pairings", request)
    digest = hashlib.sha256(base64.b64decode(next(iter(keys))) + number + bytes.fromhex(begun["b"])).digest()
    digits = f"{int.from_bytes(digest[:8], 'big') % 1_000_000:06}"
    path = "/v1/pairings/" + begun["id"]
    call("POST", path, {"a": number.hex()})
    show(f"{digits[:3]} {digits[3:]}")
    end = time.monotonic() + wait
    while time.monotonic() < end:
        state = call("GET", path)
        if state["state"] == "allowed" and "token" in state:
            return state["token"], next(iter(keys))
        if state["state"] in ("denied", "failed"):
            raise InkpanelError(403, {"detail": state.get("reason", "the pairing was denied at the pad")})
        time.sleep(1)
    raise TimeoutError("nobody pressed Allow at the pad")


def main() -> None:
    parser = argparse.ArgumentParser(description="Pairs with an Inkpanel pad and prints a token and the pad's key.")
    parser.add_argument("url", help="such as https://pad.local:8443")
    parser.add_argument("--name", required=True, help="of this host, as the pad shows it")
    parser.add_argument("--scope", action="append", help="repeat for several; default: capture, record, panel")
    options = parser.parse_args()
    print("Compare these digits with those on the pad, and press Allow there:", file=sys.stderr)
    try:
        token, key = pair(options.url, options.name, options.scope, lambda digits: print(digits, file=sys.stderr))
    except (InkpanelError, OSError, TimeoutError) as error:
        sys.exit(f"inkpanel: {error}")
    print(f"token {token}\nkey {key}")


if __name__ == "__main__":
    main()
