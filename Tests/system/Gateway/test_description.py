# SPDX-License-Identifier: Apache-2.0
"""openapi.json is what the program does: its paths, methods, scopes and answers; schemathesis searches for others."""

import os
import re
import subprocess
from pathlib import Path

import jsonschema
import pytest
from description import DOCUMENT, operations, resolved
from gateway import Gateway, Panel
from support import breadth

ROOT = Path(__file__).parents[3]
INTERFACE = ROOT / "Sources/HostAPI/org.inkpanel.Panel.varlink"
SCHEMATHESIS = os.environ.get("SCHEMATHESIS")


def test_the_gateway_serves_it(gateway):
    served = gateway.request("GET", "/v1/openapi.json")
    assert served.status == 200 and served.json == DOCUMENT


def declarations() -> dict:
    """Types of the panel's interface, and `METHOD` and `METHOD ->` for its parameters and replies: a list of values, or
    the types of the members. InterfaceMembersTests compares them with the types of HostAPI."""
    found = {}
    text = re.sub(r"#.*", "", INTERFACE.read_text())
    for kind, name, inner, reply in re.findall(r"(type|method) (\w+) ?\(([^()]*)\)(?: -> \(([^()]*)\))?", text):
        for key, members in ((name, inner), (name + " ->", reply)):
            parts = [part.strip() for part in members.split(",") if part.strip()]
            typed = dict(re.split(r":\s*", part) for part in parts if ":" in part)
            found["method " * (kind == "method") + key] = typed or parts
    return found


DECLARED = declarations()
PRIMITIVES = {"string": "string", "int": "integer", "float": "number", "bool": "boolean"}
# What the gateway adds or leaves out, by the schema and the path to the member. Times are RFC 3339 there.
ADDED = {"CaptureRequest": {"abandonAfter"}, "Capture": {"createdAt", "endedAt"}, "RecordPage": {"next"},
         "Status": {"abilities", "gateway", "webhooks"}}
LEFT_OUT = {
    "CaptureRequest.document": {"computed"}, "Capture": {"stroke"}, "RecordPage": {"unreadable"},
    "Summary.document": {"base64", "id", "fields", "policy", "values", "caption", "strict", "allow", "final", "flatten",
                         "signed"}}
# A stored capture may have an outcome that only records have.
MORE_VALUES = {"Capture.outcome.result": {"interrupted"}}
TIMES = {"Summary.startedAt", "Summary.endedAt"}


def compare(schema: dict, declared: str, path: str) -> None:
    """The schema has the type, the members and the values of a declaration, in both directions."""
    path = schema["$ref"].rpartition("/")[2] if "$ref" in schema else path
    schema = resolved(schema)
    if declared.startswith("[]"):
        assert schema["type"] == "array", path
        return compare(schema["items"], declared[2:], path)
    if declared.startswith("[string]"):
        assert schema["type"] == "object", path
        return compare(schema["additionalProperties"], declared[8:], path)
    if declared in PRIMITIVES:
        assert schema["type"] == ("string" if path in TIMES else PRIMITIVES[declared]), path
        return
    members = DECLARED[declared]
    if isinstance(members, list):
        assert set(schema["enum"]) == set(members) | MORE_VALUES.get(path, set()), path
        return
    expected = set(members) - LEFT_OUT.get(path, set())
    assert set(schema["properties"]) == expected | ADDED.get(path, set()), path
    needed = {name for name in expected if not members[name].startswith("?")}
    assert set(schema.get("required", [])) - ADDED.get(path, set()) == needed, path
    for name in expected:
        compare(schema["properties"][name], members[name].removeprefix("?"), f"{path}.{name}")


@pytest.mark.parametrize("schema, declared", [
    ("CaptureRequest", "method Capture"), ("Capture", "method Capture ->"), ("RecordPage", "method List ->"),
    ("Summary", "Summary"), ("Metadata", "Metadata"), ("Status", "PanelStatus"), ("PanelAbilities", "PanelAbilities"),
    ("Seal", "Seal"), ("Size", "Size"),
    ("MissingText", "MissingText")])
def test_schemas_are_the_types_of_the_panels_interface(schema, declared):
    compare({"$ref": f"#/components/schemas/{schema}"}, declared, "")


def test_queries_and_paths_are_those_of_the_panels_interface():
    def values(path: str, name: str) -> list:
        [found] = [one for one in DOCUMENT["paths"][path]["get"]["parameters"] if one["name"] == name]
        return found["schema"]["enum"]

    assert values("/v1/captures/{id}/signature.png", "part") == DECLARED["Part"]
    assert values("/v1/mirror", "level") == DECLARED["MirrorLevel"]
    acts = [path.rpartition("/")[2] for path in DOCUMENT["paths"] if "/simulator/" in path]
    assert sorted(acts) == sorted(DECLARED["SimulatedAct"])


def test_examples_are_what_their_schemas_describe():
    def contents():
        yield "Problem", DOCUMENT["components"]["responses"]["Problem"]["content"]
        for _, _, found in operations():
            name = found["operationId"]
            yield name, found.get("requestBody", {}).get("content", {})
            for status, answer in found["responses"].items():
                if status.startswith("2"):
                    yield name, answer.get("content", {})
            for parameter in found.get("parameters", []):
                if "example" in parameter:
                    yield name, {"application/json": parameter}

    for name, content in contents():
        for media, described in content.items():
            # Pictures and other binary files, and lines of JSON, which formats.md describes.
            if media in ("image/png", "image/jpeg", "application/octet-stream", "application/jsonl", "application/pdf",
                         "application/zip"):
                continue
            schema = {**described["schema"], "components": DOCUMENT["components"]}
            jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker()).validate(described["example"])


def test_problems_of_nginx_are_described():
    """DescriptionTests compares the others."""
    named = set(re.findall(r"urn:inkpanel:problem:[a-z-]+", (ROOT / "deploy/nginx/nginx.conf").read_text()))
    assert named and named <= set(DOCUMENT["components"]["schemas"]["Problem"]["properties"]["type"]["enum"])


@pytest.mark.skipif(not SCHEMATHESIS, reason="make gateway-test installs schemathesis")
def test_schemathesis_finds_no_answer_that_is_not_described(tmp_path):
    panel = Panel(tmp_path)
    gateway = Gateway(tmp_path, panel.socket)
    token = gateway.token("fuzzer", ["admin"])
    found = subprocess.run(
        [SCHEMATHESIS, "run", f"http://127.0.0.1:{gateway.port}/v1/openapi.json", "-H", f"Authorization: Bearer {token}",
         "--checks", "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,"
         "response_headers_conformance",
         # Streams do not end, pairing and the simulator have state of their own, and it writes no PDF files.
         "--exclude-path-regex", "/events$|/mirror$|/documents$", "--max-examples", os.environ.get("EXAMPLES", str(breadth.count(4, 15))),
         "--request-timeout", "70", "--generation-codec", "ascii", "--phases", "examples,coverage,fuzzing", "--seed", "1"],
        capture_output=True, text=True, timeout=600, cwd=tmp_path)
    print(found.stdout[-6000:])
    assert gateway.process.poll() is None and panel.process.poll() is None
    assert found.returncode == 0, found.stdout[-6000:] + found.stderr[-2000:]
    gateway.kill()
    panel.kill()
