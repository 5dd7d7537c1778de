# SPDX-License-Identifier: Apache-2.0
"""Two engines draw each page. A third, PDFium, says who is right about the pages that must be equal."""

import io
import json
import os
import resource
import subprocess
from pathlib import Path

import pypdfium2
import pytest
import reportlab
from conftest import A4, ask, one_page, raw_pdf, stream
from PIL import Image, ImageChops
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen import canvas
from support import breadth
from test_hostile import huge_image, nested_forms

INKPANEL = os.environ.get("INKPANEL", "inkpanel")
# The place of the text that is changed.
CHANGED = (60, 600, 400, 640)


def compare(document: bytes, page: int = 1, *, boxed: bool = False, within: tuple[str, ...] = ()) -> dict:
    answer = ask(document, {"do": "compare", "page": page}, boxed=boxed, within=within)
    assert answer.error is None and answer.line, answer
    return json.loads(answer.body)


def content(text: bytes, size: float, *, ink: bytes = b"0 g", font: bytes = b"H", more: bytes = b"") -> bytes:
    return b"BT /%s %g Tf %s 70.3 612.4 Td (%s) Tj ET %s\n" % (font, size, ink, text, more)


def letter(shown: bytes, read: bytes | None = None) -> bytes:
    """A page with the content `read`. If there is `shown`, too, poppler shows this in its place: the picture of a link,
    on white, which MuPDF does not draw."""
    fonts = (b"/Font << /H << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> "
             b"/T << /Type /Font /Subtype /Type1 /BaseFont /Times-Roman >> >>")
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [ 0 0 595 842 ] /Contents 4 0 R /Resources << %s >> %s >>"
    rows = b"".join(b"BT /H 9 Tf 70 %d Td (%d. The tenant pays by the third working day.) Tj ET\n" % (560 - 14 * n, n)
                    for n in range(12))
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Count 1 /Kids [ 3 0 R ] >>",
               page % (fonts, b"" if read is None else b"/Annots [ 5 0 R ]"),
               stream(rows + (shown if read is None else read))]
    if read is not None:
        box = b" ".join(b"%d" % edge for edge in CHANGED)
        white = b"1 g %d %d %d %d re f 0 g\n" % (*CHANGED[:2], CHANGED[2] - CHANGED[0], CHANGED[3] - CHANGED[1])
        objects += [
            b"<< /Type /Annot /Subtype /Link /Border [ 0 0 0 ] /F 4 /Rect [ %s ] /AP << /N 6 0 R >> >>" % box,
            stream(white + shown, b"/Type /XObject /Subtype /Form /BBox [ %s ] /Resources << %s >>" % (box, fonts))]
    return raw_pdf(*objects)


SIZES = (8, 9, 10, 12, 14)


def pair(change: str, size: float) -> tuple[bytes, bytes]:
    text = content(b"Rent 1,900.00 EUR, I do agree", size)
    return text, {
        "another digit": content(b"Rent 1,300.00 EUR, I do agree", size),
        "a digit more": content(b"Rent 11,900.00 EUR, I do agree", size),
        "a word more": content(b"Rent 1,900.00 EUR, I do not agree", size),
        "nothing": b"",
        "red for black": content(b"Rent 1,900.00 EUR, I do agree", size, ink=b"1 0 0 rg"),
        "struck through": content(
            b"Rent 1,900.00 EUR, I do agree", size,
            more=b"0.5 w 70 %g m 300 %g l S" % (612 + size / 4, 612 + size / 4)),
    }[change]


@pytest.mark.parametrize("change, size", breadth.pairs(
    ["another digit", "a digit more", "a word more", "nothing", "red for black", "struck through"], SIZES))
def test_a_page_that_other_readers_draw_differently_is_found(change, size):
    shown, read = pair(change, size)
    for one, other in ((shown, read), (read, shown)):
        found = compare(letter(one, other))
        assert found["differences"], change
        for place in found["differences"]:
            assert CHANGED[0] < place["minX"] < place["maxX"] < CHANGED[2], place
            assert CHANGED[1] < place["minY"] < place["maxY"] < CHANGED[3], place


@pytest.mark.parametrize("grey", [b"0.5 g", b"0.7 g", b"0.85 g"])
def test_a_digit_in_light_grey_counts_as_one_in_black_does(grey):
    one, other = (content(b"Rent %s EUR" % amount, 10, ink=grey) for amount in (b"1900", b"7900"))
    assert compare(letter(one, other))["differences"]
    assert not compare(letter(one, one))["differences"]


@pytest.mark.parametrize("font", [b"H", b"T"])
def test_texts_in_the_standard_fonts_are_drawn_alike(font):
    for size in breadth.some((6, 7, 8, 9, 10, 11, 12, 14, 18, 24, 36), 4):
        found = compare(letter(content(b"Rent 1,900.00 EUR, I do agree", size, font=font)))
        assert found["second"].startswith("mupdf ") and not found["differences"] and not found["complaints"], size


def drawn(document: bytes, *, second: bool) -> Image.Image:
    request = {"do": "render", "page": 1, "width": 1240, "height": 1754, **({"second": True} if second else {})}
    answer = ask(document, request)
    assert answer.error is None, answer
    return Image.open(io.BytesIO(answer.body)).convert("L")


def drawn_by_pdfium(document: bytes) -> Image.Image:
    page = pypdfium2.PdfDocument(document)[0]
    return page.render(scale=1240 / page.get_width()).to_pil().convert("L").resize((1240, 1754))


def blocks(one: Image.Image, other: Image.Image) -> int:
    """The greatest difference of two blocks of 16 pixels: coarse, so that any three engines agree on honest pages."""
    return ImageChops.difference(one.reduce(16), other.reduce(16)).getextrema()[1]


def test_pdfium_draws_what_both_engines_draw_where_they_agree_and_sides_with_one_where_not():
    text, other = pair("a word more", 12)
    honest = letter(text)
    assert not compare(honest)["differences"]
    third = drawn_by_pdfium(honest)
    assert blocks(third, drawn(honest, second=False)) < 50 and blocks(third, drawn(honest, second=True)) < 50
    forged = letter(other, text)
    assert compare(forged)["differences"]
    # PDFium draws the pictures of links, too, so here MuPDF alone is left.
    third = drawn_by_pdfium(forged)
    assert blocks(third, drawn(forged, second=False)) < 50 < blocks(third, drawn(forged, second=True))


def test_an_empty_field_without_a_look_is_left_out_but_not_what_is_below_it():
    def file(below: bytes, more: bytes = b"") -> bytes:
        return raw_pdf(
            b"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [ 5 0 R ] /SigFlags 1 >> >>",
            b"<< /Type /Pages /Count 1 /Kids [ 3 0 R ] >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [ 0 0 595 842 ] /Contents 4 0 R /Annots [ 5 0 R ] "
            b"/Resources << /Font << /C 6 0 R >> >> >>", stream(below),
            b"<< /Type /Annot /Subtype /Widget /FT /Sig /T (s) /F 4 /P 3 0 R /Rect [ 100 100 300 160 ] %s >>" % more,
            # A character map that poppler does not have for this collection.
            b"<< /Type /Font /Subtype /Type0 /BaseFont /MSung-Light /Encoding /UniGB-UCS2-H /DescendantFonts [ << "
            b"/Type /Font /Subtype /CIDFontType0 /BaseFont /MSung-Light /CIDSystemInfo << /Registry "
            b"(Adobe) /Ordering (CNS1) /Supplement 0 >> /FontDescriptor << /Type /FontDescriptor "
            b"/FontName /MSung-Light /Flags 6 /FontBBox [ 0 -200 1000 900 ] /ItalicAngle 0 /Ascent 900 /Descent -200 "
            b"/CapHeight 700 /StemV 60 >> >> ] >>",
            stream(b"0 0 200 60 re f", b"/Type /XObject /Subtype /Form /BBox [ 0 0 200 60 ]"),
            stream(b"", b"/Type /XObject /Subtype /Form /BBox [ 0 0 200 60 ]"))

    assert compare(file(b""))["differences"] == []
    hidden = compare(file(b"BT /C 24 Tf 120 120 Td <0050006100790020003900390039> Tj ET"))
    assert hidden["differences"] and hidden["complaints"], hidden
    # MuPDF draws a sign of its own in place of the field's look, others the look.
    for look in (b"7", b"8"):
        assert compare(file(b"", b"/AP << /N %s 0 R >>" % look))["differences"] == []


def test_the_borders_of_links_are_left_out_but_not_what_is_below_or_within_them():
    def file(link: bytes, text: bytes) -> bytes:
        return raw_pdf(
            b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Count 1 /Kids [ 3 0 R ] >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [ 0 0 595 842 ] /Contents 4 0 R /Annots [ 5 0 R ] >>",
            stream(text),
            b"<< /Type /Annot /Subtype /Link /C [ 1 0 0 ] /F 4 /Rect [ 100 100 300 130 ] %s >>" % link,
            stream(b"0 0 200 30 re f", b"/Type /XObject /Subtype /Form /BBox [ 0 0 200 30 ]"))

    for border in (b"", b"/Border [ 0 0 1 ]", b"/BS << /W 2 >>", b"/Border [ 0 0 0 ]"):
        assert compare(file(border, b"120 110 100 4 re f"))["differences"] == [], border
    assert compare(file(b"/Border [ 0 0 9 ]", b""))["differences"]
    assert compare(file(b"/AP << /N 6 0 R >>", b""))["differences"]


def annotated(*annotations: bytes) -> bytes:
    """A page with a stamp that MuPDF draws and poppler does not, and these annotations."""
    none = (b"/ColorSpace << /N [ /Separation /None /DeviceGray << /FunctionType 2 /Domain [ 0 1 ] /C0 [ 1 ] "
            b"/C1 [ 0 ] /N 1 >> ] >>")
    names = b" ".join(b"%d 0 R" % (number + 5) for number in range(len(annotations) + 1))
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [ 0 0 595 842 ] /Contents 4 0 R /Annots [ %s ] >>" % names
    stamp = b"<< /Type /Annot /Subtype /Stamp /F 4 /Rect [ 100 100 300 130 ] /AP << /N %d 0 R >> >>"
    return raw_pdf(
        b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Count 1 /Kids [ 3 0 R ] >>", page,
        stream(b"90 160 100 4 re f"), stamp % (len(annotations) + 6), *annotations,
        stream(b"/N cs 1 scn 4 4 30 20 re 50 4 30 20 re f", b"/Type /XObject /Subtype /Form /BBox [ 0 0 200 30 ] "
               b"/Resources << %s >>" % none))


def test_nothing_hides_behind_what_engines_draw_as_they_like():
    field = b"<< /Type /Annot /Subtype /Widget /FT /%s /T (a) /F 4 /Rect [ 90 90 310 140 ] >>"
    links = [b"<< /Type /Annot /Subtype /Link /F 6 /Border [ 0 0 3 ] /Rect [ 95 %d 305 %d ] >>" % (y, y)
             for y in range(92, 140, 4)]
    for annotations in ([], [field % b"Tx"], [field % b"Sig"], links):
        assert compare(annotated(*annotations))["differences"], annotations


def test_a_signature_field_for_others_may_have_a_look():
    """MuPDF draws its own sign into it."""
    document = raw_pdf(
        b"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [ 6 0 R ] >> >>",
        b"<< /Type /Pages /Count 1 /Kids [ 3 0 R ] >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [ 0 0 595 842 ] /Contents 4 0 R /Annots [ 6 0 R ] >>",
        stream(b"90 160 100 4 re f"),
        stream(b"0.5 G 1 1 198 28 re S", b"/Type /XObject /Subtype /Form /BBox [ 0 0 200 30 ]"),
        b"<< /Type /Annot /Subtype /Widget /FT /Sig /T (a) /F 4 /Rect [ 100 100 300 130 ] /AP << /N 5 0 R >> >>")
    assert compare(document)["differences"] == []


def test_a_border_that_is_no_frame_counts():
    text = b"BT /F 14 Tf 70 700 Td (Pay 10) Tj ET"
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"

    def page(*rectangles: bytes) -> bytes:
        links = b" ".join(b"<< /Type /Annot /Subtype /Link /F 4 /Border [ 0 0 1 ] /Rect [ %s ] >>" % each
                          for each in rectangles)
        return raw_pdf(
            b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Count 1 /Kids [ 3 0 R ] >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [ 0 0 595 842 ] /Contents 4 0 R /Annots [ %s ] "
            b"/Resources << /Font << /F %s >> >> >>" % (links, font), stream(text))

    assert compare(page(b"68 697 115 713"))["differences"] == []
    # Struck out by a thin link, by the edge of a large one, and written in thin ones.
    for rectangles in ((b"68 704 115 705",), (b"68 705 115 740",), (b"200 700 201 712", b"206 700 207 712")):
        assert compare(page(*rectangles))["differences"], rectangles


@pytest.mark.parametrize("boxed", breadth.share([True, False], 2), ids=["sandbox", "plain"])
def test_what_poppler_cannot_draw_is_told(boxed):
    for page, words in [
        (one_page(b"/X Do"), "XObject 'X' is unknown"),
        (one_page(b"BT /F 12 Tf 70 70 Td (Pay) Tj ET"), "Unknown font tag 'F'"),
        (one_page(b"1 0 0 wrong 70 70 20 20 re f"), "Unknown operator 'wrong'"),
        (one_page(b"q 100 0 0 100 70 70 cm /X Do Q", stream(
            b"xx", b"/Type /XObject /Subtype /Image /Width 8 /Height 8 /BitsPerComponent 8 /ColorSpace /DeviceGray "
            b"/Filter /Unknown"), resources=b"/XObject << /X 5 0 R >>"), "Unknown filter 'Unknown'"),
    ]:
        found = compare(page, boxed=boxed)
        assert any(words in complaint for complaint in found["complaints"]), (words, found)


TEXTS = {
    "STSong-Light": "承租人应于每月第三个工作日之前支付租金", "MSung-Light": "承租人應於每月第三個工作日之前支付租金",
    "HeiseiMin-W3": "賃借人は毎月第三営業日までに賃料を支払う", "HYSMyeongJo-Medium": "임차인은 매월 셋째 영업일까지",
}


@pytest.mark.parametrize("font", breadth.share(TEXTS, 2, 1))
def test_poppler_finds_the_character_maps_of_east_asian_fonts(font):
    """poppler-data has the predefined maps (ISO 32000-1, 9.7.5.2). Engines take other fonts, which are not embedded."""
    pdfmetrics.registerFont(UnicodeCIDFont(font))
    file = io.BytesIO()
    page = canvas.Canvas(file, pagesize=A4, invariant=1)
    page.setFont(font, 12)
    page.drawString(60, 700, TEXTS[font])
    page.save()
    found = compare(file.getvalue(), boxed=False)
    maps = [complaint for complaint in found["complaints"] if "CMap" in complaint or "language" in complaint]
    # reportlab names a map of another collection for this font.
    assert bool(maps) == (font == "MSung-Light"), found["complaints"]


# The fonts of the packages on which inkpanel-document depends; poppler-data is one of these, too.
OWN_FONTS = ("unshare", "--mount", "sh", "-c", """
    own=$(mktemp -d) && trap 'rm -r "$own"' EXIT && cp -rL /usr/share/fonts/opentype/urw-base35 "$own" &&
    mount --bind "$own" /usr/share/fonts && mount -t tmpfs none /var/cache/fontconfig && "$@" """, "-")
COLLECTIONS = {
    "GB1": ("UniGB-UCS2-H", "租金每月人民币"), "CNS1": ("UniCNS-UCS2-H", "租金每月新臺幣"),
    "Japan1": ("UniJIS-UCS2-H", "賃料は毎月支払う"), "Korea1": ("UniKS-UCS2-H", "임차료는 매월"),
    "Identity": ("Identity-H", "الإيجار الشهري"),
}


def east_of_latin(collection: str, is_embedded: bool) -> bytes:
    """A text in one of the predefined character maps. Vera's Latin letters stand in place of the font's."""
    encoding, text = COLLECTIONS[collection]
    glyphs = b"".join((36 + cid % 26).to_bytes(2, "big") for cid in range(30000))
    font = (Path(reportlab.__file__).parent / "fonts" / "Vera.ttf").read_bytes()
    names = (collection.encode(), encoding.encode())
    return one_page(
        b"BT /F 24 Tf 72 700 Td <%s> Tj ET" % text.encode("utf-16-be").hex().encode(),
        b"<< /Type /Font /Subtype /Type0 /BaseFont /AAAAAA+Text /Encoding /%s /DescendantFonts [ 6 0 R ] >>" % names[1],
        b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /AAAAAA+Text /DW 1000 /FontDescriptor 7 0 R /CIDToGIDMap %s "
        b"/CIDSystemInfo << /Registry (Adobe) /Ordering (%s) /Supplement 2 >> >>"
        % (b"8 0 R" if is_embedded else b"/Identity", names[0]),
        b"<< /Type /FontDescriptor /FontName /AAAAAA+Text /Flags 4 /FontBBox [ 0 -200 1000 900 ] /ItalicAngle 0 "
        b"/Ascent 900 /Descent -200 /CapHeight 700 /StemV 80 %s >>" % (b"/FontFile2 9 0 R" if is_embedded else b""),
        stream(glyphs), stream(font, b"/Length1 %d" % len(font)), resources=b"/Font << /F 5 0 R >>")


@pytest.mark.parametrize("collection", breadth.share(COLLECTIONS, 3))
def test_the_programs_own_packages_draw_texts_of_other_scripts_or_the_pad_says_so(collection):
    found = compare(east_of_latin(collection, is_embedded=True), within=OWN_FONTS)
    assert found["differences"] == [] and found["complaints"] == []
    # None of the packages has such a font: nobody signs what poppler leaves out.
    found = compare(east_of_latin(collection, is_embedded=False), within=OWN_FONTS)
    assert found["differences"] or found["complaints"], found


@pytest.mark.parametrize("make", breadth.share([lambda: nested_forms(12), huge_image], 2), ids=["nested forms", "huge image"])
def test_a_page_made_to_take_long_is_given_up_in_time(make):
    answer = ask(make(), {"do": "compare", "page": 1}, "--seconds", "4")
    assert answer.status == 0 and answer.error in ("tooSlow", "failed") and answer.seconds < 7, answer
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert children.ru_maxrss < 500 << 10


def test_a_page_that_differs_everywhere_is_compared_in_time():
    """Stripes of two points against none, on A3: every window differs."""
    stripes = b"".join(b"0 %d 842 1 re\n" % y for y in range(0, 1190, 2)) + b"f"
    box = b"0 0 842 1190"
    page = raw_pdf(
        b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Count 1 /Kids [ 3 0 R ] >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [ %s ] /Contents 4 0 R /Annots [ 5 0 R ] >>" % box, stream(b""),
        b"<< /Type /Annot /Subtype /Link /Border [ 0 0 0 ] /F 4 /Rect [ %s ] /AP << /N 6 0 R >> >>" % box,
        stream(stripes, b"/Type /XObject /Subtype /Form /BBox [ %s ]" % box))
    answer = ask(page, {"do": "compare", "page": 1})
    found = json.loads(answer.body)["differences"]
    assert len(found) == 1 and found[0]["maxX"] - found[0]["minX"] > 800, found
    assert answer.seconds < 9


def test_no_file_stays(tmp_path):
    # A folder that other tests do not use at the same time.
    compare(letter(content(b"Rent", 10)), within=("env", f"TMPDIR={tmp_path}"))
    assert os.listdir(tmp_path) == []


def inkpanel(*words: str) -> subprocess.CompletedProcess:
    return subprocess.run([INKPANEL, "document", "compare", *words], capture_output=True, text=True, timeout=60)


def test_the_command_prints_the_places_and_writes_their_pictures(tmp_path):
    text, other = pair("another digit", 12)
    (tmp_path / "honest.pdf").write_bytes(letter(text))
    done = inkpanel(str(tmp_path / "honest.pdf"))
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    (tmp_path / "forged.pdf").write_bytes(letter(text, other))
    done = inkpanel(str(tmp_path / "forged.pdf"), "--pictures", str(tmp_path))
    assert done.returncode == 1 and done.stdout.startswith("page 1 rect=") and not done.stderr
    picture = Image.open(tmp_path / "page-1-1.png").convert("L")
    left, right = picture.crop((0, 0, (picture.width - 8) // 2, picture.height)), picture.crop(
        ((picture.width + 8) // 2, 0, picture.width, picture.height))
    assert left.size == right.size and ImageChops.difference(left, right).getbbox()
    (tmp_path / "incomplete.pdf").write_bytes(one_page(b"/X Do"))
    done = inkpanel(str(tmp_path / "incomplete.pdf"))
    assert done.returncode == 1 and "page 1 not drawn: " in done.stdout
    done = inkpanel(str(tmp_path / "honest.pdf"), "--page", "2")
    assert done.returncode == 65 and "page 2" in done.stderr


def test_a_board_without_a_cache_of_fonts_draws_pages_whose_fonts_are_its_own():
    """In the sandbox, fontconfig can keep nothing that it finds, and says so."""
    page = io.BytesIO()
    sheet = canvas.Canvas(page)
    sheet.drawString(72, 700, "Pay 10 EUR")
    sheet.save()
    bare = ("bwrap", "--dev-bind", "/", "/", "--tmpfs", "/var/cache/fontconfig", "--remount-ro", "/var/cache/fontconfig")
    found = compare(page.getvalue(), boxed=True, within=bare)
    assert found["differences"] == [] and found["complaints"] == [], found
