# SPDX-License-Identifier: Apache-2.0
"""Fixtures: a panel with a simulated person, and a gateway in front of it."""

import pytest
from gateway import Gateway, Panel

ORIGIN = "https://till.example"


@pytest.fixture(scope="module")
def panel(tmp_path_factory):
    panel = Panel(tmp_path_factory.mktemp("panel"))
    yield panel
    panel.stop()


@pytest.fixture(scope="module")
def gateway(panel, tmp_path_factory):
    gateway = Gateway(tmp_path_factory.mktemp("gateway"), panel.socket, origins=[ORIGIN])
    yield gateway
    gateway.kill()


@pytest.fixture(scope="module")
def token(gateway):
    return gateway.token()


@pytest.fixture
def own(tmp_path):
    """A panel and a gateway for one test, which may kill them."""
    panel = Panel(tmp_path)
    gateway = Gateway(tmp_path, panel.socket, origins=[ORIGIN])
    yield panel, gateway
    gateway.kill()
    panel.kill()
