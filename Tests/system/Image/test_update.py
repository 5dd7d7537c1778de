# SPDX-License-Identifier: Apache-2.0
"""Updates of a card: a good one, one that does not work, and power cuts. BUNDLE is the bundle beside the image."""

import json
import os
import random
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from machine import Machine
from card import copied, mtools
from test_image import BOOT, is_idle, records, sign, started

pytestmark = pytest.mark.long

TOP = Path(__file__).parents[3]
BUNDLE = Path(os.environ.get("BUNDLE", TOP / "out/inkpanel-pc.raucb"))
KEYS = Path(os.environ.get("UPDATE_KEYS", TOP / ".build/image/update"))
PLAYBOOK = os.environ.get("ANSIBLE_PLAYBOOK", TOP / ".build/ansible/bin/ansible-playbook")
INSTALL = 1200  # seconds: the root has most of a gigabyte, which an emulated processor reads three times


def run(*words, **options) -> str:
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True, **options).stdout


def signed(folder: Path, output: Path, keys: Path = KEYS) -> Path:
    run(
        "rauc", f"--cert={keys}/certificate.pem", f"--key={keys}/key.pem", f"--keyring={keys}/authority.pem",
        "--mksquashfs-args=-quiet -no-progress -noD", "bundle", folder, output)
    return output


@pytest.fixture(scope="module")
def bundles(tmp_path_factory) -> dict[str, Path]:
    """Bundles by what they are, and the version that each has."""
    folder = tmp_path_factory.mktemp("bundles")
    content = folder / "content"
    run("rauc", f"--keyring={KEYS}/authority.pem", "extract", BUNDLE, content)
    manifest = (content / "manifest.raucm").read_text()
    version = next(line for line in manifest.splitlines() if line.startswith("version="))
    # rauc adds digests and adaptive data itself.
    plain = manifest[:manifest.index("[image.root]")].split("verity-")[0]
    plain = "\n".join(line for line in plain.splitlines() if not line.startswith("verity-"))
    for index in content.glob("*.block-hash-index"):
        index.unlink()

    def make(name: str, replaced: dict[str, str], keys: Path = KEYS) -> Path:
        text = f"{plain}\n[image.root]\nfilename=root.img\nhooks=post-install\n"
        for old, new in replaced.items():
            assert old in text, (old, text)
            text = text.replace(old, new)
        (content / "manifest.raucm").write_text(text)
        return signed(content, folder / f"{name}.raucb", keys)

    made = {
        "newer": make("newer", {version: "version=9.0"}), "older": make("older", {version: "version=0.0.1"}),
        "other": make("other", {version: "version=9.3", "compatible=inkpanel-pc": "compatible=inkpanel-pi"})}
    stranger = folder / "stranger"
    shutil.copytree(KEYS, stranger)
    names = ["-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=Inkpanel updates"]
    run("openssl", "req", "-x509", *names, "-keyout", stranger / "key.pem", "-out", stranger / "certificate.pem")
    shutil.copy(stranger / "certificate.pem", stranger / "authority.pem")
    made["foreign"] = make("foreign", {version: "version=9.1"}, stranger)
    # A root that the kernel cannot mount.
    (content / "root.img").unlink()
    (content / "root.img").write_bytes(b"\xa5" * (4 << 20))
    made["broken"] = make("broken", {version: "version=9.2"})
    shutil.rmtree(content)
    made["same"] = folder / "same.raucb"
    shutil.copy(BUNDLE, made["same"])
    made["plain"] = folder / "plain.raucb"
    run("mksquashfs", TOP / "image", made["plain"], "-quiet", "-no-progress")
    return made


@pytest.fixture
def disk(bundles, tmp_path) -> Path:
    """A second disk with the bundles."""
    path = tmp_path / "bundles"
    folder = tmp_path / "files"
    folder.mkdir()
    for bundle in bundles.values():
        os.link(bundle, folder / bundle.name)
    # A tenth for what the file system needs itself.
    size = sum(bundle.stat().st_size for bundle in bundles.values()) * 11 // 10 // (1 << 20) + 64
    run("mkfs.ext4", "-q", "-m", "0", "-O", "^has_journal", "-d", folder, path, f"{size}M")
    return path


def machine_with(folder: Path, card: Path, disk: Path) -> Machine:
    machine = Machine(folder, card)
    machine.command += [
        "-drive", f"file={disk},if=none,id=bundles,format=raw,readonly=on", "-device", "virtio-blk-pci,drive=bundles"]
    return machine


def ready(machine: Machine) -> None:
    started(machine)
    machine.output("mkdir -p /run/bundles && mount -o ro /dev/vda /run/bundles")


def root_of(machine: Machine) -> str:
    return machine.output("/usr/lib/inkpanel/image/boot-entry get-current")


def install(machine: Machine, name: str, *more: str) -> str:
    return machine.output(f"inkpanel-update --no-restart {' '.join(more)} /run/bundles/{name}.raucb 2>&1", INSTALL)


def serve(machine: Machine) -> str:
    """The address of a server with the bundles, whose certificate the machine does not trust yet."""
    machine.output(
        "cd /run && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=localhost "
        "-addext subjectAltName=DNS:localhost -keyout server.key -out server.crt 2>&1")
    machine.run(
        "(cd /run/bundles && exec openssl s_server -accept 4443 -key /run/server.key -cert /run/server.crt -WWW "
        ">/dev/null 2>&1) &")
    machine.wait_for("ss -Hltn 'sport = :4443'", "4443", 120)
    return "https://localhost:4443"


@pytest.fixture
def card(image, tmp_path) -> Path:
    path = tmp_path / "card"
    subprocess.run(["cp", "--sparse=always", str(image), str(path)], check=True)
    return path


def test_an_update_is_installed_and_one_that_does_not_work_is_left(card, disk, tmp_path):
    with machine_with(tmp_path / "machine", card, disk) as machine:
        ready(machine)
        machine.wait_for_screen(is_idle, BOOT)
        id, _ = sign(machine, "4711")
        for name, word in (("foreign", "signed"), ("plain", "signed"), ("other", "inkpanel-pi"), ("older", "older")):
            status, said = machine.run(f"inkpanel-update --no-restart /run/bundles/{name}.raucb 2>&1", INSTALL)
            assert status != 0 and word in said, said
        assert root_of(machine) == "a"
        address = serve(machine)
        status, said = machine.run(f"inkpanel-update --no-restart {address}/newer.raucb 2>&1", INSTALL)
        assert status != 0 and "cannot be read" in said and "certificate" in said, said
        machine.output("cat /run/server.crt >>/etc/ssl/certs/ca-certificates.crt")
        assert "installing 9.0" in machine.output(f"inkpanel-update --no-restart {address}/newer.raucb 2>&1", INSTALL)
        assert "bundle" not in machine.output("ls /data/update")
        # It restarts by itself when nobody signs.
        machine.output("systemctl poweroff")
        machine.process.wait(300)
    with machine_with(tmp_path / "machine", card, disk) as machine:
        ready(machine)
        machine.wait_for_screen(is_idle, BOOT)
        assert root_of(machine) == "b"
        # It is counted as good, and the kernel does not write the partition any more.
        machine.wait_for("ls /boot/loader/entries | grep -q + || echo blessed", "blessed", BOOT)
        assert "+" not in machine.output("ls /boot/loader/entries")
        assert "rw" not in machine.output("findmnt -no OPTIONS /boot").split(",")
        assert records(machine) == [id]
        second, _ = sign(machine, "4712")
        assert "installing 9.2" in install(machine, "broken")
        assert machine.output("/usr/lib/inkpanel/image/boot-entry get-primary") == "a"
        machine.output("systemctl reboot")
        # The new root cannot be mounted: each try ends in a panic, and the third is the last.
        machine.buffer = b""
        ready(machine)
        assert root_of(machine) == "b"
        assert "The update 9.2 did not work." in machine.output("journalctl -b -o cat -u inkpanel-updated")
        assert "The update 9.2 did not work." in machine.output("cat /run/inkpanel-image/notice")
        assert records(machine) == [second, id]
        machine.screen().save(tmp_path / "left.png")
    assert "+0-3" in mtools(card, "mdir", "-b", "::/loader/entries")


def test_ansible_updates_a_card_and_says_if_the_old_system_is_back(image, disk, tmp_path):
    key = tmp_path / "key"
    run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key)
    card = copied(image, tmp_path, f'[machine]\nssh-keys = ["{key.with_suffix(".pub").read_text().strip()}"]\n')
    with machine_with(tmp_path / "machine", card, disk) as machine:
        (tmp_path / "inventory.json").write_text(json.dumps({"cards": {"hosts": {"card-1": {
            "ansible_host": "127.0.0.1", "ansible_port": machine.ssh, "ansible_user": "root",
            "ansible_ssh_private_key_file": str(key), "ansible_ssh_common_args":
                "-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o ConnectTimeout=60"}}}}))

        def play(bundle: str) -> subprocess.CompletedProcess:
            return subprocess.run(
                [PLAYBOOK, "-i", tmp_path / "inventory.json", TOP / "deploy/ansible/cards.yml", "-e",
                 f"bundle=/run/bundles/{bundle}.raucb", "-e", "minutes=60"], capture_output=True, text=True,
                check=False, env={**os.environ, "ANSIBLE_LOCALHOST_WARNING": "false", "ANSIBLE_TIMEOUT": "60"})

        # The second disk is mounted again at each start.
        unit = "[Mount]\nWhat=/dev/vda\nWhere=/run/bundles\nOptions=ro\n[Install]\nWantedBy=local-fs.target\n"
        started(machine)
        machine.output(
            f"printf '{unit}' >/etc/systemd/system/run-bundles.mount && systemctl enable --now run-bundles.mount 2>&1")
        machine.wait_for("systemctl is-active ssh", "active", BOOT)
        for bundle, root, said in (("newer", "b", "failed=0"), ("broken", "b", "has its old system again")):
            machine.buffer = b""
            done = play(bundle)
            (tmp_path / f"{bundle}.log").write_text(done.stdout + done.stderr)
            assert said in done.stdout and (done.returncode == 0) == (bundle == "newer"), done.stdout + done.stderr
            started(machine)
            assert root_of(machine) == root
        # The card runs this version already.
        done = play("same")
        assert done.returncode == 0 and "changed=0" in done.stdout, done.stdout + done.stderr


# What an update has done when the power goes: RAUC takes the other root's entry away and writes the root, the hook writes
# its kernel, boot-entry its entry.
CUTS = [
    "grep -q installing /run/update", "! ls /boot/loader/entries | grep -q inkpanel-OTHER",
    "test -e /boot/loader/entries/inkpanel-OTHER+3.conf"]


def test_a_power_cut_during_an_update_leaves_a_system_that_signs(card, disk, tmp_path):
    for number, condition in enumerate(CUTS):
        with machine_with(tmp_path / "machine", card, disk) as machine:
            ready(machine)
            machine.wait_for_screen(is_idle, BOOT)
            sign(machine, str(4713 + number))
            other = "b" if root_of(machine) == "a" else "a"
            machine.run("inkpanel-update --downgrade --no-restart /run/bundles/newer.raucb >/run/update 2>&1 &")
            machine.wait_for(f"{condition.replace('OTHER', other)} && echo reached", "reached", INSTALL)
            time.sleep(random.Random(number).uniform(0, 3))
            machine.cut()
    with machine_with(tmp_path / "machine", card, disk) as machine:
        ready(machine)
        # The last cut came when the new system had been chosen.
        assert root_of(machine) == other
        machine.wait_for_screen(is_idle, BOOT)
        assert len(records(machine)) == len(CUTS)
        install(machine, "newer", "--downgrade")
