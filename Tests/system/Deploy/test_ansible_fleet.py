# SPDX-License-Identifier: Apache-2.0
"""Certificates of a fleet by the role in `deploy/ansible`, with the ansible of Debian 12, and of Debian 13 (2.19): for
panels in folders of this machine, without packages and systemd."""

import json
import os
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[3]
ROLE = TOP / "deploy/ansible/roles"
CERTIFICATE = TOP / "deploy/fleet/inkpanel-fleet-certificate"
PLAYBOOK = os.environ.get("ANSIBLE_PLAYBOOK", "ansible-playbook")
NAMES = ("panel-01", "panel-02", "panel-03")


def run(*words, status: int = 0) -> str:
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


class Fleet:
    def __init__(self, work: Path):
        self.work, self.ca = work, work / "fleet-ca"
        run(CERTIFICATE, "--ca", self.ca, "init")
        (work / "play.yml").write_text("""
- hosts: panels
  gather_facts: false
  tasks:
    - ansible.builtin.include_role:
        name: inkpanel
        tasks_from: certificate.yml
""")

    def state(self, name: str) -> Path:
        return self.work / name / "state"

    def certificate(self, name: str) -> str:
        """Its subject and number, by its authority."""
        state = self.state(name)
        run("openssl", "verify", "-CAfile", state / "ca.crt", state / "panel.crt")
        return run("openssl", "x509", "-in", state / "panel.crt", "-noout", "-subject", "-serial")

    def play(self, *words, **variables):
        hosts = {}
        for name in NAMES:
            (self.work / name).mkdir(exist_ok=True)
            hosts[f"{name}.example.org"] = {
                "inkpanel_fleet_state": str(self.state(name)),
                "inkpanel_fleet_authority": str(self.work / name / "panels-ca.crt")}
        values = {
            "ansible_connection": "local", "ansible_python_interpreter": "/usr/bin/python3",
            "inkpanel_systemd": {"stat": {"exists": False}}, "inkpanel_fleet_ca": str(self.ca),
            "inkpanel_fleet_program": str(CERTIFICATE), **variables}
        (self.work / "inventory.json").write_text(json.dumps({"panels": {"hosts": hosts, "vars": values}}))
        done = subprocess.run(
            [PLAYBOOK, "-i", self.work / "inventory.json", self.work / "play.yml", *words],
            capture_output=True, text=True, env={
                **os.environ, "HOME": str(self.work), "PATH": f"{CERTIFICATE.parent}:{os.environ['PATH']}",
                "ANSIBLE_ROLES_PATH": str(ROLE), "ANSIBLE_STDOUT_CALLBACK": "told", "ANSIBLE_NOCOLOR": "true",
                "ANSIBLE_CALLBACK_PLUGINS": str(TOP / "Tests/system/Deploy/callbacks"),
                "ANSIBLE_PIPELINING": "true",
                "ANSIBLE_LOCALHOST_WARNING": "false", "LC_ALL": "C.UTF-8"})
        assert done.stdout.startswith("{"), done.stdout + done.stderr
        self.said = done.stdout
        stats = json.loads(done.stdout)["stats"]
        return {
            name.split(".")[0]: "failed" if count["failures"] or count["unreachable"] else count["changed"]
            for name, count in stats.items()}


@pytest.fixture
def fleet(tmp_path):
    return Fleet(tmp_path)


def test_panels_get_certificates_once_and_renew_them(fleet):
    # A check says so, and changes nothing.
    assert fleet.play("--check") == dict.fromkeys(NAMES, 1)
    assert not any(fleet.state(name).exists() for name in NAMES) and not any((fleet.ca / "invitations").iterdir())
    assert all(changed > 1 for changed in fleet.play().values()), fleet.said
    # Nobody reads a code in what ansible says.
    results = [
        result for play in json.loads(fleet.said)["plays"] for task in play["tasks"]
        if task["task"]["name"].endswith(("Invite the panel", "Make a request with the code"))
        for result in task["hosts"].values()]
    assert len(results) == 2 * len(NAMES) and all("censored" in result for result in results)
    first = {name: fleet.certificate(name) for name in NAMES}
    assert all(f"CN = {name}\n" in first[name] for name in NAMES) and len(set(first.values())) == len(NAMES)
    assert fleet.state(NAMES[0]).joinpath("panel.key").stat().st_mode & 0o777 == 0o600
    assert fleet.play() == fleet.play("--check") == dict.fromkeys(NAMES, 0)
    assert {name: fleet.certificate(name) for name in NAMES} == first
    # They last 90 days.
    assert fleet.play("--check", inkpanel_fleet_renewal_days=91) == dict.fromkeys(NAMES, 1)
    assert all(changed > 1 for changed in fleet.play(inkpanel_fleet_renewal_days=91).values()), fleet.said
    assert all(fleet.certificate(name) != first[name] for name in NAMES)


def test_a_run_that_ended_after_signing_is_continued(fleet):
    name = NAMES[0]
    code = run(CERTIFICATE, "--ca", fleet.ca, "invite", name).strip()
    (fleet.work / name).mkdir()
    request = fleet.work / "request"
    run(CERTIFICATE, "--state", fleet.state(name), "request", name, code, "--output", request)
    run(CERTIFICATE, "--ca", fleet.ca, "sign", request)
    signed = run("openssl", "x509", "-in", fleet.ca / f"out/{name}.crt", "-noout", "-subject", "-serial")
    assert "failed" not in fleet.play().values(), fleet.said
    assert fleet.certificate(name) == signed


def test_another_board_gets_the_name_only_if_somebody_says_so(fleet):
    fleet.play()
    name = NAMES[0]
    old = fleet.certificate(name)
    fleet.state(name).rename(fleet.work / "old")
    assert fleet.play() == {name: "failed", **dict.fromkeys(NAMES[1:], 0)}
    assert "has a valid certificate" in fleet.said and "inkpanel_fleet_replace=true" in fleet.said
    assert "failed" not in fleet.play("-e", "inkpanel_fleet_replace=true").values(), fleet.said
    assert fleet.certificate(name) != old
    serial = old.rpartition("serial=")[2].strip()
    assert serial in run("openssl", "crl", "-in", fleet.ca / "out/broker/panels.crl", "-noout", "-text")
    assert fleet.play() == dict.fromkeys(NAMES, 0)


def test_a_certificate_of_another_name_is_not_replaced(fleet):
    fleet.play()
    assert fleet.play("-e", "inkpanel_fleet_name=other") == dict.fromkeys(NAMES, "failed")
    assert "set inkpanel_fleet_name" in fleet.said
