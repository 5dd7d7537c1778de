# SPDX-License-Identifier: Apache-2.0
"""Documents that are signed by people who write no signature: other programs find whose ink and which words there
are."""

import subprocess
from pathlib import Path

import pytest
import varlink
from pyhanko.pdf_utils.reader import PdfFileReader
from test_commands import Board, judged
from test_pad import SIGNATURE, document, lines

STRINGS = Path(__file__).parents[3] / "Sources/Pad/Strings/en.messages"
WORDS = dict(line.split(" = ", 1) for line in STRINGS.read_text().splitlines() if " = " in line)
WAYS = {
    "confirmed": ("was confirmed without a signature", "instead-confirm"),
    "mark": ("is a mark", "mark-witness"),
    "representative": ("was signed by a representative", "representative"),
}


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    with Board(tmp_path_factory.mktemp("instead")) as board:
        yield board


@pytest.mark.parametrize("caption", [True, False])
@pytest.mark.parametrize("way", WAYS)
def test_the_signed_document_says_what_stands_in_place_of_a_signature(board, tmp_path, way, caption):
    contract, output = document(tmp_path / "contract.pdf", 1), tmp_path / "signed.pdf"
    with varlink.Client("unix:" + board.socket) as client, client.open("org.inkpanel.Panel") as service:
        service.Simulate(act="instead")
    done = board.capture(
        contract, "--signer", "Anna Müller", "--reason", "Rental", "--field", SIGNATURE, "--alternative", way,
        *(["--caption"] if caption else []), "--output", output)
    record = lines(board, done.stdout.split()[0])
    parts = [line["instead"]["part"] for line in record if "instead" in line]
    assert parts == {"confirmed": [], "mark": ["mark", "witness1", "witness2"]}.get(way, [way])
    assert record[-1]["end"]["check"]["redrawn"]
    assert judged(board, output) == [("S01", "INTACT:TRUSTED,UNTOUCHED")]
    said, words = WAYS[way]
    with output.open("rb") as file:
        signature = PdfFileReader(file).embedded_regular_signatures[0].sig_object
        assert signature["/Reason"] == f"Rental. S01 {said}"
        assert signature.get("/Name") == (None if way == "representative" else "Anna Müller")
    text = subprocess.run(["pdftotext", output, "-"], capture_output=True, text=True, check=True).stdout
    assert WORDS[words] in " ".join(text.split()), text
