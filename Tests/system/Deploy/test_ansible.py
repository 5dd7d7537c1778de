# SPDX-License-Identifier: Apache-2.0
"""The role in `deploy/ansible`, with Debian's ansible, on three machines. The tests run in order."""

import json
import os
import socket
import subprocess
import time
from pathlib import Path

import pytest
from machines import Machines, Site
from signed import TOP, Administrator, run, with_version

DEBS = [Path(os.environ[name]).resolve() for name in ("INKPANEL_DEB", "GATEWAY_DEB")]
PROGRAM = os.environ["INKPANEL"]
NAMES = ("panel-01", "panel-02", "panel-03")
FIRST, *LATER = NAMES
NEW = run("dpkg-deb", "--field", DEBS[0], "Version").strip()
OLD = "0.0.9"
DROPIN = '[pad]\nlanguage = "de"\n'
WEBHOOKS = '[erp]\nurl = "https://erp.example.org/"\nsecret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"\n'


class Fleet:
    def __init__(self, work: Path):
        self.work, self.repository = work, work / "repository"
        self.repository.mkdir()
        self.site = Site(self.repository)
        self.administrator = Administrator()
        self.publish(*(with_version(deb, OLD, work) for deb in DEBS))
        self.machines = Machines(NAMES, DEBS)
        self.variables = {
            "inkpanel_repository": str(self.repository), "inkpanel_packages": ["inkpanel", "inkpanel-gateway"],
            "inkpanel_dropins": {"50-site": DROPIN}, "inkpanel_webhooks": WEBHOOKS}

    def publish(self, *debs: Path):
        built = self.administrator.builds(self.repository, *debs, url=self.site.address)
        assert built.returncode == 0, built.stderr

    def close(self):
        self.machines.close()
        self.administrator.close()

    def play(self, *words, **variables) -> dict[str, dict]:
        """What ansible counts on each machine that it reached; `variables` are for this run only."""
        hosts = {
            name: {"ansible_host": str(root)} for name, root in self.machines.roots.items()}
        connection = {
            "ansible_connection": "community.general.chroot", "ansible_become": False,
            "ansible_python_interpreter": "/usr/bin/python3", "ansible_remote_tmp": "/tmp/ansible"}
        inventory = self.work / "inventory.json"
        inventory.write_text(json.dumps(
            {"panels": {"hosts": hosts, "vars": {**connection, **self.variables, **variables}}}))
        done = subprocess.run(
            ["ansible-playbook", "-i", inventory, TOP / "deploy/ansible/panels.yml", *words], capture_output=True,
            text=True, env={
                **os.environ, "HOME": str(self.work), "ANSIBLE_STDOUT_CALLBACK": "told", "ANSIBLE_PIPELINING": "true",
                "ANSIBLE_CALLBACK_PLUGINS": str(TOP / "Tests/system/Deploy/callbacks"),
                "ANSIBLE_NOCOLOR": "true", "LC_ALL": "C.UTF-8"})
        assert done.stdout.startswith("{"), done.stdout + done.stderr
        self.said = json.loads(done.stdout)
        return self.said["stats"]

    def changes(self) -> dict[str, list[str]]:
        """The names of the tasks that changed something, or failed, on each machine of the last run."""
        found = {}
        for play in self.said["plays"]:
            for task in play["tasks"]:
                for name, result in task["hosts"].items():
                    if result.get("changed") or result.get("failed"):
                        what = task["task"]["name"].removeprefix("inkpanel : ")
                        items = [item.get("msg", "") for item in result.get("results", [])]
                        found.setdefault(name, []).append(": ".join([what, result.get("msg", ""), *items]))
        return found

    def succeeds(self, *words, **variables) -> dict[str, list[str]]:
        stats = self.play(*words, **variables)
        reached = [words[1]] if "--limit" in words else NAMES
        assert {name: (count["failures"], count["unreachable"]) for name, count in stats.items()} == dict.fromkeys(
            reached, (0, 0)), self.changes()
        return self.changes()

    def versions(self, *names) -> set[str]:
        return {version for name in names or NAMES for version in self.machines.run(
            name, "dpkg-query", "--show", "--showformat=${Version}\n", "inkpanel", "inkpanel-gateway").split()}

    def files(self, pattern: str) -> list[str]:
        return [
            f"{name}:{path.relative_to(root)}" for name, root in self.machines.roots.items()
            for path in sorted(root.glob(pattern))]


@pytest.fixture(scope="module")
def fleet(tmp_path_factory):
    fleet = Fleet(tmp_path_factory.mktemp("fleet"))
    yield fleet
    fleet.close()


@pytest.fixture
def panel(fleet, tmp_path):
    """A panel that answers on the first machine, whose person leaves captures alone."""
    folder = fleet.machines.roots[FIRST] / "run/inkpanel"
    process = subprocess.Popen(
        [PROGRAM, "run", "--simulate", "--socket", folder / "panel.sock", "--store", tmp_path / "store"])
    while not (folder / "panel.sock").exists():
        assert process.poll() is None
        time.sleep(0.1)
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(folder / "panel.sock"))
        connection.sendall(b'{"method":"org.inkpanel.Panel.Simulate","parameters":{"act":"leave"}}\0')
        assert connection.recv(100) == b'{"parameters":{}}\0'
    yield folder / "panel.sock"
    process.terminate()
    process.wait()


def test_a_check_of_new_machines_changes_nothing(fleet):
    assert set(fleet.succeeds("--check", "--diff")) == set(NAMES)
    assert fleet.files("etc/**/*inkpanel*") == []


def test_the_first_run_installs_and_configures(fleet):
    assert set(fleet.succeeds()) == set(NAMES)
    assert fleet.versions() == {OLD}
    for name, root in fleet.machines.roots.items():
        assert (root / "etc/inkpanel/inkpanel.toml.d/50-site.toml").read_text() == DROPIN
        webhooks = root / "etc/inkpanel/webhooks.toml"
        assert webhooks.read_text() == WEBHOOKS and webhooks.stat().st_mode & 0o777 == 0o600
        assert "consoleblank=0" in (root / "boot/firmware/cmdline.txt").read_text()
        assert (root / "etc/systemd/system/getty@tty1.service").readlink() == Path("/dev/null")
        for file, folder in (
                ("inkpanel.asc", "keyrings"), ("inkpanel.sources", "sources.list.d"),
                ("52inkpanel-upgrades", "apt.conf.d")):
            assert (root / "etc/apt" / folder / file).read_bytes() == (fleet.repository / file).read_bytes()
        for unit in ("inkpanel.service", "inkpanel.socket", "inkpanel-gateway.service", "inkpanel-webhooks.service"):
            # systemctl reads the links in /etc/systemd.
            assert fleet.machines.run(name, "systemctl", "is-enabled", unit).strip() == "enabled"


def test_a_second_run_and_a_check_find_nothing_to_change(fleet):
    assert fleet.succeeds() == {}
    assert fleet.succeeds("--check") == {}


def test_a_wrong_configuration_stops_the_later_machines(fleet):
    stats = fleet.play(inkpanel_dropins={"50-site": "[pad]\nlanguag = 3\n", "60-more": DROPIN})
    assert set(stats) == {FIRST} and stats[FIRST]["failures"] == 1
    assert "languag" in json.dumps(fleet.said)
    assert (fleet.machines.roots[FIRST] / "etc/inkpanel/inkpanel.toml.d/50-site.toml").read_text() == DROPIN


def test_wrong_webhooks_are_told_without_a_secret(fleet):
    stats = fleet.play("--diff", inkpanel_webhooks=WEBHOOKS + "evens = []\n")
    assert set(stats) == {FIRST} and stats[FIRST]["failures"] == 1
    said = json.dumps(fleet.said)
    assert "evens" in said and "whsec_C2" not in said
    assert (fleet.machines.roots[FIRST] / "etc/inkpanel/webhooks.toml").read_text() == WEBHOOKS


def test_webhooks_that_are_no_more_are_removed_and_others_left_alone(fleet):
    assert fleet.succeeds("--limit", FIRST, inkpanel_webhooks=None) == {}
    assert len(fleet.succeeds("--limit", FIRST, inkpanel_webhooks="")[FIRST]) == 2
    assert fleet.files("etc/inkpanel/webhooks.toml") == [f"{name}:etc/inkpanel/webhooks.toml" for name in LATER]
    assert fleet.succeeds("--limit", FIRST, inkpanel_webhooks="") == {}
    assert len(fleet.succeeds("--limit", FIRST)[FIRST]) == 2


def test_a_new_version_waits_until_nobody_signs(fleet, panel):
    fleet.publish(*DEBS)
    host = subprocess.Popen([PROGRAM, "capture", "--socket", panel, "--prompt", "Test"], stderr=subprocess.DEVNULL)
    while '"running"' not in run(PROGRAM, "status", "--json", "--socket", panel):
        time.sleep(0.1)
    stats = fleet.play(inkpanel_wait_seconds=10)
    assert set(stats) == {FIRST} and stats[FIRST]["failures"] == 1
    assert [task.split(":")[0] for task in fleet.changes()[FIRST]] == ["Ask the panel whether someone signs"]
    assert fleet.versions() == {OLD}
    host.terminate()
    host.wait()
    assert set(fleet.succeeds()) == set(NAMES)
    assert fleet.versions() == {NEW}
    assert fleet.succeeds() == {}


def test_a_panel_that_is_not_well_stops_the_later_machines(fleet):
    """Nothing answers on the first machine."""
    stats = fleet.play(inkpanel_checked=True, inkpanel_well_tries=2, inkpanel_dropins={"60-more": DROPIN})
    assert set(stats) == {FIRST} and stats[FIRST]["failures"] == 1
    assert fleet.changes()[FIRST][-1].startswith("Wait until the panel is well")
    assert fleet.files("etc/inkpanel/inkpanel.toml.d/60-more.toml") == [
        f"{FIRST}:etc/inkpanel/inkpanel.toml.d/60-more.toml"]


def test_a_panel_that_is_well_passes(fleet, panel):
    removes = {"60-more": ""}
    changes = fleet.succeeds("--limit", FIRST, inkpanel_checked=True, inkpanel_dropins=removes)
    assert [task.split(":")[0] for task in changes.get(FIRST, [])][:1] == ["Remove drop-ins"]
    assert fleet.succeeds("--limit", FIRST, inkpanel_checked=True, inkpanel_dropins=removes) == {}


def test_an_older_version_comes_back_and_stays(fleet):
    assert set(fleet.succeeds(inkpanel_version=OLD)) == set(NAMES)
    assert fleet.versions() == {OLD} and fleet.files("etc/apt/apt.conf.d/52inkpanel-upgrades") == []
    assert fleet.succeeds(inkpanel_version=OLD) == {}
    assert fleet.succeeds("--check", inkpanel_version=OLD) == {}


def test_the_inventory_has_twenty_panels_in_the_rings_of_the_playbook():
    folder = TOP / "deploy/ansible"
    listed = json.loads(run("ansible-inventory", "-i", folder / "inventory.yml", "--list"))
    rings = [len(listed[f"ring{number}"]["hosts"]) for number in (1, 2, 3)]
    assert rings == [1, 4, 15]
    run("ansible-playbook", "--syntax-check", "-i", folder / "inventory.yml", folder / "panels.yml")
