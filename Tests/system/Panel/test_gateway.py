# SPDX-License-Identifier: Apache-2.0
"""The gateway on the real kernel: a host asks over HTTP, a person signs on the touchscreen, the host gets the picture."""

import json
import os
from pathlib import Path

from conftest import PAD_SCREENS
from harness.handwriting import signature
from harness.page import Page

STATE = "/run/gateway"


def test_a_signature_over_http(pad_of):
    pad = pad_of(PAD_SCREENS["800x480"])
    gateway = str(Path(os.environ.get("GATEWAY", os.environ["INKPANEL"] + "-gateway")).resolve())
    socket = f"{STATE}/http.sock"
    pad.panel.make_folder(STATE)
    token = pad.panel.run(gateway, "token", "add", "--name", "till", "--state", STATE).strip()
    server = pad.panel.start(
        gateway, "run", "--panel", pad.socket, "--socket", socket, "--state", STATE, tty=None)
    server.wait_line("listens on")

    def call(method: str, path: str, *more: str) -> str:
        return pad.panel.run(
            "/usr/bin/curl", "-sS", "--fail-with-body", "--max-time", "60", "--unix-socket", socket, "-X", method, "-H",
            f"Authorization: Bearer {token}", *more, f"http://localhost{path}")

    status = json.loads(call("GET", "/v1/panel"))
    assert status["page"] == "idle" and status["screen"]["size"] == {"width": 800, "height": 480}
    capture = json.loads(call(
        "POST", "/v1/captures", "-H", "Content-Type: application/json", "-d", '{"prompt": ["12 parcels"]}'))
    assert capture["state"] == "signing"
    assert {"accept", "cancel"} <= set(Page(pad.settled()).buttons)
    pad.draw(signature(pad.place_to_sign))
    pad.settled()
    pad.touch("accept")
    path = f"/v1/captures/{capture['id']}"
    while (capture := json.loads(call("GET", path, "-H", "Prefer: wait=30")))["state"] != "ended":
        pass
    assert capture["outcome"] == {"result": "accepted"}
    record = call("GET", path + "/record.jsonl")
    header = json.loads(record.splitlines()[0])
    assert "12 parcels" in json.dumps(header) and len(record.splitlines()) > 2
    # The same bytes as the panel's own export.
    name = "over-http.svg"
    exported = pad.export(capture["id"], name).decode()
    assert call("GET", path + "/signature.svg") == exported
    server.terminate()
    assert json.loads(pad.command("status", "--json"))["page"] in ("thanks", "idle"), "the panel goes on without it"
