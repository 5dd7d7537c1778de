# SPDX-License-Identifier: Apache-2.0
"""The form that asks for a signature, the capture's events and results, and the same call as source code."""

import base64
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import playwright
import pytest
from PIL import ImageChops
from support import breadth
from test_signing import ACCEPT, FORCE, STROKE, Signature, show_all
from support.waiting import wait_for

NODE = Path(playwright.__file__).parent / "driver/node"


def page_is(stack, page: str, tab):
    """Also in the tab, which is told later: until then, a key is for the page before."""
    shown = tab.page.locator("#over")
    wait_for(lambda: stack.status()["page"] == page and shown.get_attribute("data-page") == page)


def ask(stack, tab):
    tab.page.locator("#submit").click()
    page_is(stack, "signing", tab)
    show_all(stack, tab)


def sign(stack, tab):
    tab.draw(STROKE, FORCE)
    wait_for(lambda: (stack.status().get("running") or {}).get("strokes") == 1)


def api(stack, path: str, body: dict | None = None) -> bytes:
    """The answer to GET, or with a body to POST."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{stack.port}/v1{path}", None if body is None else json.dumps(body).encode(),
        {"Authorization": "Bearer " + stack.token, "Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=20) as answer:
        return answer.read()


def files(stack, name: str, kind: str, **options) -> bytes:
    with stack.service() as service:
        answer = service.Get(id=name, format=kind, **options)
    return base64.b64decode(answer["base64"]) if answer.get("base64") else answer["text"].encode()


def linked(tab, element: str) -> bytes:
    """The file that the browser saves."""
    with tab.page.expect_download() as download:
        tab.page.locator("#" + element).click()
    return Path(download.value.path()).read_bytes()


def test_from_the_form_to_the_signature(stack, tab):
    tab.page.locator("[name=prompt]").fill("Delivery 4711 received\nin good order")
    tab.page.locator("[name=signer]").fill("Björk Ångström")
    ask(stack, tab)
    assert tab.page.locator("#state").inner_text() == "Sign on the pad."
    assert tab.page.locator("#state").get_attribute("aria-live") == "polite"
    assert tab.page.locator("#submit").is_disabled()
    sign(stack, tab)
    tab.draw(ACCEPT, [0.5])
    tab.page.locator("#result").wait_for()
    assert tab.page.locator("#state").inner_text() == "Signed and stored."
    names = tab.page.locator("#events strong").all_inner_texts()
    assert names[0] == "snapshot" and names[-1] == "ended" and "stroke" in names
    last = json.loads(tab.page.locator("#events code").last.inner_text())
    assert last["outcome"] == {"result": "accepted"}
    name = last["id"]
    # The same files over the page, over the API and from the panel.
    for element, file, kind in [
        ("png", "signature.png", "png"), ("svg", "signature.svg", "svg"), ("record", "record.jsonl", "record")]:
        assert linked(tab, element) == api(stack, f"/captures/{name}/{file}") == files(stack, name, kind)
    assert tab.page.evaluate("() => document.getElementById('picture').naturalWidth") > 100
    [summary] = json.loads(json.dumps(stack_list(stack)))
    assert summary["prompt"] == ["Delivery 4711 received", "in good order"]
    assert summary["signer"] == "Björk Ångström"
    assert summary["rows"] == [{"label": "Order", "value": "4711"}, {"label": "Parcels", "value": "2"}]
    assert tab.page.locator("#submit").is_enabled()
    tab.page.locator("#accept").wait_for(state="hidden")


def stack_list(stack) -> list[dict]:
    with stack.service() as service:
        return service.List()["captures"]


def focus(tab, button: str):
    tab.page.locator("#" + button).wait_for()
    tab.page.locator("#" + button).focus()


def strokes_are(stack, count: int):
    """They are, and stay: a second press would have come by then."""
    wait_for(lambda: stack.status()["running"]["strokes"] == count)
    time.sleep(0.5)
    assert stack.status()["running"]["strokes"] == count


def test_real_buttons_lie_over_the_drawn_ones_and_act_once(stack, tab):
    """Also on those of a capture that another host has asked for. A button that acted twice would undo two strokes."""
    requests = []
    tab.page.on("request", lambda request: requests.append(request.method))
    capture = json.loads(api(stack, "/captures", {"prompt": ["Sign here"], "policy": {"undo": True}}))["id"]
    tab.page.locator("#accept").wait_for()
    show_all(stack, tab)
    names = [button.get_attribute("aria-label") for button in tab.page.locator(".over button:visible").all()]
    assert names == ["Undo", "Clear", "Cancel", "Accept"]
    for count in range(1, 6):
        tab.draw([(x, y - 0.2 + 0.05 * count) for x, y in STROKE], pointer="mouse")
        wait_for(lambda: stack.status()["running"]["strokes"] == count)
    # The middle of the real button is on the drawn one.
    box = tab.page.locator("#undo").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    tab.page.mouse.click(x, y, delay=50)
    strokes_are(stack, 4)
    place = (x - tab.box["x"]) / tab.box["width"], (y - tab.box["y"]) / tab.box["height"]
    tab.draw([place, place], [0.5, 0.5], pointer="pen")
    strokes_are(stack, 3)
    for count, key in [(2, "Enter"), (1, "Space")]:
        focus(tab, "undo")
        assert tab.page.evaluate("() => document.activeElement.id") == "undo"
        assert tab.page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle") == "solid"
        tab.page.keyboard.press(key)
        strokes_are(stack, count)
    focus(tab, "accept")
    tab.page.keyboard.press("Enter")
    tab.page.locator("#accept").wait_for(state="hidden")
    wait_for(lambda: json.loads(api(stack, f"/captures/{capture}"))["outcome"] == {"result": "accepted"})
    # All by the pad's own touches.
    assert "POST" not in requests


def test_nobody_watches_because_of_the_buttons(stack, tab):
    """The page follows the mirror for their places only, so the pad shows no eye."""
    capture = json.loads(api(stack, "/captures", {"prompt": ["Sign here"]}))["id"]
    tab.page.locator("#accept").wait_for()
    show_all(stack, tab)
    watched = tab.picture()
    tab.page.goto("about:blank")
    time.sleep(0.5)
    assert ImageChops.difference(watched, stack.screenshot()).getbbox() is None
    api(stack, f"/captures/{capture}/cancel", {})


def test_the_keyboard_decides(stack, tab):
    """Signing needs a pointer; all else does not."""
    page = tab.page
    page.locator("[name=reason]").focus()
    page.keyboard.press("Enter")
    page_is(stack, "signing", tab)
    show_all(stack, tab)
    empty = tab.picture()
    sign(stack, tab)
    focus(tab, "clear")
    page.keyboard.press("Enter")
    # The buttons at the side may look different.
    field = (50, 125, 1100, 500)
    wait_for(lambda: tab.picture().crop(field).tobytes() == empty.crop(field).tobytes())
    focus(tab, "accept")
    page.keyboard.press("Space")
    page.get_by_text("The ink was not accepted. Sign again.").wait_for()
    sign(stack, tab)
    focus(tab, "accept")
    page.keyboard.press("Space")
    page.locator("#result").wait_for()
    page.locator("#submit").focus()
    page.keyboard.press("Enter")
    page_is(stack, "signing", tab)
    page.locator("#result").wait_for(state="hidden")
    focus(tab, "cancel")
    page.keyboard.press("Enter")
    page.get_by_text("Cancelled.").wait_for()
    page_is(stack, "idle", tab)


def test_a_page_that_is_loaded_anew_goes_on_with_its_capture(stack, tab):
    ask(stack, tab)
    sign(stack, tab)
    tab.page.reload()
    tab.wait_for_link()
    tab.page.get_by_text("Sign on the pad.").wait_for()
    show_all(stack, tab)
    tab.draw(ACCEPT, [0.5])
    tab.page.locator("#result").wait_for()
    [summary] = stack_list(stack)
    assert summary["outcome"] == {"result": "accepted"}
    # It is over: another load shows nothing of it.
    tab.page.reload()
    tab.wait_for_link()
    assert tab.page.locator("#result").is_hidden() and tab.page.locator("#submit").is_enabled()


def test_a_panel_that_is_killed_while_somebody_signs(stack, open_tab):
    tab = open_tab(expected=("WebSocket connection to", "503"))
    tab.wait_for_link()
    ask(stack, tab)
    sign(stack, tab)
    stack.kill_panel()
    tab.page.get_by_text("The signature could not be stored.").wait_for()
    stack.start_panel()
    tab.wait_for_link()
    ask(stack, tab)
    sign(stack, tab)
    tab.draw(ACCEPT, [0.5])
    tab.page.locator("#result").wait_for()


def test_what_the_gateway_refuses_is_said_at_the_form(stack, open_tab):
    tab = open_tab(expected=("400",))
    tab.wait_for_link()
    # A control character, which the panel does not take.
    tab.page.locator("[name=signer]").fill("Anna\u0007")
    tab.page.locator("#submit").click()
    tab.page.locator("#error").wait_for()
    assert tab.page.locator("#error").inner_text() == "The pad cannot show “Signer” as it is."
    assert tab.page.locator("#error").get_attribute("role") == "alert"
    tab.page.locator("[name=signer]").fill("Anna")
    ask(stack, tab)
    assert tab.page.locator("#error").is_hidden()


SAMPLES = [
    ("python", [sys.executable, "-"]), ("curl", ["bash", "-eu"]), ("javascript", [str(NODE), "--input-type=module"])]


def sample(tab, folder, name: str, change=lambda source: source) -> list[str]:
    """Takes the sample from the page, with the client that its first line downloads."""
    tab.page.locator("#tab-" + name).click()
    source = change(tab.page.locator("#snippet").inner_text())
    first = source.splitlines()[0]
    if "curl -O" in first:
        subprocess.run(first.lstrip("/# ").split(), cwd=folder, check=True, capture_output=True)
    return source


def start(source: str, command: list[str], folder) -> subprocess.Popen:
    program = subprocess.Popen(
        command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    program.stdin.write(source)
    program.stdin.close()
    return program


@pytest.mark.parametrize("name, command", SAMPLES)
def test_the_same_call(stack, tab, tmp_path, name, command):
    tab.page.locator("[name=prompt]").fill("It's \"here\" & there: 10 €")
    program = start(sample(tab, tmp_path, name), command, tmp_path)
    page_is(stack, "signing", tab)
    show_all(stack, tab)
    sign(stack, tab)
    tab.draw(ACCEPT, [0.5])
    assert program.wait(30) == 0, program.stdout.read()
    [summary] = stack_list(stack)
    assert summary["prompt"] == ["It's \"here\" & there: 10 €"]
    picture = files(stack, summary["id"], "png")
    if name == "javascript":
        assert f"size: {len(picture)}" in program.stdout.read()
    else:
        assert (tmp_path / "signature.png").read_bytes() == picture


@pytest.mark.parametrize("name, command", breadth.share(SAMPLES, 3, 1, several=True))
def test_the_same_call_says_why_it_fails(stack, tab, tmp_path, name, command):
    """On a busy pad and with a wrong token it ends at once, with the gateway's words."""
    capture = json.loads(api(stack, "/captures", {"prompt": ["Sign here"]}))["id"]
    for change, words in [
            (lambda source: source, "Another capture is running"),
            (lambda source: source.replace(stack.token, stack.token[:-1] + "~"), "The token is wrong")]:
        program = start(sample(tab, tmp_path, name, change), command, tmp_path)
        assert program.wait(10) not in (0, None)
        assert words in program.stdout.read()
    api(stack, f"/captures/{capture}/cancel", {})


@pytest.mark.parametrize("name, command", breadth.share(SAMPLES, 3, 2, several=True))
def test_the_same_call_says_that_the_person_cancelled(stack, tab, tmp_path, name, command):
    program = start(sample(tab, tmp_path, name), command, tmp_path)
    page_is(stack, "signing", tab)
    focus(tab, "cancel")
    tab.page.keyboard.press("Enter")
    program.wait(20)
    assert "cancelled" in program.stdout.read() and not (tmp_path / "signature.png").exists()


@pytest.mark.parametrize("program, number", breadth.pairs(SAMPLES, [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]))
def test_the_same_call_cancels_when_it_is_interrupted(stack, tab, tmp_path, program, number):
    name, command = program
    if name == "python" and number != signal.SIGINT:
        pytest.skip("Python ends without a word")
    source = tmp_path / ("sample.mjs" if name == "javascript" else "sample")
    source.write_text(sample(tab, tmp_path, name))
    program = subprocess.Popen(
        [command[0], source], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        # Ignored if the tests were started in the background.
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
    page_is(stack, "signing", tab)
    # Until the sample has the answer, and follows.
    time.sleep(0.5)
    os.killpg(program.pid, number)
    page_is(stack, "idle", tab)
    assert program.wait(10) != 0


def test_samples_with_a_client_are_five_statements(tab):
    """After the import: make the pad, capture, print, and if it was accepted, get the file."""
    for name in ("javascript", "python"):
        tab.page.locator("#tab-" + name).click()
        lines = tab.page.locator("#snippet").inner_text().splitlines()
        statements = [line for line in lines if line and line[0].isalpha()]
        assert len(statements) == 5, statements


def state(tab) -> str:
    return tab.page.locator("#state").inner_text()


def test_all_tabs_follow_what_the_pad_does(stack, open_tab):
    """A capture of another program is shown as the page's own: status, events and result."""
    first, second = open_tab(), open_tab()
    second.wait_for_link()
    first.wait_for_link("replaced")
    capture = json.loads(api(stack, "/captures", {"prompt": ["Sign here"]}))["id"]
    for tab in (first, second):
        wait_for(lambda: state(tab) == "Sign on the pad.")
        assert tab.page.locator("#submit").is_disabled()
        assert tab.page.evaluate("() => document.activeElement.id") != "pad", "nobody asked in this tab"
    show_all(stack, second)
    sign(stack, second)
    second.page.reload()
    second.wait_for_link()
    wait_for(lambda: state(second) == "Sign on the pad.")
    second.draw(ACCEPT, [0.5])
    for tab in (first, second):
        tab.page.locator("#result").wait_for()
        assert state(tab) == "Signed and stored."
        assert json.loads(tab.page.locator("#events code").last.inner_text())["id"] == capture
        assert tab.page.locator("#submit").is_enabled()
    # The next one is asked for in the tab without the pad.
    first.page.locator("#submit").click()
    wait_for(lambda: state(second) == "Sign on the pad." and second.page.locator("#result").is_hidden())
    focus(second, "cancel")
    second.page.keyboard.press("Enter")
    for tab in (first, second):
        wait_for(lambda: state(tab) == "Cancelled.")


def test_a_capture_of_a_program_beside_the_panel(stack, tab):
    """The gateway does not know it, and the page does not claim that nobody signs."""
    signature = Signature(stack)
    wait_for(lambda: state(tab) == "Another program asks for a signature.")
    show_all(stack, tab)
    tab.draw(STROKE, FORCE)
    signature.wait_for_strokes(1)
    tab.draw(ACCEPT, [0.5])
    signature.end()
    wait_for(lambda: state(tab) == "Nobody is asked to sign yet.")


@pytest.mark.parametrize("width, height", [(1280, 720), (390, 844)])
def test_the_signature_comes_into_view(stack, open_tab, width, height):
    tab = open_tab()
    tab.page.set_viewport_size({"width": width, "height": height})
    tab.wait_for_link()

    def visible(element: str) -> bool:
        return tab.page.evaluate("""(id) => {
            const box = document.getElementById(id).getBoundingClientRect();
            return box.height > 0 && box.top >= 0 && box.bottom <= innerHeight;
        }""", element)

    tab.page.locator("#submit").scroll_into_view_if_needed()
    ask(stack, tab)
    wait_for(lambda: visible("pad"))
    wait_for(lambda: tab.page.evaluate("() => document.activeElement.id") == "pad")
    # On a phone, one scrolls by hand to sign; this test touches the pad where it is.
    time.sleep(0.5)
    sign(stack, tab)
    tab.draw([(0.88, 0.93)], [0.5])
    tab.page.locator("#result").wait_for()
    wait_for(lambda: visible("picture") and visible("png"))
    # The focus is never lost, though buttons have come and gone.
    assert tab.page.evaluate("() => document.activeElement.id") == "pad"


def test_the_page_asks_for_nothing_while_a_program_beside_the_panel_does(stack, tab):
    """The page cannot follow it; it asks for no other one meanwhile."""
    signature = Signature(stack)
    tab.page.get_by_text("Another program asks for a signature.").wait_for()
    wait_for(lambda: tab.page.locator("#submit").is_disabled())
    sign(stack, tab)
    tab.draw(ACCEPT, [0.5])
    signature.end()
    wait_for(lambda: tab.page.locator("#submit").is_enabled())
    # One after another.
    second = Signature(stack)
    wait_for(lambda: tab.page.locator("#submit").is_disabled())
    with stack.service() as service:
        service.Cancel()
    second.thread.join()
    wait_for(lambda: tab.page.locator("#submit").is_enabled())
    ask(stack, tab)


@pytest.mark.parametrize("is_beside", [False, True], ids=["by curl", "by a program beside the panel"])
def test_a_capture_of_another_program_brings_the_pad_into_view(stack, tab, is_beside):
    tab.page.set_viewport_size({"width": 390, "height": 700})
    is_visible = lambda: tab.box["y"] >= 0  # noqa: E731
    tab.page.evaluate("() => scrollTo(0, document.body.scrollHeight)")
    wait_for(lambda: not is_visible())
    if is_beside:
        signature = Signature(stack)
    else:
        api(stack, "/captures", {"prompt": ["Sign here"]})
    wait_for(is_visible)
    with stack.service() as service:
        service.Cancel()
    # Whoever types keeps the place.
    wait_for(lambda: tab.page.locator("#submit").is_enabled())
    tab.page.locator("[name=reason]").focus()
    tab.page.evaluate("() => scrollTo(0, document.body.scrollHeight)")
    wait_for(lambda: not is_visible())
    api(stack, "/captures", {"prompt": ["Sign here"]})
    wait_for(lambda: tab.page.locator("#submit").is_disabled())
    time.sleep(0.5)
    assert not is_visible()
    if is_beside:
        signature.thread.join()


def test_the_keyboard_keeps_its_place(stack, tab):
    focused = lambda: tab.page.evaluate("() => document.activeElement.id")  # noqa: E731
    tab.page.locator("[name=reason]").focus()
    tab.page.keyboard.press("Enter")
    page_is(stack, "signing", tab)
    wait_for(lambda: focused() == "pad")
    tab.page.locator("#cancel").wait_for()
    # In the order of reading: Undo and Clear are above.
    for name in ("undo", "clear", "cancel"):
        tab.page.keyboard.press("Tab")
        assert focused() == name
    tab.page.keyboard.press("Enter")
    wait_for(lambda: state(tab) == "Cancelled." and tab.page.locator("#cancel").is_hidden())
    assert focused() == "pad"


def test_more_rows(stack, tab):
    while tab.page.locator("#add-row").is_visible():
        tab.page.locator("#add-row").click()
    assert tab.page.locator(".row").count() == 16
    assert tab.page.evaluate("() => document.activeElement.dataset.part") == "label"
    tab.page.locator(".row .remove").nth(3).click()
    assert tab.page.evaluate("() => document.activeElement.id") == "add-row"
    for index in range(2, 6):
        for part in ("label", "value"):
            tab.page.locator(f".row:nth-child({index + 1}) [data-part={part}]").fill(f"{part} {index}")
    ask(stack, tab)
    rows = stack.status() and json.loads(tab.page.locator("#snippet").inner_text().split("-d '")[1].split("'")[0])["rows"]
    assert len(rows) == 6


def fill_people(page, *people):
    for number, (role, name, sees) in enumerate(people):
        page.locator("#add-person").click()
        entry = page.locator("#people .entry").nth(number)
        entry.locator("[data-part=role]").fill(role)
        entry.locator("[data-part=name]").fill(name)
        if sees:
            entry.locator("[data-part=sees]").select_option(sees)


def test_documents_questions_and_people_are_in_the_call(tab, tmp_path):
    page = tab.page
    contract = tmp_path / "contract.pdf"
    contract.write_bytes(b"%PDF-1.4\n")
    page.locator("#flow summary").click()
    page.locator("[name=document]").set_input_files(contract)
    place = page.locator("#places .entry").first
    place.locator("[data-part=text]").fill("Signature:")
    # Whose it is, is asked when there are people.
    assert place.locator("[data-part=person]").is_hidden()
    page.locator("[name=questions]").fill("check mail Receipt? | by mail\nchoice way How? | on paper | by mail")
    fill_people(page, ("Customer", "Anna", ""), ("Witness", "Ben", "Customer"))
    for name in ("seeAll", "decline"):
        page.locator(f"[name={name}]").check()
    page.locator("#tab-python").click()
    call = page.locator("#snippet").inner_text()
    assert 'document = pad.upload(open("contract.pdf", "rb").read())' in call and '"id": document["id"]' in call
    assert 'pad.file(capture["id"], "signed.pdf")' in call
    given = {}
    exec(call[call.index("capture = "):call.index("print(")].replace("pad.capture", "dict"), {"document": {"id": "d"}}, given)
    request = given["capture"]
    assert request["document"] == {
        "id": "d", "reference": "contract.pdf", "fields": [{"anchor": "Signature:"}], "policy": {"mustSeeAllPages": True}}
    assert request["questions"] == [
        {"name": "mail", "kind": "check", "heading": "Receipt?", "text": "by mail"},
        {"name": "way", "kind": "choice", "text": "How?", "choices": ["on paper", "by mail"]}]
    assert request["people"] == [{"role": "Customer", "name": "Anna"}, {"role": "Witness", "name": "Ben", "sees": "Customer"}]
    assert request["decline"] == []

    def fields() -> list:
        text = page.locator("#snippet").inner_text()
        return json.JSONDecoder().raw_decode(text[text.index('"fields": ') + 10:])[0]

    place.locator("[data-part=way]").select_option("rect")
    for part, value in [("page", 2), ("left", 70), ("lower", 100), ("right", 230), ("upper", 150.5)]:
        place.locator(f"[data-part={part}]").fill(str(value))
    place.locator("[data-part=kind]").select_option("initials")
    place.locator("[data-part=person]").select_option("Witness")
    assert fields() == [{"kind": "initials", "person": "Witness", "page": 2, "rect": [70, 100, 230, 150.5]}]
    page.locator("#add-place").click()
    other = page.locator("#places .entry").nth(1)
    other.locator("[data-part=way]").select_option("field")
    other.locator("[data-part=text]").fill("Kunde")
    assert fields()[1] == {"field": "Kunde"}
    # A role that is gone is nobody's.
    page.locator("#people .entry").nth(1).locator("[data-part=role]").fill("Chief")
    assert "person" not in fields()[0]
    for _ in range(2):
        page.locator("#places .remove").first.click()
    assert '"fields"' not in page.locator("#snippet").inner_text()
    for language, upload in [("curl", "--data-binary @'contract.pdf'"), ("javascript", 'readFile("contract.pdf")')]:
        page.locator(f"#tab-{language}").click()
        assert upload in page.locator("#snippet").inner_text()


def test_a_question_is_answered_on_the_pad_and_a_wrong_one_is_named(stack, open_tab):
    tab = open_tab(expected=("status of 400",))
    tab.wait_for_link()
    page = tab.page
    page.locator("#flow summary").click()
    page.locator("[name=questions]").fill("tick mail Send me the receipt")
    page.locator("#submit").click()
    page.locator("#error").wait_for()
    assert "/questions/0/kind" in page.locator("#error").inner_text()
    page.locator("[name=questions]").fill("check mail Send me the receipt")
    page.locator("#submit").click()
    page_is(stack, "question", tab)
    wait_for(lambda: page.locator("#state").inner_text() == "Answer on the pad.")
    api(stack, f"/captures/{stack.status()['running']['id']}/cancel", {})
    wait_for(lambda: page.locator("#state").inner_text() == "Cancelled.")
