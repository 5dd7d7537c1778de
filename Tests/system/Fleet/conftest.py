# SPDX-License-Identifier: Apache-2.0
"""Fixtures: authorities, panels and hosts by inkpanel-fleet-certificate, a mosquitto by deploy/fleet/mosquitto.conf.

MOSQUITTO in the environment is another one than this Debian's.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from fake_panel import FakePanel
from support.waiting import listens, wait_for

TOP = Path(__file__).parents[3]
FLEET = TOP / "deploy/fleet"
CERTIFICATE = FLEET / "inkpanel-fleet-certificate"
sys.path.insert(0, str(TOP / "clients"))
from inkpanel_fleet import Fleet  # noqa: E402


def run(*words, status: int = 0, text: str = "", **more) -> subprocess.CompletedProcess:
    result = subprocess.run([CERTIFICATE, *words], input=text, capture_output=True, text=True, timeout=60, **more)
    assert result.returncode == status, result.stderr
    # Each error is one line that names what is wrong.
    assert status == 0 or len(result.stderr.strip().splitlines()) == 1, result.stderr
    return result


@pytest.fixture(scope="session", autouse=True)
def faketime_can_begin():
    """Who is killed with faketime leaves files, beside which no later one with the same process number begins."""
    yield
    with suppress(PermissionError):
        for path in Path("/dev/shm").glob("*faketime_s*"):
            if not Path("/proc", path.name.rpartition("_")[2]).exists():
                path.unlink(missing_ok=True)


class Authority:
    """The administrator's folder, and the panels' state folders beside it."""

    def __init__(self, folder: Path, copied: "Authority | None" = None):
        self.folder, self.ca, self.out = folder, folder / "fleet-ca", folder / "fleet-ca/out"
        if copied:
            shutil.copytree(copied.folder, folder, symlinks=True, dirs_exist_ok=True)
        else:
            self("init")

    def __call__(self, *words, **more) -> subprocess.CompletedProcess:
        return run(words[0], "--ca", self.ca, *words[1:], **more)

    def invite(self, name: str, *words) -> str:
        return self("invite", name, *words).stdout.strip()

    def sign(self, request: str, **more) -> subprocess.CompletedProcess:
        return self("sign", "-", text=request, **more)

    def state(self, name: str) -> Path:
        return self.folder / "state" / name

    def request(self, name: str, code: str, state: Path | None = None, **more) -> str:
        return run("request", name, code, "--state", state or self.state(name), **more).stdout

    def renew(self, name: str) -> str:
        return run("renew", "--state", self.state(name)).stdout

    def install(self, name: str, *words, state: Path | None = None, **more) -> subprocess.CompletedProcess:
        return run("install", "--state", state or self.state(name), self.out / f"{name}.crt", *words, **more)

    def panel(self, name: str) -> Path:
        """The state folder of a panel with a certificate."""
        if not self.state(name).exists():
            self.sign(self.request(name, self.invite(name)))
            self.install(name, "--ca", self.out / "panels-ca.crt")
        return self.state(name)

    def host(self, name: str, *panels: str) -> Path:
        """The folder of a host with a certificate, and its block beside it."""
        folder = self.out / f"host-{name}"
        if not folder.exists():
            self.folder.joinpath(f"{name}.acl").write_text(self("host", name, *panels).stdout)
        return folder


class Broker:
    """mosquitto by the recipe, on free ports, with a main file like Debian's."""

    def __init__(self, folder: Path, authority: Authority):
        self.folder, self.authority, self.process = folder, authority, None
        self.panels_port, self.hosts_port = free_ports()
        self.settings = folder / "inkpanel"
        self.settings.mkdir()
        (folder / "conf.d").mkdir()
        (folder / "data").mkdir()
        authority("broker", "localhost", "127.0.0.1")
        self.copy_files()
        self.allow()
        recipe = (FLEET / "mosquitto.conf").read_text()
        for old, new in [("/etc/mosquitto/inkpanel", str(self.settings)),
                         ("listener 8883", f"listener {self.panels_port} 127.0.0.1"),
                         ("listener 8884", f"listener {self.hosts_port} 127.0.0.1")]:
            assert old in recipe
            recipe = recipe.replace(old, new)
        (folder / "conf.d/inkpanel.conf").write_text(recipe)
        user = "user root\n" if os.geteuid() == 0 else ""
        (folder / "mosquitto.conf").write_text(
            f"{user}pid_file {folder}/pid\npersistence true\npersistence_location {folder}/data/\n"
            f"log_dest file {folder}/log\ninclude_dir {folder}/conf.d\n")

    def copy_files(self):
        """What the administrator copies to the broker."""
        for file in (self.authority.out / "broker").iterdir():
            shutil.copy(file, self.settings)

    def allow(self, *hosts: str):
        blocks = [(self.authority.folder / f"{host}.acl").read_text() for host in hosts]
        (self.settings / "acl").write_text("\n".join([(FLEET / "mosquitto.acl").read_text(), *blocks]))
        (self.settings / "acl").chmod(0o600)

    def start(self):
        """Returns when signals are handled: mosquitto listens before it sets its handlers, and SIGHUP would end it."""
        starts = self.log.count("running")
        program = os.environ.get("MOSQUITTO") or shutil.which("mosquitto", path="/usr/sbin:/usr/bin")
        self.process = subprocess.Popen(
            [program, "-c", self.folder / "mosquitto.conf"], stdout=subprocess.DEVNULL,
            stderr=(self.folder / "errors").open("a"))
        for port in (self.panels_port, self.hosts_port):
            wait_for(lambda port=port: listens(port), what=f"the broker ({(self.folder / 'errors').read_text()})")
        wait_for(lambda: self.log.count("running") > starts, what="the broker's main loop")

    def reload(self):
        lines = self.log.count("Reloading config")
        self.process.send_signal(signal.SIGHUP)
        wait_for(lambda: self.log.count("Reloading config") > lines, what="the reload")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.terminate()
        self.process.wait(10)

    @property
    def log(self) -> str:
        log = self.folder / "log"
        return log.read_text(errors="replace") if log.exists() else ""


def free_ports() -> list[int]:
    """Two of them, below those of clients. pytest may have seeded the other generator, the same for each worker."""
    ports = []
    while len(ports) < 2:
        port = random.SystemRandom().randrange(20000, 32000)
        if port not in ports and not listens(port):
            ports.append(port)
    return ports


@pytest.fixture
def authority(tmp_path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture(scope="session")
def made_authority(tmp_path_factory) -> Authority:
    """With panels a and b, and hosts erp (all panels) and till (panel a only)."""
    authority = Authority(tmp_path_factory.mktemp("made"))
    authority.panel("panel-a"), authority.panel("panel-b")
    authority.host("erp"), authority.host("till", "panel-a"), authority.host("stranger")
    return authority


@pytest.fixture(scope="module")
def fleet_authority(tmp_path_factory, made_authority) -> Authority:
    """The files of a module, which may revoke and renew. Making them takes some fifty calls of openssl."""
    return Authority(tmp_path_factory.mktemp("fleet"), made_authority)


@pytest.fixture
def broker(tmp_path, fleet_authority):
    broker = Broker(tmp_path, fleet_authority)
    broker.allow("erp", "till")
    broker.start()
    yield broker
    broker.kill()


@pytest.fixture
def panel(broker, fleet_authority):
    panel = FakePanel("panel-a", fleet_authority.state("panel-a"), broker.panels_port).start()
    yield panel
    panel.stop()


@pytest.fixture
def connect(broker, fleet_authority):
    """Connects a host."""
    fleets = []

    def connect(name: str = "erp") -> Fleet:
        folder = fleet_authority.out / f"host-{name}"
        fleets.append(Fleet(
            f"localhost:{broker.hosts_port}", cert=f"{folder}/{name}.crt", key=f"{folder}/{name}.key",
            ca=f"{folder}/ca.crt", timeout=10))
        return fleets[-1]

    yield connect
    for fleet in fleets:
        fleet.close()
