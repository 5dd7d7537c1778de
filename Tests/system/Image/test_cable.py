# SPDX-License-Identifier: Apache-2.0
"""A pad as the network card of a PC on a USB cable. The kernel's dummy_hcd is the cable: a device port and the USB host at
its other end, in one machine. What the host finds is put into a network of its own, which is the PC."""

import base64
import re
import time

import pytest
from card import copied
from machine import Machine
from test_image import digest, record, records, started, write_and_accept

from harness.page import BACKGROUND, Page

pytestmark = pytest.mark.long

SETTINGS = '[machine]\nname = "till-3"\ncable = "192.168.77.1/24"\n'
# What a DHCP client of busybox is told: the script's environment.
CLIENT = r"""#!/bin/sh
[ "$1" = bound ] || exit 0
ip address replace "$ip/$mask" dev "$interface"
ip link set "$interface" up
env | grep -E '^(ip|mask|router|dns|ntpsrv|domain|lease)=' >/run/lease
"""
# Asks for the address of till-3.local (RFC 1035, 4.1), and prints the answer.
QUESTION = r"""exec 3<>/dev/udp/192.168.77.1/5353
printf '\000\001\000\000\000\001\000\000\000\000\000\000\006till-3\005local\000\000\001\000\001' >&3
timeout 5 dd bs=512 count=1 <&3 2>/dev/null | od -An -v -tx1 | tr -d ' \n'
"""
PC = "ip netns exec pc"


def joined(machine: Machine) -> str:
    """Lets the PC join the network on the cable: what it was told."""
    # Its name comes from udev.
    name = machine.wait_for(
        "udevadm settle; ls -d /sys/class/net/*/device/driver | while read path; do case $(readlink $path) in */cdc_ncm) "
        "echo found $(basename $(dirname $(dirname $path)));; esac; done", "found ").split("found ")[1].split()[0]
    machine.output(f"ip link set {name} netns pc; {PC} ip link set {name} up")
    machine.wait_for("networkctl --no-legend list cable0", "routable")
    machine.output(f"{PC} busybox udhcpc -i {name} -s /run/client -n -q -f -t 30 -T 2", 300)
    return machine.output("cat /run/lease")


def test_a_pc_signs_by_a_cable(image, tmp_path):
    with Machine(tmp_path / "machine", copied(image, tmp_path, SETTINGS)) as machine:
        started(machine)
        # The port comes later than the service.
        machine.output("systemctl restart --no-block inkpanel-cable; sleep 2; modprobe dummy_hcd")
        for name, script in (("client", CLIENT), ("question", QUESTION)):
            machine.output(
                f"echo {base64.b64encode(script.encode()).decode()} | base64 -d >/run/{name}; chmod +x /run/{name}")
        machine.output("ip netns add pc; ip -n pc link set lo up")
        machine.wait_for("systemctl show -P SubState inkpanel-cable", "exited", 300)

        lease = dict(line.split("=", 1) for line in joined(machine).splitlines())
        assert lease["ip"].startswith("192.168.77.") and lease["mask"] == "24"
        assert not {"router", "dns", "ntpsrv"} & set(lease), "the PC keeps its own router and name servers"
        # Its descriptors, as Windows reads them.
        assert machine.output("cat /sys/kernel/config/usb_gadget/inkpanel/os_desc/qw_sign").startswith("MSFT100")
        assert "WINNCM" in machine.output(
            "cat /sys/kernel/config/usb_gadget/inkpanel/functions/ncm.0/os_desc/interface.ncm/compatible_id")
        # It is found by its name.
        answer = machine.wait_for(f"{PC} bash /run/question", "c0a84d01", 60)
        assert answer.startswith("0001")

        machine.wait_for("systemctl show -P SubState inkpanel-web inkpanel-gateway | sort -u", "running", 300)
        token = machine.output("inkpanel-gateway token add --name pc").split()[-1]
        machine.wait_for(
            f"{PC} curl -sk https://192.168.77.1:8443/v1/health -o /dev/null -w 'status %{{http_code}}'", "status 401")
        asked = machine.output(
            f"{PC} curl -sk https://192.168.77.1:8443/v1/captures -H 'Authorization: Bearer {token}' "
            "-H 'Content-Type: application/json' -H 'Idempotency-Key: cable-test-1' "
            "-d '{\"prompt\":[\"Parcel received\"]}' -o /run/answer -w '%{http_code}'")
        assert asked == "201", machine.output("cat /run/answer")
        shown = write_and_accept(machine)
        end = time.monotonic() + 60
        while not records(machine):
            assert time.monotonic() < end
            time.sleep(1)
        assert record(machine, records(machine)[0])[-1]["end"]["shown"]["page"] == digest(shown)

        # A restart of the service, and of the network below it, is the same network for the PC.
        first = machine.output("cat /sys/class/net/cable0/address")
        machine.output("systemctl restart inkpanel-cable", 300)
        assert machine.output("cat /sys/class/net/cable0/address") == first
        assert joined(machine).splitlines()[0].startswith("ip=192.168.77.")
        # Only where the cable is.
        named = re.findall(r"\((\w+)\): yes", machine.output("resolvectl mdns"))
        assert named == ["cable0"], "names are answered on the cable only"
        ports = machine.output("ss -Hlnu 'sport = 67 or sport = 5353' | awk '{print $4}' | sort -u").split()
        assert {port.rsplit(":", 1)[1] for port in ports} == {"67", "5353"}
        machine.output("systemctl stop inkpanel-cable")
        assert "cable0" not in machine.output("ls /sys/class/net")
        machine.power_off()


def test_a_machine_without_such_a_port_says_so(image, tmp_path):
    with Machine(tmp_path / "machine", copied(image, tmp_path, SETTINGS)) as machine:
        started(machine)
        machine.wait_for("cat /run/inkpanel-image/notice", "inkpanel.toml: this machine has no USB port for a cable", 300)
        machine.wait_for_screen(lambda picture: picture.pixel(3, 3) == BACKGROUND and Page(picture).card is None, 120)
        assert machine.output("systemctl is-active inkpanel") == "active"
        machine.power_off()
