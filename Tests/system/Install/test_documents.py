# SPDX-License-Identifier: Apache-2.0
"""The package inkpanel-document on a Debian of its own: its units under systemd, and a contract that is signed."""

import re
import subprocess

from harness.areas import areas
from harness.handwriting import signature
from harness.image import Box
from harness.page import ACCEPT, LEAST, Page
from harness.panel import SHARE
from installed import PROGRAM, InstalledPanel
from test_install import DPKG_SECONDS, QUIET, is_page

SOCKET = "inkpanel-document.socket"
# Of systemd-analyze security, on a scale to 10.
MOST_EXPOSURE = 0.5
CONTRACT = "/var/tmp/contract.pdf"


def contract() -> bytes:
    """Two pages with a text each."""
    texts = [b"Rental agreement", b"Signature of the customer"]
    contents = [b"BT /F 14 Tf 70 150 Td (%s) Tj ET" % text for text in texts]
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [ 3 0 R 4 0 R ] /Count 2 >>",
        *[b"<< /Type /Page /Parent 2 0 R /MediaBox [ 0 0 595 842 ] /Contents %d 0 R"
          b" /Resources << /Font << /F 7 0 R >> >> >>" % number for number in (5, 6)],
        *[b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content) for content in contents],
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    file, places = b"%PDF-1.4\n", []
    for number, text in enumerate(objects, 1):
        places.append(len(file))
        file += b"%d 0 obj\n%s\nendobj\n" % (number, text)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return file + b"xref\n0 8\n0000000000 65535 f \n" + table + (
        b"trailer\n<< /Size 8 /Root 1 0 R /ID [ <61> <61> ] >>\nstartxref\n%d\n%%%%EOF\n" % len(file))


class Person:
    """Touches what the pad asks for, found in the picture of the screen."""

    def __init__(self, panel):
        self.panel, self.touch = panel, panel.touchscreen(*panel.size)
        self.swipes = 0
        self.pages: list[str] = []

    def tap(self, box: Box) -> None:
        self.touch.tap(*map(round, box.centre))

    def primary(self, picture) -> Box | None:
        return max(areas(picture, ACCEPT, LEAST), key=lambda box: box.top, default=None)

    def act(self) -> None:
        found = re.search(r"^page +(\w+)$", self.panel.run(PROGRAM, "status"), re.M)
        name = found[1] if found else ""
        if not self.pages or self.pages[-1] != name:
            self.pages.append(name)
        if name not in ("reading", "question", "handOver", "signing"):
            return
        picture = self.panel.screendump(1)
        if name == "signing":
            if (page := Page(picture)).card:
                self.sign(page)
            return
        button = self.primary(picture)
        if button is None:
            return
        if name == "reading" and self.swipes < 3:
            self.swipes += 1
            middle, height = self.panel.size[0] // 2, button.top
            self.touch.stroke([(middle, height * 3 // 4 - step * height // 40) for step in range(20)], hz=60)
            return
        if name == "question":
            # The row has a border, the rest of the column none.
            background, x = picture.pixel(0, 0), self.panel.size[0] * 3 // 4
            rows = [y for y in range(picture.height // 10, button.top) if picture.pixel(x, y) != background]
            self.touch.tap(x, (rows[0] + rows[-1]) // 2)
            self.panel.sleep(1)
        self.tap(button)

    def sign(self, page: Page) -> None:
        line, below = page.line, page.card.bottom - page.line.bottom
        place = Box(line.left + 20, line.top - 2 * below, line.right - 20, line.top)
        start, frames = 0.0, []
        for stroke in signature(place):
            frames += self.touch.stroke_frames(stroke, hz=125, start=start)
            start = frames[-1][0] + 0.01
        self.touch.frames(
            [[seconds, [[*each[:2], round(each[2])] for each in events]] for seconds, events in frames])
        self.panel.sleep(1)
        self.tap(page.accept)


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

        panel.screen_when(is_page, within=60)
        person = Person(panel)
        host = panel.start(
            PROGRAM, "capture", "--document", CONTRACT, "--prompt", "Rental agreement", "--person",
            "Customer: Anna Customer", "--witness", "Witness: Ben Witness", "--field",
            "person=Customer offset=0,-60 anchor=Signature of the customer", "--field",
            "person=Witness page=2 rect=320,90,480,140", "--field",
            "kind=initials person=Customer page=1 rect=440,50,520,80", "--question", "check news required: News by mail?",
            "--see-all-pages", "--caption", "--output", str(SHARE / "signed.pdf"), tty=None)
        for _ in range(150):
            if panel.machine.ask("wait", 1, program=host.number, seconds=0) is not None:
                break
            person.act()
            panel.sleep(0.7)
        assert host.wait(60) == 0, f"{host.log}\n{person.pages}"
        assert {"reading", "question", "signing", "handOver"} <= set(person.pages)
        signed = panel.machine.share / "signed.pdf"
        assert signed.read_bytes().startswith(contract())
        told = subprocess.run(["pdfsig", signed], capture_output=True, text=True).stdout
        assert told.count("Signature is Valid") == 2 and "Total document signed" in told, told
