#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A simulated pad with its gateway and a token, for tests of hosts; a simulated person signs each capture.

As a program, it prints address and token and runs until Ctrl-C. Standard library only: it also runs as a single file.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import http.client
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, Callable, Optional, Sequence

SCOPES = ("capture", "record", "panel", "simulate", "mirror:ink")


class SimulatorError(Exception):
    """Why it does not start, and what to do."""


class Simulator:
    """`url` and `token` are for a client; `page` is the address at which a browser shows the pad."""

    def __init__(
        self, inkpanel: Optional[str] = None, gateway: Optional[str] = None, *, port: int = 0,
        origins: Sequence[str] = (), names: Sequence[str] = (), webhook: Optional[str] = None,
    ) -> None:
        """`inkpanel`, `gateway`: the programs; by default those of the environment, INKPANEL and INKPANEL_GATEWAY, or on
        PATH. `port`: of the loopback address, 0 for any. `origins`: of web pages that may call the gateway. `names`:
        further host names that it has. `webhook`: an address that is told how captures end; `secret` signs the messages.
        """
        self.programs = [
            found_program(inkpanel, "INKPANEL", "inkpanel"),
            found_program(gateway, "INKPANEL_GATEWAY", "inkpanel-gateway")]
        # Paths of sockets have at most 107 bytes.
        place = os.environ.get("XDG_RUNTIME_DIR", "")
        is_usable = len(place) < 70 and os.access(place, os.W_OK)
        self.folder = Path(tempfile.mkdtemp(prefix="inkpanel.", dir=place if is_usable else "/tmp"))
        self.running: list[subprocess.Popen[bytes]] = []
        try:
            self._start(port, origins, names)
            self.secret = self._start_webhook(webhook) if webhook else None
        except BaseException:
            self.stop()
            raise

    def _start(self, port: int, origins: Sequence[str], names: Sequence[str]) -> None:
        inkpanel, gateway = self.programs
        configuration, log = self.folder / "inkpanel.toml", self.folder / "log"
        # Only this user may use the panel.
        configuration.write_text(
            '[control]\ngroup = ""\ngateway = ""\nmirror = "ink"\n'
            f"[gateway]\norigins = {json.dumps(list(origins))}\nnames = {json.dumps(list(names))}\n")
        panel, virtual = self.folder / "panel", self.folder / "virtual"
        self._run(log, inkpanel, "run", "--simulate", "--config", configuration, "--socket", panel, "--virtual", virtual,
                  "--store", self.folder / "records")
        self._await(log, lambda: panel.is_socket() and virtual.is_socket())
        self._run(log, gateway, "run", "--config", configuration, "--loopback", port, "--panel", panel, "--virtual",
                  virtual, "--state", self.folder, "--print-url")
        page = self.folder / "output1"
        self._await(log, lambda: page.read_text().endswith("\n"))
        self.page = page.read_text().strip()
        self.url = self.page.split("/#")[0]
        words = [gateway, "token", "add", "--state", str(self.folder), "--name", "simulator"]
        for scope in SCOPES:
            words += ["--scope", scope]
        made = subprocess.run(words, capture_output=True, text=True)
        if made.returncode != 0:
            raise SimulatorError(f"inkpanel-gateway token add: {made.stderr.strip()}")
        self.token = made.stdout.strip()

    def _start_webhook(self, url: str) -> str:
        """Returns the secret."""
        secret = "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()
        file, status, log = self.folder / "webhooks.toml", self.folder / "webhooks.json", self.folder / "log"
        file.touch(0o600)
        file.write_text(f"[simulator]\nurl = {json.dumps(url)}\nsecret = {json.dumps(secret)}\n")
        self._run(log, self.programs[1], "webhooks", "run", "--webhooks", file, "--panel", self.folder / "panel",
                  "--config", self.folder / "inkpanel.toml", "--state", self.folder / "hooks", "--status-file", status)
        self._await(log, status.exists)
        return secret

    def _run(self, log: Path, *words: object) -> None:
        command = [str(word) for word in words]
        # Ends with this program even if that is killed.
        if setpriv := shutil.which("setpriv"):
            # The kernel sends no signal for a parent that died before it was asked to (prctl(2)).
            alive = 'test "$PPID" = "$0" && exec "$@"'
            command = [setpriv, "--pdeathsig", "TERM", "sh", "-c", alive, str(os.getpid()), *command]
        with log.open("ab") as errors, (self.folder / f"output{len(self.running)}").open("wb") as output:
            self.running.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors))

    def _await(self, log: Path, condition: Callable[[], bool], seconds: float = 60) -> None:
        end = time.monotonic() + seconds
        while not condition():
            if self.running[-1].poll() is not None or time.monotonic() > end:
                raise SimulatorError("The simulator does not start:\n" + log.read_text()[-2000:].strip())
            time.sleep(0.02)

    def act(self, act: str) -> None:
        """What the person does in the running capture or, if none runs, in the next one: sign, cancel, leave (the page
        as it is), refuse (press Accept without ink), decline, instead (the first thing that the host allows in place of
        a signature). Captures after that are signed again.
        """
        connection = http.client.HTTPConnection(self.url.split("//")[1], timeout=30)
        with contextlib.closing(connection):
            connection.request("POST", f"/v1/simulator/{act}", headers={"Authorization": "Bearer " + self.token})
            answer = connection.getresponse()
            if answer.status != 204:
                raise SimulatorError(f"The simulated person cannot {act}: {answer.read().decode(errors='replace')}")

    def is_running(self) -> bool:
        return all(program.poll() is None for program in self.running)

    def stop(self) -> None:
        for program in reversed(self.running):
            program.terminate()
        for program in self.running:
            try:
                program.wait(10)
            except subprocess.TimeoutExpired:
                program.kill()
                program.wait()
        self.running.clear()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Simulator:
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()


def found_program(path: Optional[str], variable: str, name: str) -> str:
    if found := shutil.which(path or os.environ.get(variable) or name):
        return found
    raise SimulatorError(
        f"There is no program {path or os.environ.get(variable) or name}: install the package {name}, "
        f"or set {variable} to the program.")


def relay(listener: socket.socket, port: int) -> None:
    """Passes connections on to a port of the loopback address, on which alone a virtual panel may be."""
    def copy(source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while part := source.recv(65536):
                target.sendall(part)
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_WR)

    def serve(near: socket.socket) -> None:
        with contextlib.suppress(OSError), near, socket.create_connection(("127.0.0.1", port)) as far:
            back = threading.Thread(target=copy, args=(far, near), daemon=True)
            back.start()
            copy(near, far)
            back.join()

    while True:
        near, _ = listener.accept()
        threading.Thread(target=serve, args=(near,), daemon=True).start()


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Runs a simulated pad with its gateway, and prints their address and a token. Ctrl-C ends both.")
    parser.add_argument("--inkpanel", help="the program; default: INKPANEL, or the one on PATH")
    parser.add_argument("--gateway", help="the program inkpanel-gateway; default: INKPANEL_GATEWAY, or the one on PATH")
    parser.add_argument("--port", type=int, default=0, help="of the loopback address; default: any")
    parser.add_argument(
        "--listen", metavar="PORT", type=int, help="listen on all addresses, too, as in a container: whoever reaches this "
        "port can sign")
    parser.add_argument("--origin", action="append", default=[], help="of a web page that may call it; may be repeated")
    parser.add_argument("--name", action="append", default=[], help="a host name that it has; may be repeated")
    parser.add_argument(
        "--webhook", metavar="URL", help="is told how captures end; prints the secret of the messages' signatures")
    options = parser.parse_args()
    # The default of a program that is started in the background by a shell is to ignore Ctrl-C.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(0))
    try:
        with Simulator(
            options.inkpanel, options.gateway, port=options.port, origins=options.origin, names=options.name,
            webhook=options.webhook,
        ) as simulator:
            url = simulator.url
            if options.listen is not None:
                listener = socket.create_server(("", options.listen))
                inner = int(url.rsplit(":", 1)[1])
                threading.Thread(target=relay, args=(listener, inner), daemon=True).start()
                url = f"http://localhost:{listener.getsockname()[1]}"
            print(f"INKPANEL_URL={url}\nINKPANEL_TOKEN={simulator.token}\nINKPANEL_PAGE="
                  + simulator.page.replace(simulator.url, url)
                  + (f"\nINKPANEL_WEBHOOK_SECRET={simulator.secret}" if simulator.secret else ""), flush=True)
            while simulator.is_running():
                time.sleep(0.5)
            sys.exit("inkpanel-simulator: a program has ended:\n" + (simulator.folder / "log").read_text()[-2000:])
    except (SimulatorError, OSError, OverflowError) as error:
        sys.exit(f"inkpanel-simulator: {error}")


if __name__ == "__main__":
    main()
