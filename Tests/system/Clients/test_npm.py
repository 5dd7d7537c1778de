# SPDX-License-Identifier: Apache-2.0
"""The npm package: inkpanel.js and its types."""

import json
import re
import shutil
import tarfile

import pytest
from conftest import ROOT, run

USE = """
import { Inkpanel, InkpanelError, type Capture, type CaptureRequest } from "inkpanel"
const request: CaptureRequest = { prompt: ["Delivery 4711"], rows: [{ label: "Order", value: "4711" }], wait: true }
const pad = new Inkpanel({ url: process.argv[2], token: process.argv[3] })
const states: Capture["state"][] = []
const capture = await pad.capture(request, { key: "4711", onChange: change => { states.push(change.state) } })
if (capture.outcome?.result !== "accepted") throw new Error(capture.outcome?.reason)
if ((await pad.capture(["Delivery 4711", "received"])).state !== "ended") throw new Error("an array of lines")
const picture: Blob = await pad.file(capture.id, "signature.png", { dpi: 100, transparent: true })
const failure = await pad.get("none").catch((error: unknown) => error)
if (!(failure instanceof InkpanelError)) throw failure
console.log(JSON.stringify([states.at(-1), picture.size, (await pad.status()).page, failure.status, failure.isTemporary]))
"""
WRONG = """
import { Inkpanel } from "inkpanel"
const pad = new Inkpanel({ token: "ipt_x" })
pad.capture({ prompt: "not a list" })
pad.capture({ questions: [{ name: "a", kind: "slider", text: "b" }] })
pad.sign()
pad.get("1").then(capture => capture.outcome.result)
"""
# Node's own types are a package of their own.
NODE = "declare const process: { argv: string[] }\n"
SETTINGS = {
    "strict": True, "target": "es2022", "module": "node16", "moduleResolution": "node16", "lib": ["es2022", "dom"],
    "types": []}


def compiled(folder, name: str, source: str, status: int = 0) -> str:
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": SETTINGS, "files": [name]}))
    (folder / name).write_text(source)
    return run(["/usr/bin/tsc"], folder, status)


def test_a_typescript_program_compiles_and_signs(module, inkpanel_simulator):
    compiled(module, "use.ts", NODE + USE)
    said = run(["/usr/bin/node", "use.js", inkpanel_simulator.url, inkpanel_simulator.token], module)
    assert re.fullmatch(r'\["ended",\d{3,},"(thanks|idle)",404,false\]\n', said), said


def test_wrong_calls_do_not_compile(module):
    said = compiled(module, "wrong.ts", WRONG, 2)
    assert re.findall(r"wrong\.ts\((\d+),", said) == ["4", "5", "6", "7"], said


def test_the_types_are_those_of_the_file(module):
    """Each member that is declared exists, and each that exists is declared."""
    declared = (module / "node_modules/inkpanel/inkpanel.d.ts").read_text().split("export class Inkpanel {")[1]
    members = sorted(set(re.findall(r"^  (\w+)\(", declared, re.M)) - {"constructor"})
    (module / "names.mjs").write_text(
        'import { Inkpanel } from "inkpanel"\n'
        'const names = Object.getOwnPropertyNames(Inkpanel.prototype).filter(name => name !== "constructor")\n'
        "console.log(names.sort().join())")
    assert run(["/usr/bin/node", "names.mjs"], module).strip() == ",".join(members)


def test_the_file_is_the_one_that_the_gateway_serves(module):
    packed = module / "node_modules/inkpanel/inkpanel.js"
    assert packed.read_bytes() == (ROOT / "Sources/Gateway/Web/inkpanel.js").read_bytes()


@pytest.mark.skipif(not shutil.which("npm"), reason="npm is not installed")
def test_npm_installs_the_package(packages, tmp_path):
    (tmp_path / "package.json").write_text("{}")
    run(["npm", "install", "--offline", "--no-audit", "--no-fund", next(packages.glob("*.tgz"))], tmp_path, HOME=str(tmp_path))
    with tarfile.open(next(packages.glob("*.tgz"))) as package:
        names = {name.removeprefix("package/") for name in package.getnames()} - {"package"}
    assert {path.name for path in (tmp_path / "node_modules/inkpanel").iterdir()} == names
