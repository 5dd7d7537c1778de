# SPDX-License-Identifier: Apache-2.0
"""What verify.html says about signed files: verifier/files/pdf.js, run by node."""

import base64
import json
import subprocess
from pathlib import Path

PROGRAM = Path(__file__).parents[1] / "Verifier/files.mjs"


def page_reports(*paths: Path, seal: dict | None = None, alone: bool = False) -> list[dict]:
    """`alone`: no seal names the files."""
    told = None if alone else seal or {"id": "20261127-1"}
    result = subprocess.run(
        ["node", PROGRAM, "pdf", json.dumps(told), *map(str, paths)], capture_output=True, text=True, timeout=600,
        check=False)
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def report_problems(report: dict, count: int) -> list[str]:
    problems = [] if len(report["signatures"]) == count else [f"{len(report['signatures'])} signatures, not {count}"]
    for signature in report["signatures"]:
        if not signature.get("intact") or signature["changedAfter"] not in ("no", "signed", "filled"):
            problems.append(f"{signature}")
    problems += [str(fact) for fact in report["facts"] if fact["state"] == "wrong" or fact["code"] == "pdfReadable"]
    return problems


def page_problems(path: Path, count: int) -> list[str]:
    return report_problems(page_reports(path)[0], count)


def dropped(files: dict[str, bytes], confirmed: list[str] = []) -> dict:
    """What the page says of files that are dropped on it one after the other."""
    given = [{"name": name, "data": base64.b64encode(data).decode()} for name, data in files.items()]
    question = {"command": "page", "files": given, "identity": "", "confirmed": confirmed, "heads": []}
    folder = PROGRAM.parents[1]
    ended = subprocess.run(
        ["node", folder / "Evidence/core.mjs", folder.parents[1] / "verifier/core"], input=json.dumps(question) + "\n",
        capture_output=True, text=True, check=True)
    told = json.loads(ended.stdout)
    assert "answer" in told, told
    return told["answer"]
