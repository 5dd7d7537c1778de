# SPDX-License-Identifier: Apache-2.0
"""A card in a PC: a person signs, the power goes, nothing is lost. Each boot takes minutes without KVM."""

import hashlib
import json
import os
import subprocess
import time

import pytest
from machine import Machine

from harness.handwriting import signature
from harness.image import Box, Image
from harness.page import BACKGROUND, Page

pytestmark = pytest.mark.long

INKPANEL = os.environ["INKPANEL"]
BOOT = 1800  # seconds, beside other work on two processors


def started(machine: Machine) -> None:
    machine.up(BOOT)
    end = time.monotonic() + BOOT
    while machine.run("systemctl is-active inkpanel.service")[1] != "active":
        assert time.monotonic() < end, machine.run("systemctl status inkpanel --no-pager; systemctl list-jobs")[1]
        time.sleep(2)


def settled(machine: Machine) -> Image:
    """The screen, once it stays the same."""
    return machine.wait_for_screen(lambda picture: True, 60)


def digest(picture: Image) -> str:
    return hashlib.sha256(b"P6\n%d %d\n255\n" % picture.size + picture.rgb).hexdigest()


def is_idle(picture: Image) -> bool:
    """Neither a console nor a fault's page, which has a sign in the colour of a banner."""
    return picture.pixel(3, 3) == BACKGROUND and Page(picture).card is None and Page(picture).banner is None


def has_prompt(picture: Image) -> bool:
    page = Page(picture)
    return page.card is not None and page.accept is not None


def place_to_sign(page: Page) -> Box:
    below = page.card.bottom - page.line.bottom
    inset = (page.line.right - page.line.left) // 8
    return Box(page.line.left + inset, page.line.top - int(2.4 * below), page.line.right - inset, page.line.top)


def write_and_accept(machine: Machine) -> Image:
    """A person signs with a finger, once they are asked to: the page as it was shown."""
    machine.wait_for_screen(has_prompt, 120)
    shown = settled(machine)
    page = Page(shown)
    for stroke in signature(place_to_sign(page)):
        machine.touch.stroke(stroke, rate=40)
    settled(machine)
    machine.touch.tap(*page.buttons["accept"].centre)
    return shown


def sign(machine: Machine, order: str) -> tuple[str, Image]:
    """A capture that a person accepts with a finger: its id, and the page as it was shown."""
    machine.run(
        f"(inkpanel capture --prompt 'Parcel received' --row Order={order} --signer 'Anna Müller' "
        "--output /run/signature.png >/run/capture 2>&1; echo status=$? >>/run/capture) &")
    shown = write_and_accept(machine)
    answer = machine.wait_for("cat /run/capture", "status=", 60)
    assert "status=0" in answer, answer
    return records(machine)[0], shown


def store(machine: Machine, folder) -> None:
    """Copies the records of the machine."""
    machine.output("tar -C /var/lib/inkpanel -czf /run/store.tgz .")
    folder.mkdir()
    subprocess.run(["tar", "-xz", "-C", str(folder)], input=machine.file("/run/store.tgz"), check=True)


def record(machine: Machine, id: str) -> list[dict]:
    machine.output(f"inkpanel export {id} --format record --output /run/record")
    return [json.loads(line) for line in machine.file("/run/record").splitlines()]


def records(machine: Machine) -> list[str]:
    """Newest first."""
    machine.output("inkpanel list --json >/run/list")
    return [capture["id"] for capture in json.loads(machine.file("/run/list"))["captures"]]


def ask_for_report(machine: Machine) -> None:
    """A finger rests in a corner of the idle page until the report is on the boot partition, which the page says."""
    machine.wait_for_screen(is_idle, 120)
    machine.touch.move({0: (3, 3)})
    machine.wait_for("cat /run/inkpanel-image/report", "Report", 300)
    machine.touch.lift(0)
    report = machine.wait_for("cat /boot/inkpanel-report.txt", "Report of inkpanel", 300)
    assert "== machine" in report and "ro" in machine.output("findmnt -no OPTIONS /boot").split(",")
    machine.wait_for("cat /run/inkpanel-image/report", "Report saved", 60)
    shown = settled(machine)
    shown.save(machine.folder / "report.png")
    machine.wait_for_screen(lambda picture: is_idle(picture) and picture != shown, 300)


@pytest.fixture(scope="module")
def signed(card, tmp_path_factory) -> dict:
    """The first boot, ended by a power cut as soon as the program has its answer."""
    folder = tmp_path_factory.mktemp("machine")
    with Machine(folder, card) as machine:
        started(machine)
        idle = machine.wait_for_screen(is_idle, 120)
        idle.save(folder / "idle.png")
        assert machine.touch.is_read.wait(60), "the touch screen is not read"
        id, shown = sign(machine, "4711")
        store(machine, folder / "store")
        state = {
            "signers": machine.output("inkpanel identity show --allowed-signers"), "folder": folder, "id": id, "shown": shown, "record": record(machine, id),
            "machine-id": machine.output("cat /etc/machine-id"),
            "ports": machine.output("ss -Hlntu | grep -vE '127[.]0[.]0[.]|\\[::1\\]' | awk '{print $1, $5}' | sort"),
            # Without the hardware: all that they need is there.
            "graphics": machine.run("modprobe -a i915 amdgpu; lsmod | grep -c -E '^(i915|amdgpu) '", 600)[1],
            "partitions": machine.output("lsblk -bnro PARTLABEL,SIZE /dev/sda"),
            "mounts": machine.output("cat /proc/mounts"),
            "key": machine.output("ls /etc/credstore.encrypted; ls /var/lib/inkpanel | grep key.pem; true"),
            "login": machine.output("grep -v ':[!*][^:]*:' /etc/shadow; systemctl is-active ssh; true"),
        }
        machine.cut()
    return state


def check_signed(signed: dict) -> None:
    """The record names the page that was shown, and the store is verified with the panel's line of allowed_signers."""
    end = signed["record"][-1]["end"]
    assert end["shown"]["page"] == digest(signed["shown"])
    (signed["folder"] / "signers").write_text(signed["signers"] + "\n")
    verified = subprocess.run(
        [INKPANEL, "verify", str(signed["folder"] / "store"), f"--allowed-signers={signed['folder'] / 'signers'}"],
        capture_output=True, text=True, check=False)
    assert verified.returncode == 0 and signed["id"] in verified.stdout, verified.stdout + verified.stderr


def test_a_finger_signs_and_the_record_names_what_was_shown(signed):
    check_signed(signed)


def test_the_drivers_of_screens_can_be_loaded(signed):
    assert signed["graphics"].splitlines()[-1] == "2", signed["graphics"]


def test_the_first_boot_makes_the_other_partitions(signed):
    sizes = dict(line.split() for line in signed["partitions"].splitlines() if len(line.split()) == 2)
    assert set(sizes) == {"inkpanel-boot", "inkpanel-a", "inkpanel-b", "inkpanel-data"}
    assert int(sizes["inkpanel-b"]) == 1 << 30
    assert int(sizes["inkpanel-data"]) > 4_000_000_000 - (2304 << 20) - (4 << 20)


def test_only_data_is_writable(signed):
    mounts = {line.split()[1]: line.split()[2:4] for line in signed["mounts"].splitlines()}
    assert mounts["/"][0] == "erofs" and mounts["/boot"][0] == "vfat" and mounts["/var"][0] == "ext4"
    assert all("ro" in mounts[path][1].split(",") for path in ("/", "/boot"))
    assert mounts["/etc"][0] == "overlay"


def test_only_the_gateway_listens_and_nobody_can_log_in(signed):
    # DHCP's own port is the client's.
    ports = {line.split()[1].rsplit(":", 1)[1] for line in signed["ports"].splitlines() if line.split()[0] == "tcp"}
    assert ports == {"8443"}, signed["ports"]
    assert signed["login"] == "inactive"


def test_the_key_is_encrypted(signed):
    assert signed["key"] == "inkpanel.key"


def test_what_was_accepted_is_there_after_a_power_cut(signed, card):
    with Machine(signed["folder"], card) as machine:
        started(machine)
        machine.wait_for_screen(is_idle, 120)
        assert records(machine) == [signed["id"]]
        assert machine.output("cat /etc/machine-id") == signed["machine-id"]
        assert record(machine, signed["id"]) == signed["record"]
        machine.wait_for("systemctl is-active inkpanel-web inkpanel-gateway | sort -u", "active", 120)
        machine.wait_for(
            "curl -sk https://localhost:8443/v1/health -o /dev/null -w 'status %{http_code}'", "status 401", 120)
        assert machine.output("systemctl --failed --no-legend --no-pager") == ""
        id, _ = sign(machine, "4712")
        assert records(machine) == [id, signed["id"]]
        ask_for_report(machine)
        machine.power_off()
