# SPDX-License-Identifier: Apache-2.0
"""Fixtures: the sender as its unit starts it, an S3 server (moto) behind a proxy with faults, an SFTP server (sshd)."""

import getpass
import hashlib
import os
import random
import shlex
import shutil
import subprocess
import sys
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path

import boto3
import pytest
from faulty import Faulty
from support.waiting import free_port, listens, wait_for

UNIT = Path(__file__).parents[3] / "systemd/inkpanel-deliver.service"
PANEL = "panel-12"
BUCKET = "signatures"
SEED = 20260314


def wait_for_server(port: int, process: subprocess.Popen):
    def accepts() -> bool:
        assert process.poll() is None, "the server has ended"
        return listens(port)

    wait_for(accepts, 60, "the server")


def unit_settings() -> tuple[list[str], dict[str, str]]:
    """The command and the environment of the unit, with its specifiers."""
    text = UNIT.read_text().replace("\\\n", " ")
    values = [line.split("=", 1) for line in text.splitlines() if "=" in line and not line.startswith("#")]
    environment = dict(shlex.split(value)[0].split("=", 1) for name, value in values if name == "Environment")
    [command] = [value for name, value in values if name == "ExecStart"]
    return shlex.split(command), environment


@dataclass
class Sender:
    """inkpanel-deliver.service for one outbox and one `rclone.conf`."""

    folder: Path
    remotes: str
    changes: dict[str, str] = field(default_factory=dict)

    @property
    def outbox(self) -> Path:
        return self.folder / "outbox"

    def start(self) -> subprocess.Popen:
        command, environment = unit_settings()
        (self.folder / "rclone.conf").write_text(self.remotes)
        environment = {name: value.replace("%d", str(self.folder)).replace("%H", PANEL)
                       for name, value in environment.items()} | self.changes
        command = [word.replace("${PANEL}", environment["PANEL"]).replace("/var/lib/inkpanel/outbox", str(self.outbox))
                   for word in command]
        # rclone's own pauses are for stores on the Internet.
        return subprocess.Popen(
            command, env={"RCLONE_LOW_LEVEL_RETRIES": "1", "RCLONE_RETRIES": "1"} | environment, stdout=subprocess.DEVNULL,
            stderr=(self.folder / "log").open("a"), cwd="/")

    def run(self) -> int:
        return self.start().wait(timeout=300)

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text()

    def waiting(self) -> set[str]:
        return {str(path.relative_to(self.outbox)) for path in self.outbox.rglob("*") if path.is_file()}

    def fill(self, count: int) -> dict[str, str]:
        """As many records, and seals, as a panel links; their digests by their names."""
        numbers = random.Random(SEED)
        digests = {}
        for number in range(1, count + 1):
            name = f"20260314-150926-{number:016x}"
            for path, size in [(f"captures/{name}.jsonl.age", 60_000), (f"seals/{number:010}-{name}.seal", 700)]:
                data = numbers.randbytes(size)
                own = self.folder / path
                own.parent.mkdir(exist_ok=True)
                own.write_bytes(data)
                (self.outbox / path).parent.mkdir(parents=True, exist_ok=True)
                os.link(own, self.outbox / path)
                digests[path] = hashlib.sha256(data).hexdigest()
        return digests


@dataclass
class Store:
    """What the S3 server has, read without the proxy. moto does not look at digests: the tests do."""

    client: object
    proxy: Faulty
    remotes: str

    def digests(self) -> dict[str, str]:
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET)
        names = [item["Key"] for page in pages for item in page.get("Contents", [])]
        assert all(name.startswith(PANEL + "/") for name in names)
        return {name.removeprefix(PANEL + "/"): hashlib.sha256(self.read(name)).hexdigest() for name in names}

    def read(self, name: str) -> bytes:
        return self.client.get_object(Bucket=BUCKET, Key=name)["Body"].read()

    def versions(self) -> list[str]:
        """The name of each version and each deletion."""
        pages = self.client.get_paginator("list_object_versions").paginate(Bucket=BUCKET)
        return [item["Key"].removeprefix(PANEL + "/") for page in pages
                for item in page.get("Versions", []) + page.get("DeleteMarkers", [])]


@pytest.fixture(scope="session")
def s3_server(tmp_path_factory):
    port = free_port()
    log = (tmp_path_factory.mktemp("moto") / "log").open("w")
    server = subprocess.Popen(
        [str(Path(sys.executable).with_name("moto_server")), "-H", "127.0.0.1", "-p", str(port)], stdout=log,
        stderr=log)
    wait_for_server(port, server)
    yield port
    server.kill()
    server.wait()


@pytest.fixture
def store(s3_server):
    """An empty bucket that keeps all versions."""
    client = boto3.client(
        "s3", endpoint_url=f"http://127.0.0.1:{s3_server}", aws_access_key_id="a", aws_secret_access_key="b",
        region_name="us-east-1")
    reset = urllib.request.Request(f"http://127.0.0.1:{s3_server}/moto-api/reset", method="POST")
    urllib.request.urlopen(reset, timeout=30).close()
    client.create_bucket(Bucket=BUCKET)
    client.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"})
    proxy = Faulty(s3_server)
    yield Store(client, proxy, f"""
[store]
type = alias
remote = s3:{BUCKET}

[s3]
type = s3
provider = Other
endpoint = {proxy.url}
region = us-east-1
access_key_id = a
secret_access_key = b
""")
    proxy.stop()


@pytest.fixture
def sender(tmp_path, store) -> Sender:
    return Sender(tmp_path, store.remotes)


@pytest.fixture
def sftp(tmp_path):
    """The directory of an SFTP server, and `rclone.conf` for it."""
    def key(name: str) -> Path:
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / name], check=True)
        return tmp_path / name

    host, user, port = key("host"), key("user"), free_port()
    if os.geteuid() == 0:
        os.makedirs("/run/sshd", exist_ok=True)
    configuration = tmp_path / "sshd_config"
    configuration.write_text(f"""
Port {port}
ListenAddress 127.0.0.1
HostKey {host}
AuthorizedKeysFile {user}.pub
PermitRootLogin prohibit-password
StrictModes no
UsePAM no
PidFile none
MaxStartups 100
Subsystem sftp internal-sftp
""")
    (tmp_path / "known_hosts").write_text(f"[127.0.0.1]:{port} {host.with_suffix('.pub').read_text()}")
    server = subprocess.Popen(
        [shutil.which("sshd", path="/usr/sbin:/usr/bin"), "-D", "-f", configuration, "-E", tmp_path / "sshd.log"])
    wait_for_server(port, server)
    folder = tmp_path / "delivered"
    folder.mkdir()
    yield folder, f"""
[store]
type = alias
remote = sftp:{folder}

[sftp]
type = sftp
host = 127.0.0.1
port = {port}
user = {getpass.getuser()}
key_pem = {user.read_text().replace(chr(10), chr(92) + "n")}
known_hosts_file = {tmp_path / "known_hosts"}
shell_type = unix
md5sum_command = md5sum
"""
    server.kill()
    server.wait()
