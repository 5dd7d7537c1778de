# SPDX-License-Identifier: Apache-2.0
"""The page around the verdict: hostile texts, requests, long records, paper, narrow windows, keyboard, the build."""

import copy
import csv
import io
import json
import re
import subprocess
import time

import pikepdf
import pytest
from conftest import PAGE, TOP, Tab, contract, digest, line, record
from flows import instead
from support import breadth
from support.waiting import wait_for
from support.breadth import long

VERDICT = "Genuine and unchanged"
# Pauses of the page's own thread, in milliseconds, from before its first script.
WATCH = """(() => {
    let last = performance.now();
    self.longest = 0;
    setInterval(() => {
        const now = performance.now();
        self.longest = Math.max(self.longest, now - last);
        last = now;
    }, 10);
})()"""


def long_record(megabytes: int) -> list[dict]:
    lines = record(count=1, samples=2)
    stroke = record(count=1, samples=2000)[1]
    size = len(line(stroke))
    lines[1:1] = [stroke] * (megabytes * 1_000_000 // size)
    return lines


def hostile(panel, name: str, text: str):
    # Ids in the path would end a test on some file systems.
    return panel.seal(name, record(
        signer=text, prompt=[text], reason=text, operator=text, rows=[{"label": text, "value": text}]))


def test_no_request_leaves(open_tab, server, sealed, flow):
    server.asked.clear()
    for url in (PAGE.as_uri(), server.url):
        tab = open_tab(url)
        tab.give(*sealed, *flow)
        tab.page.click(".examination summary")
        with tab.page.expect_download() as download:
            tab.page.click("#csv")
        rows = download.value.path().read_bytes()
        assert rows.startswith(b"sheet,stroke,undone,t_us,x,y,pressure,distance\r\n1,1,0,400000,1000,")
        assert [asked for asked in tab.requests if not asked.startswith(("blob:", "data:"))] == [url]
    assert server.asked == ["/verify.html"]


def test_nothing_could_leave(open_tab, server):
    """What a script in the page would try, and one in a worker, which has the page's policy."""
    tab = open_tab(server.url)
    server.asked.clear()
    tries = """async address => {
        const refused = [];
        const attempt = async (name, work) => { try { await work() } catch { refused.push(name) } };
        await attempt("fetch", () => fetch(address + "?fetch"));
        await attempt("beacon", () => { if (!navigator.sendBeacon?.(address + "?beacon")) throw 0 });
        await attempt("request", () => new Promise((done, fail) => {
            const request = new XMLHttpRequest();
            request.onload = done; request.onerror = fail;
            request.open("GET", address + "?request"); request.send();
        }));
        return refused;
    }"""
    assert {"fetch", "request"} <= set(tab.page.evaluate(tries, server.url))
    tab.page.evaluate("""([tries, address]) => new Promise((done) => {
        const source = `(${tries})("${address}?worker").then((refused) => postMessage(refused))`;
        new Worker(URL.createObjectURL(new Blob([source]))).onmessage = ({ data }) => done(data);
    })""", [tries, server.url])
    tab.page.evaluate("""address => {
        new Image().src = address + "?image";
        for (const [name, values] of [["script", { src: "?script" }], ["iframe", { src: "?frame" }], ["video", { src: "?video" }],
            ["link", { rel: "stylesheet", href: "?style" }], ["link", { rel: "prefetch", href: "?prefetch" }], ["object", { data: "?object" }]]) {
            document.body.append(Object.assign(document.createElement(name), values));
        }
        document.body.append(Object.assign(document.createElement("div"), { innerHTML: "<img src='?inner' onerror='self.isRun = true'>" }));
        const form = Object.assign(document.createElement("form"), { action: address + "?form", method: "post" });
        document.body.append(form);
        form.submit();
    }""", server.url)
    tab.page.wait_for_timeout(300)
    assert tab.page.evaluate("() => self.isRun") is None
    assert server.asked == []
    assert any("Content Security Policy" in fault for fault in tab.faults)
    tab.faults.clear()


# What the page says itself.
OUTSIDE = """() => {
    const copy = document.body.cloneNode(true);
    for (const said of copy.querySelectorAll(".said, script, style, option")) said.remove();
    return copy.textContent;
}"""

HOSTILE = {
    "html": "<img src=x onerror=alert(1)><script>alert(1)</script>",
    "verdict": VERDICT,
    "bidi": "Anna \u202edegnahcnu dna eniuneG\u202c \u2066x\u2069",
    "unseen": "An\u200bna\u00ad \u2060M\u0007\u3164\ufeff",
    "marks": "A" + "\u0300" * 100,
    "lines": "Anna\n" * 400,
    "long": "Wide" * 2000,
    "value": "{pages} @SCRIPT@ &lt;b&gt; </script>",
}


@pytest.mark.parametrize("name", breadth.share(HOSTILE, 2))
def test_texts_of_files_cannot_imitate_the_page(tab, panel, name):
    text = HOSTILE[name]
    [path, seal, signature] = hostile(panel, f"hostile-{name}", text)
    odd = path.with_name(re.sub("[\n/\0]", " ", text).encode()[:120].decode(errors="ignore") + ".jsonl")
    path.rename(odd)
    assert tab.give(odd, seal, signature) == "Cannot be decided"
    page = tab.page
    # All of it is in frames, and no element of it.
    outside = page.evaluate(OUTSIDE)
    assert VERDICT not in outside and "alert" not in outside and "WideWide" not in outside and "degnahcnu" not in outside
    assert page.locator("#report img, #report script, #report a, #report iframe, #report b").count() == 0
    quoted = page.locator("#report .said").first
    style = quoted.evaluate("e => (({ unicodeBidi, borderTopWidth, overflow }) => [unicodeBidi, borderTopWidth, overflow])(getComputedStyle(e))")
    assert style == ["isolate", "1px", "hidden"]
    shown = page.evaluate("() => [...document.querySelectorAll('.said')].map((said) => said.textContent).join('')")
    assert not re.search("[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u3164]", shown)
    if name == "bidi":
        assert "U+202E" in shown and "U+2066" in shown
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 1000
    assert page.evaluate("() => document.documentElement.scrollHeight") < 200_000
    assert page.title() == "Check a signature"


def leaves(value, path=()):
    """The places of all texts in JSON, of lists only those of the first member."""
    if isinstance(value, str):
        yield path
    members = value.items() if isinstance(value, dict) else list(enumerate(value))[:1] if isinstance(value, list) else ()
    for key, part in members:
        yield from leaves(part, (*path, key))


def test_a_date_of_an_arabic_pad_is_shown_as_a_date(tab, panel):
    lines = record(signer="28\u200f1/11\u200f/2026")
    lines[0]["date"]["text"] = "28\u200f/11\u200f/2026"
    tab.give(*panel.seal("arabic-date", lines), panel.allowed)
    assert "28\u200f/11\u200f/2026" in tab.page.inner_text(".glass")
    assert "28U+200F1/11U+200F/2026" in tab.page.inner_text(".overview")


def test_no_text_of_a_record_or_seal_stands_outside_of_frames(tab, panel, flow):
    """Each member that is a text, one after the other; most make the files invalid, and none may be said."""
    said = "Genuine said the file"
    full = record(document={"reference": "x", "sha256": digest(b"1")}, language="en", operator="x", data={"a": "b"})
    full[0].update(askedBy="operator", machine={"boot": "x", "id": "x"}, missingGlyphs=[{"text": "x", "characters": ["x"]}])
    tested = set()
    several = instead(contract(flow[3].read_bytes(), [digest(b"1"), digest(b"2")]))
    for name, lines in (("one", full), ("flow", several)):
        files = panel.seal(f"members-{name}", lines)[:2]
        seal = json.loads(files[1].read_bytes())
        places = [(True, (at, *path)) for at, each in enumerate(lines) for path in leaves(each)]
        for is_record, path in places + [(False, path) for path in leaves(seal)]:
            kind = (name, is_record, *(part for part in path if isinstance(part, str)))
            if kind in tested:
                continue
            tested.add(kind)
            changed = copy.deepcopy(lines if is_record else seal)
            place = changed
            for part in path[:-1]:
                place = place[part]
            place[path[-1]] = said
            data = b"".join(map(line, changed if is_record else lines))
            files[0].write_bytes(data)
            files[1].write_bytes(line({**seal, "record": digest(data)} if is_record else changed))
            assert tab.give(*files) != VERDICT
            assert said.replace(" ", "") not in tab.page.evaluate(OUTSIDE).replace(" ", ""), kind
            tab.page.click("#anew")
    assert len(tested) > 60


def test_numbers_beyond_all_sense_do_not_break_the_page(tab, panel):
    far = 2**63 - 1
    lines = record()
    header = lines[0]
    header.update(startedAt=-far, startedAtDeviceTime=far, clockMaximumError=far)
    header["date"]["offsetSeconds"] = far
    header["screen"].update(width=far, height=-far, pixelsPerMillimetre=1e300, signingArea=[far, -far, far, far])
    header["devices"][0].update(transform=[1e308, -1e308, 1e308, 1e308, -1e308, 1e308])
    lines[1]["stroke"]["samples"][0][0] = -far
    lines[1]["stroke"]["samples"][-1][0] = far
    lines[-1]["end"]["endedAt"] = far
    # Ink cannot be before its page.
    assert tab.give(*panel.seal("far", lines, at=0)) == "Changed"
    assert tab.page.locator("canvas").count() == 1 and "This browser could not check" not in tab.text
    tab.page.click(".examination summary")
    tab.page.locator("table").wait_for()
    tab.page.get_by_role("slider").press("Home")
    tab.page.get_by_role("button", name="Play").click()
    tab.page.wait_for_timeout(200)


def test_hundreds_of_signatures_are_drawn_in_portions(tab, flow, panel):
    lines = contract(flow[3].read_bytes(), [digest(b"1"), digest(b"2")])
    fields = lines[0]["flow"]["document"]["fields"]
    at = next(index for index, line in enumerate(lines) if line.get("person") == 1)
    for number in range(300):
        name = f"M{number:03}"
        fields.append({**fields[0], "name": name, "required": False})
        area = {"name": name, "person": 0, "signingArea": [40, 180, 720, 200]}
        stroke = {"device": 0, "pen": "ink", "samples": [[number, 100, 200], [number + 5, 160, 220]]}
        lines[at:at] = [{"field": area, "t": number}, {"stroke": stroke}, {"accepted": {"name": name}, "t": number}]
    assert tab.give(*panel.seal("many", lines), flow[3], panel.allowed) == VERDICT
    first = tab.page.locator(".person").first
    assert first.locator("canvas").count() == 12
    first.get_by_role("button", name="Next").click()
    assert first.locator("canvas").count() == 24


def test_without_cryptography_nothing_is_decided(chromium, sealed):
    """As over http: from another computer."""
    context = chromium.new_context(locale="en-US")
    page = context.new_page()
    page.route("http://verify.test/", lambda route: route.fulfill(body=PAGE.read_text(), content_type="text/html"))
    tab = Tab(page, "http://verify.test/")
    assert tab.give(*sealed) == "Cannot be decided"
    assert "gives the page no cryptography" in tab.text
    context.close()


def examined(open_tab, files, panel) -> tuple[Tab, Tab]:
    """A page that does nothing, for what a busy machine does to it, and one that has all of a record open."""
    [idle, tab] = open_tab(), open_tab()
    for each in (idle, tab):
        each.page.evaluate(WATCH)
    assert tab.give(*files, panel.allowed) == VERDICT
    tab.page.click(".examination summary")
    tab.page.locator("table").wait_for()
    tab.page.locator("input[type=range]").fill("100")
    return idle, tab


@long
def test_a_record_of_10_megabytes_does_not_freeze_the_page(open_tab, panel):
    files = panel.seal("long", long_record(10))
    assert files[0].stat().st_size > 9_900_000
    idle, tab = examined(open_tab, files, panel)
    tab.page.get_by_role("button", name="Play").click()
    tab.page.wait_for_timeout(500)
    with tab.page.expect_download() as download:
        tab.page.click("#csv")
    assert download.value.path().stat().st_size > 5_000_000
    assert tab.page.evaluate("() => self.longest") < 1000 + idle.page.evaluate("() => self.longest")


@long
def test_170000_short_strokes_do_not_freeze_the_page(open_tab, panel):
    lines = record(count=1, samples=2)
    strokes = [{"stroke": {"device": 0, "pen": "", "samples": [[5 * at, at % 9999, at // 20, 9]] * (1 + at % 2)}}
               for at in range(170_000)]
    files = panel.seal("strokes", [lines[0], *strokes, lines[-1]])
    idle, tab = examined(open_tab, files, panel)
    tab.page.wait_for_timeout(500)
    assert tab.page.evaluate("() => self.longest") < 1000 + idle.page.evaluate("() => self.longest")


def test_long_work_shows_its_progress_and_stops(tab, panel):
    files = panel.seal("very-long", long_record(50))
    tab.page.set_input_files("#files", [str(file) for file in files])
    tab.page.locator("#stop").wait_for()
    wait_for(lambda: tab.page.evaluate("() => document.getElementById('progress').value") > 0)
    tab.page.press("#stop", "Enter")
    assert tab.wait() == "Cannot be decided"
    assert "The check was stopped." in tab.text
    assert tab.page.locator("#working").is_hidden()


@pytest.mark.parametrize("language", breadth.share(["en", "de", "el", "hi", "ar"], 2))
def test_its_report_is_at_most_two_pages_of_paper(tab, sealed, flow, language):
    tab.page.select_option("#language", language)
    for files in (sealed, flow):
        tab.give(*files)
        with pikepdf.open(io.BytesIO(tab.page.pdf(prefer_css_page_size=True))) as paper:
            assert len(paper.pages) <= 2
            assert [round(float(side)) for side in paper.pages[0].mediabox[2:]] == [595, 842]
        tab.page.click("#anew")


def test_rows_of_signatures_are_not_kept_together_on_paper(tab, panel, flow, tmp_path):
    """Each is a line, and browsers keep two lines together: the first page stayed half empty."""
    lines = [each for each in contract(flow[3].read_bytes(), [digest(b"1"), digest(b"2")]) if "spoken" not in each]
    # The first page has room for one row. Fingerprints have no "-".
    lines[0]["request"]["rows"] = [{"label": "Row", "value": str(number)} for number in range(5)]
    field = lines[0]["flow"]["document"]["fields"][0]
    lines[0]["flow"]["document"]["fields"] += [{**field, "name": f"Z-{number}", "kind": "initials"} for number in range(3)]
    place = next(at for at, each in enumerate(lines) if each.get("accepted") == {"name": "S01"}) + 1
    for number in range(3):
        lines[place:place] = [
            {"field": {"name": f"Z-{number}", "person": 0, "signingArea": [40, 180, 720, 200]}, "t": 9000},
            {"stroke": {"device": 0, "pen": "ink", "samples": [[9000, 100, 200], [9005, 160, 210]]}},
            {"accepted": {"name": f"Z-{number}"}, "t": 9100}]
    tab.give(*panel.seal("rows", lines), flow[3], panel.allowed)
    (tmp_path / "paper.pdf").write_bytes(tab.page.pdf(prefer_css_page_size=True))
    first = subprocess.run(["pdftotext", "-l", "1", tmp_path / "paper.pdf", "-"], check=True, capture_output=True, text=True).stdout
    assert "Ink that was accepted" in first and "Z-2" in first and "Z-0" not in first


def test_it_fits_narrow_windows(open_tab, sealed, flow):
    for language in ("en", "de", "ar", "fi"):
        tab = open_tab(locale=language, width=390)
        for files in (sealed, flow):
            tab.give(*files)
            tab.page.click(".examination summary")
            assert tab.page.evaluate("() => document.documentElement.scrollWidth") <= 390
        # What fingers press has 44 pixels.
        small = tab.page.evaluate("""() => [...document.querySelectorAll("button, select, summary, .tick, input:not([type=checkbox])")]
            .filter((element) => element.offsetParent && !element.matches(".unseen"))
            .filter((element) => element.getBoundingClientRect().height < 40).map((element) => element.outerHTML)""")
        assert small == []


def test_the_keyboard_does_it_all(tab, sealed):
    page = tab.page
    # From the start, as Chromium learns later that somebody waits for it.
    choosers = []
    page.on("filechooser", lambda chooser: choosers.append(chooser))
    page.keyboard.press("Tab")
    reached = []
    for _ in range(3):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("() => document.activeElement.id"))
        assert page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle") != "none"
    assert reached == ["language", "choose", "choose-folder"]
    page.focus("#choose")
    page.keyboard.press("Enter")
    wait_for(lambda: page.wait_for_timeout(20) or choosers, 120)
    choosers[0].set_files([str(file) for file in sealed[:3]])
    tab.wait()
    tab.drop(sealed[3])
    # The verdict is said, and read on from there.
    assert page.evaluate("() => document.activeElement.id") == "verdict"
    assert page.inner_text("#announcement") == VERDICT
    page.get_by_role("slider").focus()
    whole = page.evaluate("() => document.querySelector('canvas').toDataURL()")
    for _ in range(3):
        page.keyboard.press("PageDown")
    assert page.evaluate("() => document.querySelector('canvas').toDataURL()") != whole
    page.get_by_role("button", name="Play").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Pause").wait_for()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Play").wait_for()


def test_keys_go_through_the_records(tab, sealed, flow):
    tab.give(*sealed, *flow)
    shown = tab.page.locator("#record").input_value()
    tab.page.focus("#record")
    for key in ("ArrowDown", "ArrowUp"):
        tab.page.keyboard.press(key)
        wait_for(lambda: tab.page.evaluate("() => document.activeElement.id") == "record")
    assert tab.page.locator("#record").input_value() == shown


def test_nothing_is_said_of_files_that_were_removed(tab, sealed):
    tab.give(sealed[0])
    assert tab.page.inner_text("#announcement") == "Cannot be decided"
    tab.page.click(".remove")
    assert tab.page.inner_text("#announcement") == ""


def test_a_screen_reader_has_names_for_all_that_is_there(tab, sealed):
    tab.give(*sealed[:3])
    tab.page.click(".examination summary")
    tab.page.locator(".examination table").first.wait_for()
    nodes = tab.page.context.new_cdp_session(tab.page).send("Accessibility.getFullAXTree")["nodes"]
    named = {}
    for node in nodes:
        if not node.get("ignored"):
            named.setdefault(node["role"]["value"], []).append(node.get("name", {}).get("value", ""))
    for role in ("button", "textbox", "checkbox", "combobox", "slider", "image", "progressbar", "region"):
        assert "" not in named.get(role, []), role
    assert {"banner", "main", "contentinfo", "heading", "list", "table"} <= named.keys()
    assert {f"Remove this file {path.name}" for path in sealed[:3]} <= set(named["button"])
    levels = tab.page.evaluate("() => [...document.querySelectorAll('h1, h2, h3, h4')].filter((e) => e.offsetParent).map((e) => Number(e.tagName[1]))")
    assert levels[0] == 1 and all(after - before <= 1 for before, after in zip(levels, levels[1:]))


def test_ink_is_replayed_at_its_speed_with_pressure_and_undone_ink_apart(tab, panel):
    tab.give(*panel.seal("slow", record(count=20)))
    page = tab.page
    colours = """() => {
        const canvas = document.querySelector("canvas");
        const { data } = canvas.getContext("2d", { willReadFrequently: true }).getImageData(0, 0, canvas.width, canvas.height);
        let [ink, undone] = [0, 0];
        for (let at = 0; at < data.length; at += 4) {
            if (data[at] < 60 && data[at + 2] < 60) ink += 1;
            else if (data[at] > 150 && data[at + 1] < 120 && data[at + 2] < 60) undone += 1;
        }
        return [ink, undone];
    }"""
    ink, undone = page.evaluate(colours)
    assert ink > 1000 and undone > 200
    page.get_by_role("slider").fill("0")
    assert page.evaluate(colours)[1] == 0
    begin = time.monotonic()
    page.get_by_role("button", name="Play").click()
    played = time.monotonic()
    page.wait_for_timeout(1000)
    paused = time.monotonic()
    page.get_by_role("button", name="Pause").click()
    told = float(page.inner_text(".clock").split()[0])
    assert (paused - played) * 0.7 < told < time.monotonic() - begin + 0.1
    assert 0 < page.evaluate(colours)[0] < ink


def test_examiners_get_each_sample_also_those_in_the_air(tab, panel):
    lines = record()
    air = [line["inAir"] for line in lines if "inAir" in line]
    # One device of the two measures how far away the pen is.
    lines[0]["devices"].append({**lines[0]["devices"][0], "distance": {"minimum": 0, "maximum": 63, "resolution": 0}})
    air[0]["device"], air[0]["samples"][0] = 1, [*air[0]["samples"][0], 17]
    tab.give(*panel.seal("air", lines))
    tab.page.click(".examination summary")
    with tab.page.expect_download() as download:
        tab.page.click("#csv")
    head, *rows = csv.reader(download.value.path().read_text().splitlines())
    assert len(head) == 8 and all(len(row) == 8 for row in rows)
    written = [sample for line in lines if "stroke" in line for sample in line["stroke"]["samples"]]
    assert [row[3:7] for row in rows if row[1] != "0"] == [list(map(str, sample)) for sample in written]
    assert [row[2] for row in rows].count("1") == 60
    above = [[str(value) for value in sample] for one in air for sample in one["samples"]]
    assert [[*row[3:6], *row[7:][:row[7] != ""]] for row in rows if row[1] == "0"] == above


def test_two_builds_are_the_same_bytes(tmp_path):
    subprocess.run([TOP / "tools/build-verifier", tmp_path / "verify.html"], check=True, capture_output=True)
    assert (tmp_path / "verify.html").read_bytes() == PAGE.read_bytes()
    assert PAGE.stat().st_size < 400_000
    # Its policy is in front of all that it is about, and names no address.
    text = PAGE.read_text()
    policy = re.search('Content-Security-Policy" content="([^"]+)"', text)
    assert policy.end() < text.index("<style>") < text.index("<script>")
    assert policy[1].startswith("default-src 'none'; script-src 'sha256-") and "unsafe" not in policy[1]
    assert not re.search(r"\b(eval|new Function|innerHTML|insertAdjacentHTML|document\.write)\b", text)
