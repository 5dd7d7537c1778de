# SPDX-License-Identifier: Apache-2.0
"""nginx with deploy/nginx/nginx.conf in a directory of its own, and the certificates of deploy/nginx/certificate."""

import http.client
import os
import signal
import socket
import ssl
import subprocess
import time
from pathlib import Path

from .waiting import free_port, wait_for

WEB = Path(__file__).resolve().parents[3] / "deploy/nginx"


class Certificate:
    """deploy/nginx/certificate with directories of its own."""

    def __init__(self, folder: Path):
        self.given = folder / "given"
        self.state = folder / "state"
        self.inkpanel = folder / "inkpanel"
        self.given.mkdir(parents=True)
        self.addresses = "127.0.0.1"
        self.configure()

    def configure(self, *names: str, status: int = 0):
        """A configuration with these names of the gateway, or one with mistakes."""
        listed = ", ".join(f'"{name}"' for name in names)
        shown = f"[control]\nnames = none\n\n[gateway]\nnames = [{listed}]\norigins = []\n\n[sketch]\nnames = none\n"
        self.inkpanel.write_text(f"#!/bin/sh\ncat <<'END'\n{shown}END\nexit {status}\n")
        self.inkpanel.chmod(0o755)

    def run(self, *arguments: str, clock: str | None = None) -> subprocess.CompletedProcess:
        environment = os.environ | {
            "INKPANEL_TLS": str(self.given), "INKPANEL_WEB_STATE": str(self.state),
            "INKPANEL_WEB_GROUP": str(os.getgid()), "INKPANEL": str(self.inkpanel),
            "INKPANEL_ADDRESSES": self.addresses}
        before = ["faketime", "-f", clock] if clock else []
        return subprocess.run(
            [*before, WEB / "certificate", *arguments], env=environment, capture_output=True, text=True, timeout=60)

    def make(self, **options) -> str:
        done = self.run(**options)
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    @property
    def ca(self) -> Path:
        return self.state / "ca.pem"

    @property
    def served(self) -> Path:
        return self.state / "tls" / "certificate.pem"

    @property
    def spki(self) -> str:
        return (self.state / "spki").read_text().strip()


class Nginx:
    """`upstream` is the socket of the gateway."""

    def __init__(self, folder: Path, certificate: Certificate, upstream: Path | None = None):
        self.port = free_port()
        self.folder = folder
        self.certificate = certificate
        self.upstream = upstream or folder / "http.sock"
        run = folder / "run"
        run.mkdir()
        text = (WEB / "nginx.conf").read_text()
        for old, new in (
            ("/run/inkpanel-web", str(run)), ("/var/lib/inkpanel-web", str(certificate.state)),
            ("/run/inkpanel-gateway/http.sock", str(self.upstream)), ("8443", str(self.port)),
        ):
            assert old in text
            text = text.replace(old, new)
        if not has_ipv6():
            text = text.replace(f"listen [::]:{self.port}", f"listen 127.255.255.254:{self.port + 1}").replace(
                "ipv6only=on ", "")
        # The workers of root would be nobody's, who cannot reach the directories of tests.
        self.configuration = folder / "nginx.conf"
        self.configuration.write_text(("user root;\n" if os.geteuid() == 0 else "") + text)
        self.log = folder / "nginx.log"
        self.start()

    def command(self, *arguments: str) -> list[str]:
        return ["/usr/sbin/nginx", "-e", "stderr", "-c", str(self.configuration), *arguments]

    def start(self):
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(self.command(), stderr=log)
        wait_for(self.listens)

    def listens(self) -> bool:
        assert self.process.poll() is None, self.log.read_text()
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
        except OSError:
            return False
        return (self.folder / "run" / "tls.sock").exists()

    def workers(self) -> list[str]:
        return subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(self.process.pid)], capture_output=True, text=True).stdout.split()

    def reload(self):
        """Returns when new connections get a new worker. The old one may go on."""
        before = set(self.workers())
        subprocess.run(self.command("-t", "-q"), check=True)
        self.process.send_signal(signal.SIGHUP)
        wait_for(lambda: set(self.workers()) - before)
        time.sleep(0.2)

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(10)

    @property
    def context(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self.certificate.ca))

    def connect(self, source: str = "127.0.0.1", timeout: float = 20, host: str = "127.0.0.1") -> ssl.SSLSocket:
        """A TLS connection from an address of the loopback network, which has its own limits."""
        plain = socket.create_connection((host, self.port), timeout=timeout, source_address=(source, 0))
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return self.context.wrap_socket(plain, server_hostname="localhost")

    def request(self, method: str, path: str, source: str = "127.0.0.1", **options) -> http.client.HTTPResponse:
        """Its body is in `text`."""
        connection = http.client.HTTPSConnection(
            "localhost", self.port, context=self.context, timeout=20, source_address=(source, 0))
        connection._create_connection = lambda address, *more: socket.create_connection(("127.0.0.1", self.port), *more)
        connection.request(method, path, **options)
        response = connection.getresponse()
        response.text = response.read().decode()
        connection.close()
        return response

    def send(self, data: bytes, source: str = "127.0.0.1", timeout: float = 20) -> bytes:
        """What comes back for raw bytes until the connection ends; or until a second has passed after an answer."""
        answer = b""
        with self.connect(source, timeout) as connection:
            try:
                connection.sendall(data)
            except OSError:
                # Refused before the end.
                pass
            try:
                while part := connection.recv(65536):
                    answer += part
                    connection.settimeout(1)
            except OSError:
                pass
        return answer


def has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
        return True
    except OSError:
        return False
