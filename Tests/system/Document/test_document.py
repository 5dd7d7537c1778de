# SPDX-License-Identifier: Apache-2.0
"""inkpanel-document with files that other programs wrote."""

import io
import json
import socket
import subprocess
import time
import unicodedata

import pikepdf
import pytest
from conftest import A4, PROGRAM, ask, facts, one_page, pixel, stream
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen import canvas


def test_a_form_is_read_as_it_was_written(contract):
    told = facts(contract)
    assert told["pages"] == [{"width": A4[0], "height": A4[1]}] * 2
    fields = {(field["name"], field.get("choices", [""])[0]): field for field in told["fields"]}
    assert {key: field["kind"] for key, field in fields.items()} == {
        ("consent", "Yes"): "check", ("kind", "a"): "radio", ("kind", "b"): "radio", ("mail", ""): "text"}
    assert fields["consent", "Yes"]["rectangle"] == {"minX": 100, "minY": 600, "maxX": 120, "maxY": 620}
    assert fields["consent", "Yes"]["label"] == "I agree" and fields["mail", ""]["value"] == "x@y"
    assert told["missingFonts"] == ["Helvetica"] and told["warnings"] == ["fontsNotEmbedded"]


@pytest.mark.parametrize("options", [
    {"linearize": True}, {"object_stream_mode": pikepdf.ObjectStreamMode.generate},
    {"object_stream_mode": pikepdf.ObjectStreamMode.disable}, {"qdf": True}])
def test_every_kind_of_file_has_the_same_facts(contract, options):
    file = io.BytesIO()
    with pikepdf.open(io.BytesIO(contract)) as document:
        document.save(file, **options)
    assert facts(file.getvalue()) == facts(contract)


def test_encrypted_files_are_refused(contract):
    for user in ("", "word"):
        file = io.BytesIO()
        with pikepdf.open(io.BytesIO(contract)) as document:
            document.save(file, encryption=pikepdf.Encryption(owner="other", user=user))
        assert ask(file.getvalue(), {"do": "inspect"}).error == "encrypted"


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_places_pictures_and_fields_agree_on_turned_pages(contract, rotation):
    """A mark that is drawn where a field is: the picture has it where the facts say."""
    with pikepdf.open(io.BytesIO(contract)) as document:
        page = document.pages[1]
        page.Rotate, page.UserUnit = rotation, 2
        page.CropBox = pikepdf.Array([50, 60, 500, 800])
        widget = document.make_indirect(pikepdf.Dictionary(
            Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Widget, FT=pikepdf.Name.Sig, T="mark", F=4,
            Rect=[200, 300, 300, 350]))
        page.Annots = pikepdf.Array([widget])
        document.Root.AcroForm.Fields.append(widget)
        file = io.BytesIO()
        document.save(file)
    told = facts(file.getvalue())
    size = told["pages"][1]
    assert sorted(size.values()) == [900, 1480]
    width, height = int(size["width"]), int(size["height"])
    picture = ask(file.getvalue(), {"do": "render", "page": 2, "width": width, "height": height})
    assert picture.body.startswith(b"P6\n%d %d\n255\n" % (width, height))
    field = next(field for field in told["fields"] if field["name"] == "mark")["rectangle"]
    assert sorted((field["maxX"] - field["minX"], field["maxY"] - field["minY"])) == [100, 200]
    for inside, expected in ((2, (255, 0, 0)), (-3, (255, 255, 255))):
        corners = [
            (x, y) for x in (field["minX"] + inside, field["maxX"] - inside - 1)
            for y in (field["minY"] + inside, field["maxY"] - inside - 1)]
        for x, y in corners:
            assert pixel(picture.body, width, int(x), int(height - y - 1)) == expected, (x, y)


def test_a_part_is_the_same_as_in_the_whole_page(contract):
    whole = ask(contract, {"do": "render", "page": 2, "width": 620, "height": 877}).body
    part = ask(contract, {"do": "render", "page": 2, "width": 620, "height": 877, "crop": [60, 500, 300, 200]}).body
    assert part.startswith(b"P6\n300 200\n255\n") and len(part) == 15 + 3 * 300 * 200
    for x, y in ((0, 0), (299, 199), (148, 12), (150, 40)):
        assert pixel(part, 300, x, y) == pixel(whole, 620, x + 60, y + 500)
    large = ask(contract, {"do": "render", "page": 2, "width": 6200, "height": 8770, "crop": [600, 5000, 800, 600]})
    assert large.error is None and large.seconds < 3


def test_the_same_page_has_the_same_bytes_in_and_out_of_the_sandbox(contract):
    request = {"do": "render", "page": 1, "width": 620, "height": 877}
    first = ask(contract, request)
    assert first.error is None and len(set(first.body)) > 10
    assert ask(contract, request).body == first.body
    boxed = ask(contract, request, boxed=True)
    assert (boxed.status, boxed.body) == (0, first.body)


def test_texts_are_found_where_they_are(contract):
    def find(text):
        return json.loads(ask(contract, {"do": "find", "text": text}).body)["hits"]

    [[page, left, bottom, right, top]] = find("sign  here:")
    assert page == 1 and 139 < left < 141 and 695 < bottom < 700 < top < 712 and right < 200
    assert [hit[0] for hit in find("& <three>")] == [2]
    assert find("nowhere") == [] and find("now two") == []


pdfmetrics.registerFont(TTFont("DejaVu", "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"))


def page_of(*lines, angle=0, shift=0):
    """A page of lines, turned by an angle; drawn again beside it, as for a shadow."""
    file = io.BytesIO()
    page = canvas.Canvas(file, pagesize=A4, invariant=1)
    page.translate(300, 400)
    page.rotate(angle)
    page.setFont("DejaVu", 12)
    for place in {0, shift}:
        for number, line in enumerate(lines):
            page.drawString(place, place - 15 * number, line)
    page.save()
    return file.getvalue()


@pytest.mark.parametrize("document, wanted", [
    (page_of(unicodedata.normalize("NFD", "Unterschrift für Käufer:")), "Unterschrift für Käufer:"),
    (page_of("Sig\u200bnature of cus\u200btomer"), "Signature of customer"),
    (page_of("E\u2011Mail\u2010Adresse"), "E-Mail-Adresse"),
    (page_of("the tenant\u2019s \u201cmark\u201d"), "the tenant's \"mark\""),
    (page_of("\ufb01nal o\ufb03ce"), "final office"),
    (page_of("חתימת הלקוח"[::-1]), "חתימת הלקוח"),
    (page_of("12/34 :" + "חתימת הלקוח"[::-1] + " here"), "חתימת הלקוח"),
    (page_of("توقيع العميل"[::-1]), "توقيع العميل"),
    (page_of("\ufe97\ufeee\ufed7\ufef4\ufeca"[::-1]), "توقيع"),
    (page_of("Please give the signature of", "the customer: here"), "signature of the customer:"),
    (page_of("Bitte die Unter-", "schrift leisten"), "Unterschrift leisten"),
    (page_of("Bitte die E-Mail-", "Adresse nennen"), "E-Mail-Adresse"),
    (page_of("Signature of", "the tenant: x", angle=90), "Signature of the tenant:"),
    *[(page_of("Signature of the tenant:", angle=angle), "Signature of the tenant:")
      for angle in (90, 180, 270, 5, 30)],
    (page_of("Signature of the tenant:", shift=0.5), "Signature of the tenant:"),
    (page_of("S i g n a t u r e"), "Signature"),
])
def test_a_text_is_found_as_people_read_it(document, wanted):
    found = json.loads(ask(document, {"do": "find", "text": wanted}).body)
    assert len(found["hits"]) == 1, found


def test_a_turned_text_is_where_it_is_drawn():
    text = "Signature of the tenant:"
    [[_, left, bottom, right, top]] = json.loads(
        ask(page_of(text, angle=90), {"do": "find", "text": text}).body)["hits"]
    assert 285 < left < right < 310 and abs(bottom - 400) < 1 and 530 < top < 560


def test_the_nearest_texts_are_told_of_one_that_is_not_there(contract):
    document = page_of("Signature of the tenant:", "Signature of the landlord:")
    told = json.loads(ask(document, {"do": "find", "text": "signature of tenant"}).body)
    assert told["hits"] == [] and told["near"][0].startswith("Signature of the tenant")
    assert json.loads(ask(contract, {"do": "find", "text": "zzz"}).body) == {"hits": [], "near": []}


def test_a_long_page_of_one_text_does_not_take_long():
    document = page_of(*["ab- " * 60] * 50)
    answer = ask(document, {"do": "find", "text": "ab- " * 200 + "c"})
    assert answer.error is None and answer.seconds < 8


def test_pages_that_are_not_there_are_named(contract):
    answer = ask(contract, {"do": "render", "page": 3, "width": 10, "height": 10})
    assert answer.error == "noPage" and "3" in answer.line["reason"]


def test_content_in_other_files_stays_there():
    """pdftoppm does not open a file that a stream names; it is told, too."""
    document = one_page(b"/X Do", stream(b"", b"/Type /XObject /Subtype /Form /BBox [ 0 0 9 9 ] /F (/etc/hostname)"),
                        resources=b"/XObject << /X 5 0 R >>")
    assert facts(document)["warnings"] == ["externalStream"]
    empty = one_page(b"")
    size = {"do": "render", "page": 1, "width": 60, "height": 84}
    assert ask(document, size).body == ask(empty, size).body != b""


def test_help_and_version_are_told_and_a_terminal_is_not_waited_for():
    def said(*words, **options):
        return subprocess.run([PROGRAM, *words], capture_output=True, text=True, **options)

    assert said("--version").stdout.strip() == "0.1.0" and "Usage: inkpanel-document" in said("--help").stdout
    for words in (["--what"], ["--seconds"], ["--seconds", "0"], ["a", "b"]):
        done = said(*words, stdin=subprocess.DEVNULL)
        assert done.returncode == 64 and "--help" in done.stderr


def test_a_socket_starts_a_program_for_each_connection(contract, tmp_path):
    """As inkpanel-document.socket does it."""
    path = tmp_path / "document.sock"
    with subprocess.Popen(
            ["systemd-socket-activate", "--listen", str(path), "--accept", "--inetd", PROGRAM],
            stderr=subprocess.DEVNULL) as server:
        try:
            deadline = time.monotonic() + 10
            while not path.exists():
                assert time.monotonic() < deadline
                time.sleep(0.01)
            answers = []
            for _ in range(3):
                with socket.socket(socket.AF_UNIX) as peer:
                    peer.connect(str(path))
                    peer.sendall(b'{"do":"inspect","size":%d}\n' % len(contract) + contract)
                    answers.append(peer.makefile("rb").read())
            assert len(set(answers)) == 1 and answers[0].startswith(b'{"ok":true')
        finally:
            server.terminate()
