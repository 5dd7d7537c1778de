# SPDX-License-Identifier: Apache-2.0
"""What the page says of files. Tests/system/Evidence compares all verdicts with those of the other verifiers."""

import json
import zipfile

import pytest
from conftest import PAGE, TOP, Sealer, archive, contract, digest, record, run
from flows import instead
from support import breadth
from support.breadth import long

GENUINE, CHANGED, UNDECIDED = "Genuine and unchanged", "Changed", "Cannot be decided"


def test_a_record_of_an_allowed_key_is_genuine_from_a_file_and_from_a_server(open_tab, server, sealed):
    for url in (PAGE.as_uri(), server.url):
        tab = open_tab(url)
        assert tab.give(*sealed) == GENUINE
        for words in ("Anna Müller", "I have received the delivery.", "till-3", "November 27, 2026 at 3:00:00 PM (UTC+01:00)",
                      "Sealed\nNovember 27, 2026 at 3:00:02 PM (UTC+01:00)",
                      "to within 12 ms", "Recorded, but not shown on the screen", "Undone or cleared by the person (strokes: 1)"):
            assert words in tab.text, words
        # No unfitting fact, and each in words.
        assert tab.page.locator(".fact-wrong").count() == 0
        assert tab.page.locator(".fact-ok").count() >= 5
        assert "{" not in tab.text


def test_a_changed_record_is_changed(tab, sealed, tmp_path):
    changed = tmp_path / sealed[0].name
    changed.write_bytes(sealed[0].read_bytes().replace(b"4711", b"4712"))
    assert tab.give(changed, *sealed[1:]) == CHANGED
    assert "it was changed, or it is another one" in tab.page.inner_text(".verdict")
    assert tab.page.locator(".fact-wrong").count() >= 1


def test_without_its_seal_nothing_is_decided(tab, sealed):
    assert tab.give(sealed[0], sealed[3]) == UNDECIDED
    assert "The seal for this file is missing." in tab.page.inner_text(".verdict")


def test_an_unknown_key_is_never_genuine_until_its_reader_states_so(tab, sealed, panel):
    assert tab.give(*sealed[:3]) == UNDECIDED
    page = tab.page
    assert "It is not known whose key this is." in page.inner_text(".verdict")
    assert page.inner_text(".fingerprint").replace(" ", "") == panel.key
    page.click(".compare button")
    assert page.inner_text(".compare .reason") == "Type the fingerprint, or tick that you have compared it."
    page.fill("#typed", "SHA256:" + "A" * 43)
    page.press("#typed", "Enter")
    assert page.inner_text(".compare .reason") == "That is another key: not the one that sealed this record."
    assert page.inner_text("#verdict") == UNDECIDED
    # As it is typed from paper.
    page.fill("#typed", " ".join(panel.key[7:][at:at + 4] for at in range(0, 43, 4)))
    page.press("#typed", "Enter")
    page.wait_for_selector(".verdict-genuine")
    assert "because you stated that you have compared it" in page.inner_text(".verdict")
    page.click("text=Take this statement back")
    page.wait_for_selector(".verdict-undecided")
    page.check("#compared")
    page.click(".compare button")
    page.wait_for_selector(".verdict-genuine")
    # Other files need another statement.
    page.click("#anew")
    assert tab.give(*sealed[:3]) == UNDECIDED


def test_a_statement_counts_for_one_key(tab, sealed, tmp_path):
    tab.give(*sealed[:3])
    tab.page.check("#compared")
    tab.page.click(".compare button")
    tab.page.wait_for_selector(".verdict-genuine")
    tab.page.click("#dropped li:nth-child(3) button")
    tab.page.click("#dropped li:nth-child(2) button")
    tab.page.wait_for_selector(".verdict-undecided")
    forged = Sealer(tmp_path).seal("forged", record())
    assert tab.give(*forged[1:]) == UNDECIDED


def test_statements_about_two_keys_stand_together(tab, sealed, panel, tmp_path):
    other = Sealer(tmp_path)
    lines = record()
    lines[0]["id"] = "20261127-2"
    assert tab.give(*sealed[:3], *other.seal("other", lines)) == UNDECIDED
    page = tab.page
    for id, key in ((lines[0]["id"], other.key), (record()[0]["id"], panel.key)):
        page.select_option("#record", id)
        tab.wait()
        assert page.inner_text(".fingerprint").replace(" ", "") == key
        page.check("#compared")
        page.click(".compare button")
        tab.wait()
    page.wait_for_selector(".verdict-genuine")


def test_a_key_that_is_no_longer_allowed_is_not_compared(tab, sealed, tmp_path):
    listed = tmp_path / "allowed_signers"
    listed.write_text(sealed[3].read_text().replace("namespaces=", 'valid-before="20200101",namespaces='))
    assert tab.give(*sealed[:3], listed) == UNDECIDED
    assert "The key was not allowed at that time." in tab.page.inner_text(".key")
    assert tab.page.locator("#typed").count() == 0


def test_a_seal_that_was_kept_is_compared(tab, sealed):
    page, head = tab.page, f"1:{digest(sealed[1].read_bytes())}"
    assert tab.give(*sealed) == GENUINE
    for typed, verdict, words in (
            (f" {head.upper()} ", GENUINE, "Seal 1 is the one that you kept"),
            (f"2:{digest(b'2')}", UNDECIDED, "Seal 2, which you kept, is not"),
            (f"1:{digest(b'1')}", CHANGED, "Seal 1 is not the one that you kept")):
        page.locator(".head").evaluate("details => { details.open = true }")
        page.fill("#head", "1:x")
        page.press("#head", "Enter")
        assert "17:9f86d0" in page.inner_text(".head .reason")
        page.fill("#head", typed)
        page.press("#head", "Enter")
        page.wait_for_selector(f".facts :text('{words}')")
        assert tab.wait() == verdict


def test_a_seal_that_was_typed_wrongly_is_taken_back(open_tab, sealed):
    tab = open_tab(width=390)
    tab.give(*sealed)
    tab.page.click(".head summary")
    tab.page.fill("#head", wrong := f"1:{digest(b'1')}")
    tab.page.press("#head", "Enter")
    tab.page.wait_for_selector(".verdict-changed")
    assert wrong in tab.page.inner_text(".head")
    assert tab.page.evaluate("() => document.documentElement.scrollWidth") <= 390
    tab.page.locator(".head").get_by_role("button", name="Take this statement back").click()
    tab.page.wait_for_selector(".verdict-genuine")


def test_a_list_of_keys_from_the_archive_does_not_count(tab, sealed, tmp_path):
    packed = archive(tmp_path / "evidence.zip", [*sealed, PAGE])
    assert tab.give(packed) == UNDECIDED
    assert "whoever made the record could have made the list, too" in tab.text
    assert tab.give(sealed[3]) == GENUINE


def test_a_damaged_archive_is_undecided(tab, sealed, tmp_path):
    packed = archive(tmp_path / "evidence.zip", sealed)
    data = bytearray(packed.read_bytes())
    data[60] ^= 1
    packed.write_bytes(data)
    assert tab.give(packed) == UNDECIDED
    assert "The archive is damaged" in tab.text


def test_a_folder_and_a_drop(tab, sealed, panel):
    tab.page.set_input_files("#folder", str(sealed[0].parent))
    assert tab.wait() == UNDECIDED
    tab.page.evaluate("""text => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([text], "allowed_signers"));
        document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }""", panel.allowed.read_text())
    tab.page.wait_for_selector(".verdict-genuine")


@pytest.mark.parametrize("way", ["typed", "dropped"])
def test_an_encrypted_record_opens_with_its_secret_key(tab, encrypted, way, panel):
    files, identity = encrypted
    assert tab.give(*files) == UNDECIDED
    assert "This file is encrypted" in tab.page.inner_text(".verdict")
    secret = identity.read_text().splitlines()[-1]
    if way == "dropped":
        assert tab.give(identity) == GENUINE
    else:
        tab.page.fill("#identity", "AGE-SECRET-KEY-1WRONG")
        tab.page.press("#identity", "Enter")
        tab.page.get_by_text("What was typed or dropped is no secret key.").first.wait_for()
        tab.page.fill("#identity", secret)
        tab.page.press("#identity", "Enter")
        tab.page.wait_for_selector(".verdict-genuine")
    assert "Anna Müller" in tab.text
    assert secret not in tab.page.inner_text("body")


def test_the_reason_says_why_something_was_not_opened(tab, encrypted, tmp_path):
    files, _ = encrypted
    run("age-keygen", "-o", tmp_path / "other.key")
    assert tab.give(*files, tmp_path / "other.key") == UNDECIDED
    assert "The secret key does not fit this file." in tab.page.inner_text(".verdict")
    tab.page.click("#anew")
    damaged = archive(tmp_path / "evidence.zip", files)
    damaged.write_bytes(damaged.read_bytes()[:-30])
    assert tab.give(damaged) == UNDECIDED
    assert "The archive is damaged" in tab.page.inner_text(".verdict")


def test_a_secret_key_may_have_comments_in_any_language(tab, encrypted, tmp_path):
    files, identity = encrypted
    (tmp_path / "key.txt").write_text("# Schlüssel des Gerichts, 法院\n" + identity.read_text())
    assert tab.give(*files, tmp_path / "key.txt") == GENUINE


def test_two_people_with_what_they_read_and_answered(tab, flow):
    assert tab.give(*flow) == GENUINE
    [customer, witness] = tab.page.locator(".person").all()
    for person, words in (
            (customer, ("Customer – Anna", "2 of 2 pages, not all of them to the end, in 12.5 sec", "News?", "no", "consent ticked", "S01")),
            (witness, ("Witness who saw Customer sign", "all of them to the end", "4 of 5", "The same ink as I0, used again", "S02"))):
        for part in words:
            assert part in " ".join(person.inner_text().split()), part
    assert tab.page.locator("canvas").count() == 3


def without_signatures(flow, change=lambda lines: None) -> list[dict]:
    lines = instead(contract(flow[3].read_bytes(), [digest(b"1"), digest(b"2")]))
    change(lines)
    return lines


def told_of_sheets(tab) -> dict[str, list[str]]:
    """The words below the name of each field, without those of its ink."""
    return {sheet.locator("h4").inner_text(): sheet.locator("> dl :is(dt, dd), > p").all_inner_texts()
            for sheet in tab.page.locator(".sheet").all()}


def test_what_was_done_in_place_of_signatures_is_said(tab, panel, flow):
    assert tab.give(*panel.seal("instead", without_signatures(flow)), *flow[3:]) == GENUINE
    parts = {
        "S01": "mark", "S01/witness1": "witness", "S01/witness2": "witness", "S02": "heard", "S03": "representative"}
    for path in (TOP / "verifier/texts").glob("*.json"):
        tab.page.select_option("#language", path.stem)
        texts = json.loads(path.read_text())
        told = told_of_sheets(tab)
        for name, part in parts.items():
            assert told[name] == [texts[f"instead.{part}"]]
        assert told["S04"] == [
            texts["instead.entered"], "Maria Huber", texts["reason"], "right arm in plaster", texts["instead.host"]]
        assert told["S05"] == [texts["instead.typed"], "Maria Huber", texts["instead.afterReading"]]
    tab.page.select_option("#language", "en")
    # Of what was confirmed there is no ink.
    drawn = [sheet.locator("h4").inner_text() for sheet in tab.page.locator(".sheet:has(canvas)").all()]
    assert drawn == ["S01", "S01/witness1", "S01/witness2", "I0", "S03"]
    names = [canvas.get_attribute("aria-label").split(".")[0] for canvas in tab.page.locator("canvas").all()]
    assert names == [
        "A mark", "A witness of the mark", "A witness of the mark", "Signature", "Signed by a representative"]
    confirmed = tab.page.locator(".sheet", has=tab.page.get_by_role("heading", name="S02", exact=True))
    assert confirmed.count() == 1 and confirmed.locator(".places").count() == 0


def test_a_typed_name_is_text_in_a_frame(tab, panel, flow):
    """Whatever it looks like; the reason, too."""
    hostile = "<img src=x onerror=alert(1)>\u202e Genuine and unchanged"

    def change(lines):
        for each in lines:
            if "typed" in each:
                each["typed"]["entered"] |= {"name": hostile, "reason": hostile}

    assert tab.give(*panel.seal("hostile-name", without_signatures(flow, change)), *flow[3:]) == GENUINE
    assert tab.page.locator(".sheet img").count() == 0
    framed = tab.page.locator(".sheet dd > q.said > bdi").all_inner_texts()
    assert framed == 4 * [hostile.replace("\u202e", "U+202E")]


def test_a_mark_that_lacks_a_witness_is_wrong(tab, panel, flow):
    def remove(lines):
        at = next(at for at, each in enumerate(lines) if each.get("instead", {}).get("part") == "witness2")
        del lines[at:at + 3]

    assert tab.give(*panel.seal("one-witness", without_signatures(flow, remove)), *flow[3:]) == CHANGED
    assert "The mark lacks its witnesses: S01" in " ".join(tab.page.inner_text(".verdict").split())


def test_a_confirmation_in_place_of_what_was_signed_before(tab, panel, flow):
    """Its words and no ink; the ink from before is among the samples. Without speech, nothing is said of it."""
    def confirm(lines):
        at = next(at for at, each in enumerate(lines) if "glass" in each)
        lines.insert(at, {"confirmed": {"heard": False, "name": "S01", "words": "I confirm this"}, "t": 20_000})

    assert tab.give(*panel.seal("confirmed", without_signatures(flow, confirm)), *flow[3:]) == GENUINE
    person = tab.page.locator(".person").first
    assert person.locator(".sheet > *").all_inner_texts() == ["S01", "Confirmed without a signature"]
    tab.page.click(".examination summary")
    tab.page.locator(".examination h3").first.wait_for()
    assert tab.page.locator(".examination h3").all_inner_texts() == ["S01", "S01/witness1", "S01/witness2", "I0", "S03"]


def test_a_record_of_several_is_chosen(tab, sealed, flow):
    tab.give(*sealed, *flow[:3])
    assert "all 2 records" in tab.text and tab.page.locator(".person").count() == 1
    other = tab.page.locator("#record option:not(:checked)").get_attribute("value")
    tab.page.select_option("#record", other)
    tab.page.locator(".person").nth(1).wait_for()
    assert tab.page.input_value("#record") == other


@pytest.mark.parametrize("text", [
    "AGE-SECRET-KEY-1QQQ\nI owe you a million.\n", "AGE-SECRET-KEY-1QQQ\n", "# a key\rI owe you a million.\nAGE-SECRET-KEY-1QQQ\n",
    "{key}\rI owe you a million.\n", "# \u202e\n{key}\n", "#" + 20_000 * "x" + "\n{key}\n"],
    ids=["contract", "key", "return", "after", "unseen", "long"])
def test_what_only_begins_like_a_secret_key_does_not_vanish(tab, sealed, encrypted, tmp_path, text):
    odd = tmp_path / "contract.txt"
    odd.write_bytes(text.replace("{key}", encrypted[1].read_text().splitlines()[-1]).encode())
    assert tab.give(*sealed, odd) == UNDECIDED
    assert "contract.txt" in tab.page.inner_text(".facts") and "contract.txt" in tab.page.inner_text(".files")


def test_a_secret_key_is_named_without_its_contents(tab, encrypted):
    files, identity = encrypted
    assert tab.give(*files, identity) == GENUINE
    assert f"{identity.name} Secret key for encrypted files" in " ".join(tab.page.inner_text(".files").split())
    assert digest(identity.read_bytes()) not in tab.text


@pytest.mark.parametrize("place", ["sub/.signers", "allowed_signers", "allowed_signers.txt"], ids=["below", "name", "text"])
def test_a_list_of_keys_counts_only_if_it_was_given_by_itself(tab, panel, tmp_path, place):
    other = Sealer(tmp_path)
    files = other.seal("folder", record())
    hidden = files[0].parent / place
    hidden.parent.mkdir(exist_ok=True)
    other.allowed.rename(hidden)
    tab.page.set_input_files("#folder", str(files[0].parent))
    assert tab.wait() == UNDECIDED
    (tmp_path / "mine.signers").write_bytes(panel.allowed.read_bytes())
    assert tab.give(tmp_path / "mine.signers") == UNDECIDED
    assert "Drop the list by itself" in tab.text
    assert tab.give(hidden) == GENUINE
    # Whose list it is that is believed.
    said = tab.page.locator(".verdict .said").all_inner_texts()
    assert said[:2] == ["till-3@example.org", hidden.name]


def test_lists_that_differ_about_a_key_decide_nothing(tab, sealed, panel, tmp_path):
    other = tmp_path / "signers"
    other.write_text(panel.allowed.read_text().replace("till-3", "till-4"))
    assert tab.give(*sealed, other) == UNDECIDED
    assert "say different things about the key" in tab.page.inner_text(".verdict")
    tab.page.click("#anew")
    # One that says the same.
    other.write_text("# mine\n" + panel.allowed.read_text())
    assert tab.give(*sealed, other) == GENUINE
    assert tab.page.locator(".verdict .said").all_inner_texts()[:3] == ["till-3@example.org", "allowed_signers", "signers"]


def test_a_file_of_the_same_name_replaces_none_silently(tab, sealed, tmp_path):
    changed = tmp_path / sealed[0].name
    changed.write_bytes(sealed[0].read_bytes().replace(b"4711", b"4712"))
    assert tab.give(changed, *sealed[1:]) == CHANGED
    assert tab.give(sealed[0]) == CHANGED
    assert "Two different files have this name." in tab.text
    tab.page.click("#dropped li:first-child button")
    tab.page.wait_for_selector(".verdict-genuine")
    # The same again is no other one.
    assert tab.give(sealed[0]) == GENUINE


def test_what_lies_too_deep_in_folders_is_told(tab, sealed):
    tab.give(*sealed)
    tab.page.evaluate("""() => {
        const folder = (path, entries) => ({ isFile: false, fullPath: path, createReader: () => {
            const parts = [entries, []];
            return { readEntries: (done) => done(parts.shift()) };
        } });
        let path = "/1/2/3/4/5/6/7/8/9/10";
        let entry = folder(path, []);
        while ((path = path.slice(0, path.lastIndexOf("/")))) entry = folder(path, [entry]);
        const event = new Event("drop", { bubbles: true, cancelable: true });
        event.dataTransfer = { items: [{ kind: "file", webkitGetAsEntry: () => entry }], files: [] };
        document.body.dispatchEvent(event);
    }""")
    tab.page.wait_for_selector(".verdict-undecided")
    assert "it lies too deep in folders" in tab.page.inner_text(".verdict")
    assert "1/2/3/4/5/6/7/8/9/10" in tab.page.inner_text(".facts")


def test_a_choice_is_shown_with_the_label_of_its_answer(tab, panel, flow):
    lines = contract(flow[3].read_bytes(), [digest(b"1"), digest(b"2")])
    places = [field for field in lines[0]["flow"]["document"]["fields"] if field["name"] == "way"]
    places[0]["label"], places[1]["label"] = "I agree to the loan", "I refuse the loan"
    assert tab.give(*panel.seal("labels", lines), flow[3], panel.allowed) == GENUINE
    assert "way I refuse the loan paper" in " ".join(tab.page.locator(".person").first.inner_text().split())
    assert "I agree to the loan" not in tab.text


def test_the_words_above_boxes_and_pages_to_write_on_are_shown(tab, panel, flow):
    lines = contract(flow[3].read_bytes(), [digest(b"1"), digest(b"2")])
    asked = lines[0]["flow"]
    asked["questions"] += [{"heading": "May we not write?", "kind": "check", "name": "mail", "text": "By mail"}]
    asked["document"]["fields"][0]["label"] = "For the loan"
    place = next(at for at, each in enumerate(lines) if each.get("accepted") == {"name": "S01"}) + 1
    lines[place:place] = [
        {"answer": {"checked": True, "name": "mail"}, "t": 9000},
        {"field": {"name": "damage", "person": 0, "signingArea": [40, 180, 720, 200]}, "t": 9000},
        {"stroke": {"device": 0, "pen": "ink", "samples": [[9000, 100, 200], [9005, 160, 210]]}},
        {"accepted": {"name": "damage"}, "t": 9100}]
    lines[0]["flow"]["questions"][2]["text"] = "What is broken?"
    assert tab.give(*panel.seal("headings", lines), flow[3], panel.allowed) == GENUINE
    person = tab.page.locator(".person").first
    assert "May we not write? By mail ticked" in " ".join(person.inner_text().split())
    assert person.locator("h4").all_inner_texts() == ["S01 For the loan", "damage What is broken?"]


def test_a_clock_that_was_set_during_the_capture_was_not_controlled(tab, panel):
    """The seal's clock is that of the end."""
    for is_controlled, error, words in ((False, 0, "No time service controlled"), (True, 16_000_000, "to within 16,000 ms")):
        lines = record()
        lines[0] |= {"clockSynchronized": is_controlled, "clockMaximumError": error}
        lines[0]["startedAt"] -= 300 * 86_400_000_000
        tab.give(*panel.seal(f"clock-{is_controlled}", lines), panel.allowed)
        assert words in tab.page.inner_text(".overview")
        tab.page.click("#anew")


@long
def test_archives_are_unpacked_up_to_a_size_of_all(tab, sealed, tmp_path):
    paths = []
    for name in "abc":
        paths.append(tmp_path / f"{name}.zip")
        with zipfile.ZipFile(paths[-1], "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr(f"{name}.bin", bytes(200 << 20))
    assert tab.give(*sealed, *paths) == UNDECIDED
    told = tab.page.locator(".fact", has_text="too large").all_inner_texts()
    assert len(told) == 1 and "c.zip" in told[0]


def test_what_was_not_checked_is_named_in_the_verdict(tab, sealed, tmp_path):
    (tmp_path / "signature.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (tmp_path / "README.txt").write_bytes(b"Evidence of the capture 1\n")
    assert tab.give(*sealed, tmp_path / "signature.png", tmp_path / "README.txt") == GENUINE
    assert "Not checked: signature.png, README.txt" in tab.page.inner_text(".verdict")


def test_the_time_is_said_once(tab, sealed):
    tab.give(*sealed)
    told, = tab.page.locator(".fact", has_text="The time is that of the panel’s clock").all_inner_texts()
    assert ".seal" not in told


def test_a_fact_of_several_files_is_said_once(tab, sealed, tmp_path):
    for number in (1, 2, 3):
        (tmp_path / f"signature-{number}.png").write_bytes(b"\x89PNG\r\n\x1a\n%d" % number)
    tab.give(*sealed, *tmp_path.glob("*.png"))
    told, = tab.page.locator(".fact", has_text="for reading only").all_inner_texts()
    assert all(f"signature-{number}.png" in told for number in (1, 2, 3))


def test_the_reason_names_its_file(tab, sealed, flow, tmp_path):
    """The key below it may be that of another record."""
    unknown = Sealer(tmp_path).seal("unknown", contract(flow[3].read_bytes(), [digest(b"1"), digest(b"2")]))
    tab.give(*sealed, *unknown, flow[3])
    assert "It is not known whose key this is. " in (reason := tab.page.inner_text(".reason")) and ".seal" in reason


def test_the_only_person_has_no_empty_frame(tab, panel, flow):
    lines = contract(flow[3].read_bytes(), [digest(b"1"), digest(b"2")])
    del lines[0]["flow"]["people"], lines[0]["flow"]["questions"][0]
    fields = lines[0]["flow"]["document"]["fields"]
    fields[:] = [field for field in fields if field["person"] == 0]
    end = next(at for at, each in enumerate(lines) if each.get("person") == 1)
    lines[end:-1] = []
    lines[-1]["end"]["reading"].pop()
    assert tab.give(*panel.seal("alone", lines), flow[3], panel.allowed) == GENUINE
    told = tab.page.locator(".fact", has_text="Not all pages were seen")
    assert "" not in told.locator("q").all_inner_texts()


def test_each_record_is_shown_with_its_own_key(tab, sealed, panel, flow, tmp_path):
    other = Sealer(tmp_path)
    files = other.seal("other", contract(flow[3].read_bytes(), [digest(b"1"), digest(b"2")]))
    tab.give(*sealed, *files, flow[3])
    keys = {}
    for each in tab.page.locator("#record option").all():
        name = each.get_attribute("value")
        tab.page.select_option("#record", name)
        tab.page.wait_for_selector(f"#record option[value='{name}'][selected]", state="attached")
        keys[name] = tab.page.inner_text(".fingerprint").replace(" ", "")
    assert sorted(keys.values()) == sorted([panel.key, other.key]) and keys[sealed[0].stem] == panel.key


def test_lists_that_were_dropped_with_the_record_do_not_count(tab, sealed, panel, tmp_path):
    """Such as that of an unpacked archive, whose files somebody drops together."""
    assert tab.drop(*sealed) == UNDECIDED
    assert "whoever made the record could have made the list, too" in tab.text
    # The same list by itself, also beside another one of the same name.
    assert tab.drop(sealed[3]) == GENUINE
    tab.page.click("#anew")
    theirs = tmp_path / "allowed_signers"
    theirs.write_text("# not mine\n" + panel.allowed.read_text())
    assert tab.drop(*sealed[:3], theirs) == UNDECIDED
    assert tab.drop(panel.allowed) == GENUINE


def cells(tab) -> list[list[str]]:
    return [row.locator("td").all_inner_texts() for row in tab.page.locator(".verdicts tbody tr").all()]


def test_several_records_have_a_verdict_each(tab, sealed, panel, tmp_path):
    """Two of one panel, whose seals are no neighbours, are genuine together."""
    lines = record(signer="Bert")
    lines[0]["id"] = "20261127-2"
    other = panel.seal("far", lines, n=7, previous=digest(b"6"))
    assert tab.give(*sealed[:3], *other, panel.allowed) == GENUINE
    assert "Seals before seal 7 are not among the files." in tab.page.inner_text(".facts")
    found = cells(tab)
    assert [(row[0], row[1], row[3].strip()) for row in found] == [
        (sealed[0].stem, "Anna Müller", GENUINE), ("20261127-2", "Bert", GENUINE)]
    tab.page.click(".verdicts button >> nth=1")
    tab.wait()
    assert "Bert" in tab.page.inner_text(".overview")
    tab.page.click("#anew")
    changed = tmp_path / other[0].name
    changed.write_bytes(other[0].read_bytes().replace(b"Bert", b"Cleo"))
    lines[0]["id"] = "20261127-3"
    unknown = Sealer(tmp_path).seal("unknown", lines)
    assert tab.give(*sealed[:3], changed, *other[1:], *unknown, panel.allowed) == CHANGED
    assert {row[0]: row[3].strip() for row in cells(tab)} == {
        sealed[0].stem: GENUINE, "20261127-2": CHANGED, "20261127-3": UNDECIDED}


def test_the_document_is_part_of_the_verdict(tab, flow):
    """It is checked, or not among the files; a button opens it."""
    assert tab.give(*flow[:3], flow[4]) == GENUINE
    line = tab.page.locator(".verdict .document")
    assert line.all_inner_texts() == ["The document is not among the files."] and line.first.get_attribute("class").split()[1] == "fact-unchecked"
    assert tab.page.locator(".verdict a.button").count() == 0
    assert tab.give(flow[3]) == GENUINE
    assert "The document is the one that was signed." in line.first.inner_text()
    assert "fact-ok" in line.first.get_attribute("class")
    button = tab.page.locator(".verdict a.button")
    assert button.inner_text().split() == ["Open", "contract.pdf"]
    # The tab has the document's bytes.
    with tab.page.expect_download() as started:
        button.evaluate("link => { link.download = 'contract.pdf'; link.click() }")
    assert open(started.value.path(), "rb").read() == flow[3].read_bytes()
    assert button.get_attribute("href").startswith("blob:") and button.get_attribute("target") == "_blank"


def test_what_the_panel_found_in_the_pages_is_told(tab, panel, flow):
    place = {"rectangle": [1, 2, 3, 4]}
    for name, check, words in (
            ("none", {}, ["No second program compared the pages."]),
            ("second", {"second": "mupdf 1.21.1", "redrawn": True}, []),
            ("differs", {"second": "mupdf 1.21.1", "differences": [{"page": 2, **place}, {"page": 1, **place}, {"page": 2, **place}]},
             ["A second program draws these pages differently from the screen: 1, 2"]),
            ("missing", {"second": "mupdf 1.21.1", "notDrawn": [{"page": 2, "text": "Unknown font"}]},
             ["Not everything on these pages was drawn on the screen: 2"])):
        lines = contract(flow[3].read_bytes(), [digest(b"1"), digest(b"2")])
        lines[-1]["end"]["check"] = check
        assert tab.give(*panel.seal(f"check-{name}", lines), flow[3], panel.allowed) == GENUINE
        told = [" ".join(fact.split()) for fact in tab.page.locator(".fact-unchecked").all_inner_texts()]
        found = [fact for fact in told if "second program" in fact or "drawn on the screen" in fact]
        assert [fact.removeprefix("Not checked. ").removesuffix(f" {flow[0].name}") for fact in found] == words, told
        tab.page.click("#anew")


def test_a_file_that_is_no_evidence_has_nothing_to_check(tab, flow):
    assert tab.give(flow[3]) == "There is nothing here to check"


@pytest.mark.parametrize("locale, words", breadth.share([
    ("en-US", "November 27, 2026"), ("en-GB", "27 November 2026"), ("en-AU", "27 November 2026"), ("en", "27 November 2026"),
    ("de-AT", "27. November 2026")], 2, several=True))
def test_dates_are_those_of_the_readers_region(open_tab, sealed, locale, words):
    tab = open_tab(locale=locale)
    tab.give(*sealed)
    assert words in tab.page.inner_text(".overview")


def test_ink_is_shown_on_its_page_and_place(tab, flow):
    """As far as the document is among the files."""
    tab.give(*flow[:3], flow[4])
    assert tab.page.locator(".places").count() == 0
    tab.give(flow[3])
    shown = [(figure.locator("figcaption").inner_text(), figure.locator("svg").get_attribute("viewBox"),
              [figure.locator(".place").get_attribute(name) for name in ("x", "y", "width", "height")])
             for figure in tab.page.locator(".places figure").all()]
    place = ["300.5", "692", "159.5", "50"]
    assert shown == [(f"{page} / 2", "0 0 595 842", place) for page in (2, 1, 2, 2)]
    for path in tab.page.locator(".places .ink").all():
        box = path.evaluate("path => { const { x, y, width, height } = path.getBBox(); return [x, y, x + width, y + height] }")
        assert 300 <= box[0] < box[2] <= 460.5 and 691.5 <= box[1] <= box[3] <= 742.5, box
        assert box[2] - box[0] > 40


def test_who_asked_is_told(tab, panel):
    lines = record()
    lines[0] |= {"askedBy": "gateway"}
    lines[0]["request"]["operator"] = "Till 3"
    assert tab.give(*panel.seal("asked", lines, askedBy="gateway"), panel.allowed) == GENUINE
    assert "Who asked for it Till 3 gateway" in " ".join(tab.page.inner_text(".overview").split())


def test_what_was_filled_in_before_anybody_read_it_is_told(tab, panel, flow):
    lines = contract(flow[3].read_bytes(), [digest(b"1"), digest(b"2")])
    lines[0]["flow"]["document"]["values"] = {"rent.consent": "Yes", "name": "Anna"}
    assert tab.give(*panel.seal("filled", lines), flow[3], panel.allowed) == GENUINE
    glass = " ".join(tab.page.inner_text(".glass").split())
    assert "Filled in before anybody read it name : Anna rent.consent : Yes".replace(" :", ":") in glass
    assert "Read aloud Contract of sale" in glass
    assert "not a qualified one" in tab.page.inner_text(".verdict")


def test_ink_before_the_page_is_wrong(tab, panel):
    lines = record()
    stroke = next(each["stroke"] for each in lines if "stroke" in each)
    for sample in stroke["samples"]:
        sample[0] -= 60_000_000
    assert tab.give(*panel.seal("early", lines), panel.allowed) == CHANGED
    assert "The ink is dated before the page was shown." in tab.page.inner_text(".verdict")


def test_how_many_keys_open_an_encrypted_file_is_told(tab, encrypted):
    tab.give(*encrypted[0])
    assert "Keys that open it: 1" in tab.page.inner_text(".files")
