# SPDX-License-Identifier: Apache-2.0
"""The page in Debian's Firefox."""

import io

import pikepdf
import pytest
from conftest import PAGE
from firefox import VerifierInFirefox
from support import breadth

# The other tests use Chromium.
pytestmark = breadth.long


@pytest.fixture(scope="module")
def firefox(tmp_path_factory):
    firefox = VerifierInFirefox(tmp_path_factory.mktemp("firefox"))
    yield firefox
    firefox.stop()


@pytest.mark.parametrize("place", ["file", "server"])
def test_firefox_gives_the_verdicts(firefox, server, place, sealed, encrypted, flow, tmp_path):
    server.asked.clear()
    firefox.open(PAGE.as_uri() if place == "file" else server.url)
    firefox.run("addEventListener('securitypolicyviolation', (event) => { document.documentElement.dataset.violated = event.violatedDirective })")
    assert firefox.give(*sealed) == "Genuine and unchanged"
    changed = tmp_path / sealed[0].name
    changed.write_bytes(sealed[0].read_bytes().replace(b"4711", b"4712"))
    firefox.run("document.getElementById('anew').click()")
    assert firefox.give(changed, *sealed[1:]) == "Changed"
    files, identity = encrypted
    firefox.run("document.getElementById('anew').click()")
    assert firefox.give(*files, identity) == "Genuine and unchanged"
    firefox.run("document.getElementById('anew').click()")
    assert firefox.give(*flow) == "Genuine and unchanged"
    assert "The same ink as I0, used again" in firefox.run("return document.getElementById('report').innerText")
    assert firefox.run("return document.documentElement.dataset.violated") is None
    assert server.asked == (["/verify.html"] if place == "server" else [])
    with pikepdf.open(io.BytesIO(firefox.paper())) as paper:
        assert len(paper.pages) <= 2
    # Signatures are drawn.
    assert firefox.run("""
        const canvas = document.querySelector("canvas");
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        return data.some((value, index) => index % 4 === 0 && value < 60);
    """)
