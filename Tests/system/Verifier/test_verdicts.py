# SPDX-License-Identifier: Apache-2.0
"""What the page says of files. Tests/system/Evidence compares all verdicts with those of the other verifiers."""

import pytest
from conftest import PAGE, Panel, archive, record

GENUINE, CHANGED, UNDECIDED = "Genuine and unchanged", "Changed", "Cannot be decided"


def test_a_record_of_an_allowed_key_is_genuine_from_a_file_and_from_a_server(open_tab, server, sealed):
    for url in (PAGE.as_uri(), server.url):
        tab = open_tab(url)
        assert tab.give(*sealed) == GENUINE
        for words in ("Anna Müller", "I have received the delivery.", "till-3", "November 27, 2026 at 3:00:00 PM (UTC+01:00)",
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
    forged = Panel(tmp_path).seal("forged", record())
    assert tab.give(*forged[1:]) == UNDECIDED


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


def test_two_people_with_what_they_read_and_answered(tab, flow):
    assert tab.give(*flow) == GENUINE
    [customer, witness] = tab.page.locator(".person").all()
    for person, words in (
            (customer, ("Customer – Anna", "2 of 2 pages, not all of them to the end, in 12.5 sec", "News?", "no", "consent ticked", "S01")),
            (witness, ("Witness who saw Customer sign", "all of them to the end", "4 of 5", "The same ink as I0, used again", "S02"))):
        for part in words:
            assert part in " ".join(person.inner_text().split()), part
    assert tab.page.locator("canvas").count() == 3


def test_a_record_of_several_is_chosen(tab, sealed, flow):
    tab.give(*sealed, *flow[:3])
    assert "all 2 records" in tab.text and tab.page.locator(".person").count() == 1
    other = tab.page.locator("#record option:not(:checked)").get_attribute("value")
    tab.page.select_option("#record", other)
    tab.page.locator(".person").nth(1).wait_for()
    assert tab.page.input_value("#record") == other
