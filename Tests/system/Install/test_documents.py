# SPDX-License-Identifier: Apache-2.0
"""The package inkpanel-document on a Debian of its own: its units under systemd, and a contract that is signed."""

import re
import subprocess

from harness.panel import SHARE
from installed import PROGRAM, InstalledPanel
from test_install import DPKG_SECONDS, QUIET, is_page, take_signature

SOCKET = "inkpanel-document.socket"
# Of systemd-analyze security, on a scale to 10.
MOST_EXPOSURE = 0.5
CONTRACT = "/var/tmp/contract.pdf"


def contract() -> bytes:
    """A page with a text."""
    content = b"BT /F 14 Tf 70 150 Td (Signature of the customer) Tj ET"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [ 3 0 R ] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [ 0 0 595 842 ] /Contents 4 0 R"
        b" /Resources << /Font << /F 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    file, places = b"%PDF-1.4\n", []
    for number, text in enumerate(objects, 1):
        places.append(len(file))
        file += b"%d 0 obj\n%s\nendobj\n" % (number, text)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return file + b"xref\n0 6\n0000000000 65535 f \n" + table + (
        b"trailer\n<< /Size 6 /Root 1 0 R /ID [ <61> <61> ] >>\nstartxref\n%d\n%%%%EOF\n" % len(file))


def test_a_contract_is_signed_on_the_panel(deb, document_deb, tmp_path):
    with InstalledPanel(deb, [document_deb]) as panel:
        panel.working()
        said = panel.run(
            "/usr/bin/dpkg", "--install", f"/run/host{document_deb}", env=QUIET, within=DPKG_SECONDS)
        assert not re.search("warning|error|fail", said, re.I), said
        assert panel.properties(SOCKET, "ActiveState") == {"ActiveState": "active"}
        exposure = panel.run(
            "/usr/bin/systemd-analyze", "security", "--no-pager", "inkpanel-document@0.service")
        assert float(exposure.splitlines()[-1].split(":")[1].split()[0]) <= MOST_EXPOSURE, exposure
        panel.write_file(CONTRACT, contract().decode())
        assert "595 x 842" in panel.run(PROGRAM, "document", "inspect", CONTRACT, within=120)
        panel.run(PROGRAM, "document", "render", CONTRACT, "--output", str(SHARE / "page.png"), within=120)
        assert (panel.machine.share / "page.png").read_bytes().startswith(b"\x89PNG")
        panel.write_file("/var/tmp/no.pdf", "no document")
        refused = panel.start(PROGRAM, "document", "inspect", "/var/tmp/no.pdf", tty=None)
        assert refused.wait(120) == 65 and "damaged" in refused.log
        # Nothing is left of the processes.
        units = panel.run("/usr/bin/systemctl", "list-units", "--plain", "--no-legend", "inkpanel-document@*")
        assert units.strip() == ""

        touch = panel.touchscreen(*panel.size)
        panel.screen_when(is_page, within=60)
        take_signature(
            panel, touch, "Rental agreement", "--document", CONTRACT, "--field",
            "offset=0,-60 anchor=Signature of the customer", "--signer", "Anna Customer", "--caption",
            output=str(SHARE / "signed.pdf"))
        signed = panel.machine.share / "signed.pdf"
        assert signed.read_bytes().startswith(contract())
        told = subprocess.run(["pdfsig", signed], capture_output=True, text=True).stdout
        assert "Signature is Valid" in told and "Total document signed" in told, told
