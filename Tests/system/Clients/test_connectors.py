# SPDX-License-Identifier: Apache-2.0
"""Connectors to systems that cannot be run here, against a server that knows their exchanges.

exchanges.json was written from the systems' public documentation and sources, and not recorded from a running system:
Odoo's "External JSON-2 API" and "External RPC API", Frappe's "REST API", DocuSeal's "Update a submitter", LibreSign's
API of signature elements, of file lists and of signing.
"""

import base64
import copy
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from conftest import EXAMPLES, run
from support import breadth

EXCHANGES = json.loads((Path(__file__).parent / "exchanges.json").read_text())
PAD_ONLY = {"INKPANEL_URL": "http://127.0.0.1:1", "INKPANEL_TOKEN": "ipt_x"}


def fits(said, expected) -> bool:
    if isinstance(expected, dict):
        return isinstance(said, dict) and said.keys() == expected.keys() and all(
            fits(said[name], expected[name]) for name in expected)
    if isinstance(expected, list):
        return isinstance(said, list) and len(said) == len(expected) and all(map(fits, said, expected))
    if expected == "<png>":
        return base64.b64decode(said, validate=True).startswith(b"\x89PNG")
    if expected == "<data:png>":
        return said.startswith("data:image/png;base64,") and fits(said.split(",")[1], "<png>")
    if expected == "<time>":
        return bool(re.fullmatch(r"20\d\d-\d\d-\d\d \d\d:\d\d:\d\d", said))
    if expected == "<id>":
        return bool(re.fullmatch(r"20\d{6}-\d{6}-[0-9a-f]{16}", said))
    return said == expected


class System:
    """Answers the requests of an exchange, in order; any other one with 500."""

    def __init__(self, name: str):
        self.left, self.wrong = list(EXCHANGES[name]), []
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (Handler,), {"system": self}))
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        assert not self.wrong, self.wrong


class Handler(BaseHTTPRequestHandler):
    system: System

    def answer(self):
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = json.loads(content) if content else None
        next_one = self.system.left.pop(0) if self.system.left else {"request": {"method": "none"}}
        expected = next_one["request"]
        headers = expected.get("headers", {})
        if (self.command == expected["method"] and self.path == expected["path"]
                and {name: self.headers[name] for name in headers} == headers
                and ("body" not in expected or fits(body, expected["body"]))):
            status, said = next_one.get("status", 200), next_one["answer"]
        else:
            self.system.wrong.append((self.command, self.path, dict(self.headers), body, "and not", expected))
            status, said = 500, {}
        content = json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_PATCH = answer

    def log_message(self, *_):
        pass


CASES = [
    ("odoo with an API key", "odoo.py", ["stock.picking", "42"], {"ODOO_KEY": "key", "ODOO_DATABASE": "erp"}, "WH/OUT/00042"),
    ("odoo before version 19", "odoo.py", ["sale.order", "7"],
     {"ODOO_KEY": "key", "ODOO_DATABASE": "erp", "ODOO_LOGIN": "clerk"}, "S00007"),
    ("erpnext", "erpnext.py", ["Delivery Note", "MAT-DN-2026-00001"], {"ERPNEXT_KEY": "key:secret"}, "MAT-DN-2026-00001"),
    ("docuseal", "docuseal.py", ["500001"], {"DOCUSEAL_KEY": "key"}, "Rental contract"),
    ("libresign", "libresign.py", ["5b1d"], {"LIBRESIGN_USER": "clerk", "LIBRESIGN_PASSWORD": "secret"}, "Rental contract"),
]


def address(program: str, system: System) -> dict:
    return {f"{program.removesuffix('.py').upper()}_URL": system.url + "/api" * (program == "docuseal.py")}


@pytest.mark.parametrize("name, program, words, keys, title", CASES, ids=[case[0] for case in CASES])
def test_a_connector_signs(name, program, words, keys, title, inkpanel_simulator, inkpanel_pad, tmp_path):
    pad = {"INKPANEL_URL": inkpanel_simulator.url, "INKPANEL_TOKEN": inkpanel_simulator.token}
    with System(name) as system:
        said = run(["/usr/bin/python3", EXAMPLES / program, *words], tmp_path, **address(program, system), **keys, **pad)
        record = next(inkpanel_pad.records())
        assert said == f"{title} is signed: record {record.id}\n" and system.left == []
    assert title in record.prompt[0] and record.signer == "Anna Müller" and record.document.reference


def test_a_delivery_with_more_items_than_rows_says_how_many(inkpanel_simulator, inkpanel_pad, tmp_path):
    name, program, words, keys, _ = CASES[2]
    pad = {"INKPANEL_URL": inkpanel_simulator.url, "INKPANEL_TOKEN": inkpanel_simulator.token}
    with System(name) as system:
        system.left = copy.deepcopy(system.left)
        system.left[0]["answer"]["data"]["items"] *= 17
        run(["/usr/bin/python3", EXAMPLES / program, *words], tmp_path, **address(program, system), **keys, **pad)
    rows = next(inkpanel_pad.records()).rows
    assert [row.label for row in rows] == ["Ribbon"] * 15 + ["Further items"] and rows[15].value == "2"


def test_a_quantity_is_shown_whole(inkpanel_simulator, inkpanel_pad, tmp_path):
    name, program, words, keys, _ = CASES[2]
    pad = {"INKPANEL_URL": inkpanel_simulator.url, "INKPANEL_TOKEN": inkpanel_simulator.token}
    with System(name) as system:
        system.left = copy.deepcopy(system.left)
        system.left[0]["answer"]["data"]["items"] = [
            {"item_name": "Screws", "qty": quantity, "uom": "Nos"} for quantity in (1234567.0, 12345.67, 3.0)]
        run(["/usr/bin/python3", EXAMPLES / program, *words], tmp_path, **address(program, system), **keys, **pad)
    assert [row.value for row in next(inkpanel_pad.records()).rows] == ["1234567 Nos", "12345.67 Nos", "3 Nos"]


@pytest.mark.parametrize("program, words", [(case[1], case[2]) for case in CASES[:1] + CASES[2:]])
def test_a_variable_that_is_missing_is_named(program, words, tmp_path):
    said = run(["/usr/bin/python3", EXAMPLES / program, *words], tmp_path, 1)
    assert said.count("\n") == 1 and f"'{program.removesuffix('.py').upper()}_" in said and "is missing" in said


@pytest.mark.parametrize(
    "name, program, words, keys, title", breadth.share(CASES, 3, 1, several=True), ids=[case[0] for case in CASES])
def test_a_signature_that_cannot_be_written_is_named(
        name, program, words, keys, title, inkpanel_simulator, inkpanel_pad, tmp_path):
    pad = {"INKPANEL_URL": inkpanel_simulator.url, "INKPANEL_TOKEN": inkpanel_simulator.token}
    with System(name) as system:
        system.left[-1] = {**system.left[-1], "status": 500}
        words = ["/usr/bin/python3", EXAMPLES / program, *words]
        said = run(words, tmp_path, 1, **address(program, system), **keys, **pad)
    record = next(inkpanel_pad.records())
    assert f"{title} is signed: record {record.id}\n" in said and "HTTP Error 500" in said


@pytest.mark.parametrize(
    "name, program, words, keys, title", breadth.share(CASES, 3, 2, several=True), ids=[case[0] for case in CASES])
def test_nothing_is_written_if_the_person_cancels(
        name, program, words, keys, title, inkpanel_simulator, inkpanel_pad, tmp_path):
    pad = {"INKPANEL_URL": inkpanel_simulator.url, "INKPANEL_TOKEN": inkpanel_simulator.token}
    inkpanel_simulator.act("cancel")
    with System(name) as system:
        said = run(["/usr/bin/python3", EXAMPLES / program, *words], tmp_path, 1, **address(program, system), **keys, **pad)
        assert said == f"{title} was not signed: cancelled\n"
        # What is written has the picture.
        assert "png>" in json.dumps(system.left)


@pytest.mark.parametrize(
    "name, program, words, keys, title", breadth.share(CASES, 3, 0, several=True), ids=[case[0] for case in CASES])
def test_a_system_that_is_not_there_is_told_in_a_line(name, program, words, keys, title, tmp_path):
    none = {f"{program.removesuffix('.py').upper()}_URL": "http://127.0.0.1:1"}
    said = run(["/usr/bin/python3", EXAMPLES / program, *words], tmp_path, 1, **none, **keys, **PAD_ONLY)
    assert said.count("\n") == 1 and "refused" in said


def test_a_pad_that_is_not_there_is_told_in_a_line(tmp_path):
    name, program, words, keys, _ = CASES[3]
    with System(name) as system:
        said = run(
            ["/usr/bin/python3", EXAMPLES / program, *words], tmp_path, 1, **address(program, system), **keys, **PAD_ONLY)
    assert said.count("\n") == 1 and "docuseal: Nothing listens at http://127.0.0.1:1" in said


def test_what_odoo_refuses_is_told(tmp_path):
    keys = {"ODOO_KEY": "key", "ODOO_DATABASE": "erp", "ODOO_LOGIN": "clerk"}
    with System("odoo refuses") as system:
        said = run(["/usr/bin/python3", EXAMPLES / "odoo.py", "sale.order", "7"], tmp_path, 1, ODOO_URL=system.url, **keys)
        assert said == "odoo: Access Denied\n"
