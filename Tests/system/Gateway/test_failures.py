# SPDX-License-Identifier: Apache-2.0
"""What happens when the panel or the gateway is killed."""

import json
import os
import resource
import socket
import subprocess
from support.waiting import listens, wait_for



def test_a_killed_gateway_cancels_its_capture_and_harms_no_panel(own):
    panel, gateway = own
    token = gateway.token()
    gateway.act(token, "leave")
    capture = gateway.capture(token)["id"]
    gateway.kill()

    def status():
        return json.loads(subprocess.run(
            [os.environ["INKPANEL"], "status", "--json", "--socket", panel.socket], capture_output=True).stdout)
    wait_for(lambda: "running" not in status())
    assert panel.process.poll() is None
    gateway.start()
    gone = gateway.request("GET", f"/v1/captures/{capture}", token)
    assert gone.status == 404
    assert gateway.capture(token)["state"] == "signing"


def test_a_killed_panel_fails_captures_and_then_is_well_again(own):
    panel, gateway = own
    token = gateway.token()
    gateway.act(token, "leave")
    capture = gateway.capture(token)["id"]
    events = gateway.events(token, capture)
    panel.kill()
    name, _, last = list(events)[-1]
    assert name == "ended" and last["outcome"]["result"] == "failed" and "panel" in last["outcome"]["reason"]
    absent = gateway.request("POST", "/v1/captures", token, {"prompt": ["a"]})
    assert absent.status == 503 and absent.problem == "panel-not-running" and absent.headers["Retry-After"]
    assert gateway.request("GET", "/v1/panel", token).problem == "panel-not-running"
    panel.start()
    wait_for(lambda: gateway.request("GET", "/v1/panel", token).status == 200)
    assert gateway.capture(token)["state"] == "signing"


def test_only_one_gateway_uses_a_socket(own, tmp_path):
    panel, _ = own
    socket = tmp_path / "x.sock"
    words = [os.environ["GATEWAY"], "run", "--panel", panel.socket, "--state", tmp_path, "--socket", socket]
    first = subprocess.Popen(words, stderr=subprocess.DEVNULL)
    wait_for(lambda: listens(socket))
    second = subprocess.run(words, capture_output=True, text=True, timeout=10)
    assert second.returncode != 0 and "another program listens" in second.stderr
    first.kill()
    first.wait()
    third = subprocess.Popen(words, stderr=subprocess.DEVNULL)
    wait_for(lambda: third.poll() is None and listens(socket))
    third.kill()
    third.wait()


def test_a_port_that_another_program_has_is_named(own, tmp_path):
    panel, gateway = own
    second = subprocess.run(
        [os.environ["GATEWAY"], "run", "--panel", panel.socket, "--state", tmp_path, "--loopback", str(gateway.port)],
        capture_output=True, text=True, timeout=10)
    assert second.returncode != 0
    assert f"cannot listen on 127.0.0.1:{gateway.port}: Address already in use; another program" in second.stderr


def test_messages_begin_with_the_name_of_the_program(gateway):
    assert gateway.log.read_text().startswith("inkpanel-gateway: listens on")
    assert gateway.command("token", "remove", "nobody").stderr.startswith("inkpanel-gateway: there is no token nobody")


def test_more_connections_than_descriptors_are_usual_do_no_harm(own):
    panel, gateway = own
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    gateway.kill()
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, hard))
    gateway.start()
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4000), hard))
    token = gateway.token()
    gateway.act(token, "leave")
    capture = gateway.capture(token)["id"]
    idle = [socket.create_connection(("127.0.0.1", gateway.port)) for _ in range(1500)]
    assert gateway.request("GET", f"/v1/captures/{capture}", token).json["state"] == "signing"
    for connection in idle:
        connection.close()
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert gateway.process.poll() is None, gateway.log.read_text()
    assert gateway.request("POST", f"/v1/captures/{capture}/cancel", token).json["outcome"]["by"] == "host"
