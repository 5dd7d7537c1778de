# SPDX-License-Identifier: Apache-2.0
"""Fixtures: a panel that says what it is told, receivers, and the program between them."""

import pytest
from webhooks import FakePanel, Program, Receiver
from support.waiting import wait_for


@pytest.fixture
def panel(tmp_path):
    panel = FakePanel(f"{tmp_path}/p.sock")
    yield panel
    if panel.is_there:
        panel.stop()


@pytest.fixture
def receiver():
    receiver = Receiver()
    yield receiver
    receiver.stop()
    assert receiver.faults == [], "every message is signed as the reference library wants it"


@pytest.fixture
def start(tmp_path, panel):
    """Starts the program with the webhooks that are named: receivers, or tables of the file."""
    programs = []

    def start(*arguments: str, haste: float = 20, patience: int = 30, **webhooks) -> Program:
        tables = {name: {"url": hook.url} if isinstance(hook, Receiver) else hook for name, hook in webhooks.items()}
        followers, lists = len(panel.connections), panel.lists
        programs.append(Program(tmp_path, panel.path, tables, *arguments, haste=haste, patience=patience))
        programs[-1].ready()
        # What was accepted before its first start, a program does not tell. Nor does it tell that a connection has
        # ended while it reads the records: it says that instead.
        wait_for(lambda: not panel.is_there or (
            len(panel.connections) > followers and (panel.starting or panel.lists > lists)))
        return programs[-1]

    yield start
    for program in programs:
        program.kill()
        log = program.log.read_text()
        assert "whsec_" not in log and "path-secret" not in log, "the log has no secret"
