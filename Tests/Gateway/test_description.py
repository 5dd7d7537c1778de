# SPDX-License-Identifier: Apache-2.0
"""openapi.json is what the program does: its paths, methods, scopes and answers; schemathesis searches for others."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from description import DOCUMENT, operations
from gateway import Gateway, Panel

ROUTES = Path(__file__).parents[2] / "Sources/Gateway/Routes"
INTERFACE = Path(__file__).parents[2] / "Sources/HostAPI/org.inkpanel.Panel.varlink"
SCHEMATHESIS = os.environ.get("SCHEMATHESIS")


def test_the_gateway_serves_it(gateway):
    served = gateway.request("GET", "/v1/openapi.json")
    assert served.status == 200 and served.json == DOCUMENT


def test_every_path_of_the_program_is_described():
    literals = set()
    for source in ROUTES.glob("*.swift"):
        literals |= set(re.findall(r'Route\(\s*"[A-Z]+", "(/v1/[^"]*)"', source.read_text()))
    assert len(literals) > 8
    for literal in literals - {"/v1/virtual"}:
        # Some end with a name that the program appends.
        assert any(path == literal or literal.endswith("/") and path.startswith(literal) for path in DOCUMENT["paths"])


def members(declaration: str) -> set:
    """Names of the members of a type, or of the parameters of a method, of the panel's interface."""
    text = re.sub(r"#.*", "", INTERFACE.read_text())
    [inner] = re.findall(re.escape(declaration) + r"\s*\(([^)]*)\)", text)
    return {part.split(":")[0].strip() for part in inner.split(",")}


def properties(name: str, member: str = None) -> set:
    schema = DOCUMENT["components"]["schemas"][name]
    return set((schema["properties"][member] if member else schema)["properties"])


def test_schemas_have_the_members_of_the_panels_interface():
    assert properties("CaptureRequest") == members("method Capture") | {"abandonAfter"}
    assert properties("CaptureRequest", "policy") == members("type Policy")
    assert properties("CaptureRequest", "shows") == members("type Shows")
    assert properties("CaptureRequest", "document") == members("type Document") - {"computed"}
    assert properties("Capture", "outcome") == members("type Outcome")
    assert properties("Capture", "refusal") == members("type Refusal")
    assert properties("Seal") == members("type Seal")
    assert properties("Summary") == members("type Summary")
    assert properties("Summary", "document") == members("type Document") - {"base64"}
    assert properties("Status") == members("type PanelStatus")
    assert properties("Status", "screen") == members("type Screen")
    assert properties("Status", "store") == members("type Store")
    assert set(DOCUMENT["components"]["schemas"]["Status"]["properties"]["store"]["properties"]["seals"]["properties"]) \
        == members("type Seals")
    assert set(DOCUMENT["components"]["schemas"]["Status"]["properties"]["page"]["enum"]) == members("type Page")
    assert set(DOCUMENT["components"]["schemas"]["Capture"]["properties"]["state"]["enum"]) \
        == members("type CaptureState")


def test_paths_methods_and_scopes(gateway, token):
    every = ["capture", "record", "panel", "simulate", "mirror:state"]
    for method, path, operation in operations():
        address = path.replace("{id}", "none")
        allowed = gateway.request("OPTIONS", address).headers["Allow"].split(", ")
        described = [verb for verb, other, _ in operations() if other == path]
        assert sorted(allowed) == sorted(described + ["OPTIONS"]), path
        if not operation["security"]:
            assert gateway.request(method, address).status != 401
            continue
        [scope] = operation["security"][0]["token"] or [None]
        if scope is None:
            continue
        name = f"{method} {path}".replace("/", "-").replace("{id}", "id")[-60:]
        without = gateway.token(name, [other for other in every if not other.startswith(scope)])
        assert gateway.request(method, address, without).problem == "missing-scope", path


@pytest.mark.skipif(not SCHEMATHESIS, reason="make gateway-test installs schemathesis")
def test_schemathesis_finds_no_answer_that_is_not_described(tmp_path):
    panel = Panel(tmp_path)
    gateway = Gateway(tmp_path, panel.socket)
    token = gateway.token("fuzzer", ["admin"])
    found = subprocess.run(
        [SCHEMATHESIS, "run", f"http://127.0.0.1:{gateway.port}/v1/openapi.json", "-H", f"Authorization: Bearer {token}",
         "--checks", "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,"
         "response_headers_conformance",
         # Streams do not end, and pairing and the simulator have state of their own.
         "--exclude-path-regex", "/events$|/mirror$", "--max-examples", os.environ.get("EXAMPLES", "15"),
         "--request-timeout", "70", "--generation-codec", "ascii", "--phases", "examples,coverage,fuzzing", "--seed", "1"],
        capture_output=True, text=True, timeout=600, cwd=tmp_path)
    print(found.stdout[-6000:])
    assert gateway.process.poll() is None and panel.process.poll() is None
    assert found.returncode == 0, found.stdout[-6000:] + found.stderr[-2000:]
    gateway.kill()
    panel.kill()
