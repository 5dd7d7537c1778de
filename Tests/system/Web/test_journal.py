# SPDX-License-Identifier: Apache-2.0
"""deploy/journal/nginx.conf before Debian's systemd-journal-remote, and systemd-journal-upload on a panel: without
systemd, with the options that its units have."""

import shutil
import subprocess
import time
from pathlib import Path

import pytest
from support.waiting import free_port, wait_for

TOP = Path(__file__).resolve().parents[3]
REMOTE, UPLOAD = "/lib/systemd/systemd-journal-remote", "/lib/systemd/systemd-journal-upload"


def run(*words, status: int = 0, **more) -> str:
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, **more)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


class Logs:
    """The machine that keeps logs, and a panel beside it."""

    def __init__(self, folder: Path):
        self.folder, self.kept, self.journal = folder, folder / "kept", folder / "journal"
        self.kept.mkdir()
        self.journal.mkdir()
        self.port, self.inner = free_port(), free_port()
        self.processes = []
        self.certify()
        recipe = (TOP / "deploy/journal/nginx.conf").read_text()
        for old, new in [("listen 19443", f"listen 127.0.0.1:{self.port}"),
                         ("127.0.0.1:19532;", f"127.0.0.1:{self.inner};"), ("/etc/inkpanel-logs", str(folder))]:
            assert old in recipe
            recipe = recipe.replace(old, new)
        scratch = "".join(
            f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        (folder / "nginx.conf").write_text(
            f"daemon off; pid {folder}/pid; error_log {folder}/errors;\nevents {{}}\n"
            f"http {{ access_log off;\n{scratch}{recipe}}}\n")
        self.start(REMOTE, f"--listen-http=127.0.0.1:{self.inner}", f"--output={self.kept}/")
        self.start(shutil.which("nginx", path="/usr/sbin:/usr/bin"), "-c", folder / "nginx.conf")

    def certify(self):
        """An authority, the server and a panel of it, and one that has made a certificate itself."""
        def openssl(*words):
            run("openssl", *words, cwd=self.folder)

        new = ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        openssl(*new, "-x509", "-days", "2", "-subj", "/CN=Logs", "-keyout", "ca.key", "-out", "ca.crt")
        openssl(*new, "-x509", "-days", "2", "-subj", "/CN=panel-12", "-keyout", "stranger.key", "-out", "stranger.crt")
        for name, subject in [("server", "localhost"), ("panel", "panel-12")]:
            openssl(*new, "-subj", f"/CN={subject}", "-keyout", f"{name}.key", "-out", f"{name}.csr")
            (self.folder / "names").write_text(f"subjectAltName=DNS:{subject}\n")
            openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial",
                    "-days", "2", "-extfile", "names", "-out", f"{name}.crt")

    def start(self, *words):
        self.processes.append(subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def write(self, number: int, *lines: str):
        """A file of the panel's journal."""
        entries = [
            f"__REALTIME_TIMESTAMP={1_796_000_000_000_000 + number * 1000 + place}\n"
            f"__MONOTONIC_TIMESTAMP={number + 1}\n"
            f"_BOOT_ID={'5d96b079' * 4}\n_HOSTNAME=panel-12\n_SYSTEMD_UNIT=inkpanel.service\nPRIORITY=4\n"
            f"SYSLOG_IDENTIFIER=inkpanel\nMESSAGE={line}\n\n" for place, line in enumerate(lines)]
        run(REMOTE, "--split-mode=none", "-o", self.journal / f"{number}.journal", "-", input="".join(entries))

    def upload(self, name: str = "panel", host: str = "localhost", status: int = 0) -> str:
        key, certificate = (f"{self.folder}/{name}.key", f"{self.folder}/{name}.crt") if name else ("-", "-")
        return run(
            UPLOAD, f"--url=https://{host}:{self.port}", f"--key={key}", f"--cert={certificate}",
            f"--trust={self.folder}/ca.crt", "--follow=no", "-D", self.journal, f"--save-state={self.folder}/state",
            status=status)

    def lines(self) -> list[str]:
        shown = subprocess.run(
            ["journalctl", "-q", "-D", self.kept, "-u", "inkpanel", "_HOSTNAME=panel-12", "-o", "cat"],
            capture_output=True, text=True)
        return shown.stdout.splitlines()

    def close(self):
        for process in self.processes:
            process.terminate()
            process.wait(10)


@pytest.fixture
def logs(tmp_path):
    logs = Logs(tmp_path)
    yield logs
    logs.close()


def test_lines_of_a_panel_arrive_also_those_of_when_it_was_offline(logs):
    logs.write(0, "records: the store is full", "records: captures can be recorded again")
    wait_for(lambda: "Failed to connect" not in attempt(logs))
    wait_for(lambda: len(logs.lines()) >= 2)
    nginx = logs.processes.pop()
    nginx.terminate()
    nginx.wait(10)
    logs.write(1, "the broker is away")
    assert "Failed to connect" in logs.upload(status=1)
    logs.start(shutil.which("nginx", path="/usr/sbin:/usr/bin"), "-c", logs.folder / "nginx.conf")
    wait_for(lambda: "Failed to connect" not in attempt(logs))
    wait_for(lambda: "the broker is away" in logs.lines())
    # The line at which the last upload ended may come again.
    assert sorted(set(logs.lines())) == sorted({
        "records: the store is full", "records: captures can be recorded again", "the broker is away"})


def attempt(logs) -> str:
    """nginx and the receiver need a moment to begin."""
    try:
        return logs.upload()
    except AssertionError as error:
        time.sleep(0.1)
        return "Failed to connect" + str(error)


def test_nobody_sends_without_a_certificate_of_the_authority(logs):
    logs.write(0, "a line")
    wait_for(lambda: "Failed to connect" not in attempt(logs))
    (logs.folder / "state").unlink()
    assert "No required SSL certificate" in logs.upload("", status=1)
    assert "SSL certificate error" in logs.upload("stranger", status=1)
    # Nor does a panel send to a machine whose name is not in its certificate.
    assert "SSL" in logs.upload(host="127.0.0.1", status=1)
    assert logs.lines() == ["a line"]
