# SPDX-License-Identifier: Apache-2.0
"""The commands of docs/operate.md, one after another, on a Debian with all packages and a broker."""

import re

from guide import ELSEWHERE, TOP, commands
from installed import PROGRAM, InstalledPanel
from test_install import DPKG_SECONDS, QUIET, take_signature

BROKER = "/etc/mosquitto/inkpanel"
RECIPE = f"/run/host{TOP}/deploy/fleet/mosquitto"
SUBSTITUTES = {
    "mqtt.example.org": "127.0.0.1", "/media/usb/": "/root/", "CODE": "$CODE", " panel-12.crt": " fleet-ca/out/panel-12.crt",
    " panels-ca.crt": " fleet-ca/out/panels-ca.crt", "age1…": "$(age-keygen -y organisation.key)", "sudo ": ""}


class Shell:
    """One administrator, for the panel, the broker and the certificates, in root's home."""

    def __init__(self, panel):
        self.panel, self.code = panel, ""

    def __call__(self, command: str, status: int = 0) -> str:
        for old, new in SUBSTITUTES.items():
            command = command.replace(old, new)
        said = self.panel.run(
            "/bin/sh", "-c", f"cd /root && export CODE='{self.code}' && {{ {command}\n}} 2>&1; echo status $?",
            within=DPKG_SECONDS)
        said, ended = said.rsplit("status ", 1)
        assert int(ended) == status, f"{command}: {said}"
        return said


def broker(shell, panel):
    """What the administrator of the broker does with the files."""
    shell(f"mkdir -p {BROKER} && cp fleet-ca/out/broker/* {BROKER}")
    shell(f"cat {RECIPE}.acl erp.acl > {BROKER}/acl && chmod 600 {BROKER}/* && chown -R mosquitto: {BROKER}")
    shell(f"cp {RECIPE}.conf /etc/mosquitto/conf.d/inkpanel.conf")
    shell("systemctl unmask mosquitto && systemctl start mosquitto")


def test_the_commands_of_the_guide(deb, gateway_deb, fleet_deb):
    ran, told = [], {}
    with InstalledPanel(deb, [gateway_deb, fleet_deb]) as panel:
        panel.working()
        shell, touch = Shell(panel), panel.touchscreen(*panel.size)
        panel.run("/usr/bin/dpkg", "--install", f"/run/host{fleet_deb}", env=QUIET, within=DPKG_SECONDS)
        # Without a certificate it waits.
        assert panel.properties("inkpanel-fleet", "ActiveState") == {"ActiveState": "inactive"}

        def special(command: str) -> str | None:
            """What is more than a command."""
            if command.startswith("sudo apt install"):
                package = f"/run/host{deb}" if "VERSION" in command else "prometheus-node-exporter"
                return shell(f"apt-get install --yes --no-download {package}")
            if "setup kiosk" in command:
                # This Debian has neither ssh nor a time service, so two steps are blocked.
                return shell(command, 69)
            if command.startswith("inkpanel capture"):
                take_signature(panel, touch, "Sign here")
                return ""
            if command == "inkpanel-fleet-certificate host erp > erp.acl":
                said = shell(command)
                broker(shell, panel)
                return said
            if " invite " in command:
                shell.code = shell(f"{command} 2>/dev/null").strip()
                return shell.code
            if command == "sudo systemctl enable --now inkpanel-fleet":
                panel.make_folder("/etc/inkpanel/inkpanel.toml.d")
                panel.write_file("/etc/inkpanel/inkpanel.toml.d/70-fleet.toml", '[fleet]\nbroker = "127.0.0.1:8883"\n')
                return shell(command)
            if command == "inkpanel-fleet status":
                return shell("for i in $(seq 60); do inkpanel-fleet status && break; sleep 1; done")
            if command == "sudo inkpanel status --check":
                # No time service, again.
                return shell(command, 1)
            if command.startswith("inkpanel verify"):
                return shell("tar xf counter-7.tar && " + command)
            if "restore" in command:
                shell("systemctl stop inkpanel.socket inkpanel && mv /var/lib/inkpanel /root/broken")
                shell("systemd-tmpfiles --create")
                said = shell(command)
                shell("systemctl start inkpanel.socket inkpanel")
                panel.working()
                return said
            return shell(command)

        for command in commands():
            if command in ELSEWHERE:
                continue
            told[command] = special(command)
            ran.append(command)
        assert len(ran) > 25 and set(ran) | set(ELSEWHERE) == set(commands())
        assert "would change" in told["sudo inkpanel setup kiosk --dry-run"]
        assert re.search(r"connected\s+since", told["inkpanel-fleet status"]), told["inkpanel-fleet status"]
        assert re.search(r"panel answers\s+yes", told["inkpanel-fleet status"])
        assert "panel-12" in told["inkpanel-fleet-certificate list"]
        assert "inkpanel_ready 1" in told["inkpanel health"]
        checked = told["sudo inkpanel status --check"]
        assert re.findall(r"^wrong +(\S+)", checked, re.M) == ["clock"], checked
        assert re.search(r"^ok +fleet +127.0.0.1:8883: connected since", checked, re.M), checked
        # The process has the role of a fleet, and no more.
        journal = panel.run("/usr/bin/journalctl", "--no-pager", "--unit=inkpanel-fleet")
        assert "connected to 127.0.0.1:8883 as panel-12" in journal, journal
        exposed = shell("systemd-analyze security --no-pager inkpanel-fleet | tail -1")
        assert float(re.search(r"level for \S+ (\d+\.\d+)", exposed)[1]) <= 1.5, exposed
        # The renewed certificate, without a restart.
        process = panel.properties("inkpanel-fleet", "MainPID")
        shell("rm fleet-ca/invitations/panel-12")
        shell("inkpanel-fleet-certificate sign panel-12.txt && inkpanel-fleet-certificate install panel-12.crt")
        shell("systemctl reload inkpanel-fleet && sleep 2 && inkpanel-fleet status")
        assert panel.properties("inkpanel-fleet", "MainPID") == process
        panel.run("/usr/bin/dpkg", "--purge", "inkpanel-fleet", within=DPKG_SECONDS)
        assert not panel.glob("/var/lib/inkpanel-fleet") and panel.run(PROGRAM, "status")
