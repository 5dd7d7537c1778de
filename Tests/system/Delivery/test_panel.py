# SPDX-License-Identifier: Apache-2.0
"""A panel with a simulated person, killed between seal and outbox, its sender, and a copy that anybody can verify."""

import json
import os
import subprocess
import time

import pytest
import support.panel
from conftest import PANEL, Sender
from support import breadth
from support.waiting import wait_for

RECIPIENT = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"


class Panel(support.panel.Panel):
    def capture(self) -> str:
        return self.command("capture", "--prompt", "Order 4711").strip()

    def delivery(self) -> dict:
        return json.loads(self.command("status", "--json"))["store"]["delivery"]

    def wait_until_waiting(self, count: int):
        wait_for(lambda: self.delivery()["waiting"] == count, what=f"the outbox with {count} files")


@pytest.fixture
def start(tmp_path):
    panels = []

    def start(configuration: str) -> Panel:
        panels.append(Panel(tmp_path, configuration).start())
        return panels[-1]

    yield start
    for panel in panels:
        panel.stop()


@pytest.mark.parametrize("evidence", breadth.share([f'recipients = ["{RECIPIENT}"]', ""], 2))
def test_records_of_a_killed_panel(start, tmp_path, store, evidence):
    panel = start(f"[evidence]\n{evidence}\n[delivery]\nenabled = true\nrequired = true\n")
    sender = Sender(panel.store, store.remotes)
    ids = []
    for _ in range(breadth.count(3, 20)):
        ids.append(panel.capture())
        # The host has its answer, and the record is perhaps not linked yet.
        panel.kill()
        if len(ids) % 2 == 0 and sender.outbox.exists():
            sender.run()
        panel.start()
    panel.wait_until_waiting(len(sender.waiting()))
    assert sender.run() == 0, sender.log
    assert panel.delivery() == {"waiting": 0}
    # What the store has is a panel's directory, which anybody can verify.
    copy = tmp_path / "copy"
    for name, digest in store.digests().items():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_bytes(store.read(f"{PANEL}/{name}"))
    assert len(list((copy / "captures").iterdir())) == len(ids) == len(list((copy / "seals").iterdir()))
    assert sorted(store.versions()) == sorted(store.digests())
    signers = panel.command(
        "identity", "show", "--allowed-signers", "--name", "p@example.org", "--store", str(panel.store))
    (tmp_path / "signers").write_text(signers)
    done = subprocess.run(
        [os.environ["INKPANEL"], "verify", copy, "--allowed-signers", tmp_path / "signers"], capture_output=True,
        text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_undelivered_record_cannot_be_deleted(start, store):
    panel = start("[delivery]\nenabled = true\nrequired = true\n")
    id = panel.capture()
    panel.wait_until_waiting(2)
    assert abs(panel.delivery()["oldest"] / 1e6 - time.time()) < 60
    assert "has not been delivered yet: deliver it first" in panel.command("delete", id, status=69)
    assert Sender(panel.store, store.remotes).run() == 0
    panel.command("delete", id)


def test_a_panel_whose_outbox_fails_takes_captures(start):
    panel = start("[delivery]\nenabled = true\n")
    panel.stop()
    (panel.store / "outbox/seals").rmdir()
    (panel.store / "outbox/seals").symlink_to("/tmp")
    panel.start()
    panel.capture()
    assert "outbox/seals" in panel.delivery()["fault"]
    assert "delivery: cannot change the group of" in panel.log
    (panel.store / "outbox/seals").unlink()
    panel.wait_until_waiting(2)


def test_delivery_needs_seals(tmp_path):
    (tmp_path / "inkpanel.toml").write_text("[evidence]\nseals = false\n[delivery]\nenabled = true\n")
    done = subprocess.run(
        [os.environ["INKPANEL"], "run", "--simulate", "--config", tmp_path / "inkpanel.toml"], capture_output=True,
        text=True, timeout=60)
    assert done.returncode == 78 and "enabled in [delivery] needs seals = true" in done.stderr
