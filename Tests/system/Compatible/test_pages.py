# SPDX-License-Identifier: Apache-2.0
"""Pages of an application in Chromium that speak a protocol over the browser's own WebSocket."""

import base64
import io

import pytest
from PIL import Image
from support.waiting import wait_for

# Keeps what comes, and waits for a message with some members.
PAGE = """<!doctype html><title>Application</title><script>
  const messages = []
  let socket
  const open = (url) => new Promise((done) => {
    socket = new WebSocket(url)
    socket.onopen = () => done("open")
    socket.onclose = (event) => done(event.code)
    socket.onmessage = (event) => messages.push(JSON.parse(event.data))
  })
  const send = (message) => socket.send(JSON.stringify(message))
  const find = (name, value) => messages.find((message) => message[name] === value)
</script>"""


class Application:
    def __init__(self, web, page):
        self.web, self.page = web, page

    def run(self, script: str, *arguments):
        return self.page.evaluate(script, *arguments)

    def connect(self, protocol: str, session: str = "", **members):
        session = session or self.web.session(**members)
        return self.run("open(%r)" % f"ws://127.0.0.1:{self.web.gateway.port}/compat/{protocol}/{session}")

    def send(self, **message) -> None:
        self.run("(message) => send(message)", message)

    def request(self, command: str, **parameters) -> None:
        self.send(TOKEN_TYPE="TOKEN_TYPE_REQUEST", TOKEN_CMD="TOKEN_CMD_" + command,
                  **{"TOKEN_PARAM_" + name: value for name, value in parameters.items()})

    def message(self, name: str, value: str) -> dict:
        """Waits for the first message with this member."""
        return wait_for(lambda: self.run("([name, value]) => find(name, value) ?? null", [name, value]))


@pytest.fixture
def page(web, application):
    return Application(web, application(web.site.add("application.html", PAGE)))


def test_a_page_signs_with_signotecs_protocol(page):
    assert page.connect("signotec", scopes=["capture", "record", "mirror:ink"]) == "open"
    page.request("OPEN_PAD", PAD_INDEX="0")
    page.request("SIGNATURE_START", FIELD_NAME="Signature 1", CUSTOM_TEXT="Please sign!", PAD_ENCRYPTION="FALSE")
    page.message("TOKEN_CMD", "TOKEN_CMD_SIGNATURE_CONFIRM")
    assert page.run("messages.filter((message) => message.TOKEN_CMD === 'TOKEN_CMD_SIGNATURE_POINT').length") > 100
    page.request("SIGNATURE_CONFIRM")
    page.request("SIGNATURE_IMAGE", FILE_TYPE="1")
    picture = page.message("TOKEN_CMD_ORIGIN", "TOKEN_CMD_SIGNATURE_IMAGE")["TOKEN_PARAM_FILE"]
    assert Image.open(io.BytesIO(base64.b64decode(picture))).format == "PNG"


def test_a_page_signs_with_stepovers_protocol(page):
    assert page.connect("stepover") == "open"
    page.send(messageId="s", type="startSigning", data={"config": {"textLines": ["Sign"]}})
    page.message("type", "onStaticAppletSignatureFinished")
    page.send(messageId="p", type="getPreliminaryData", data={"width": 200, "height": 80})
    picture = page.message("messageId", "p")["data"]["ret"][2]
    assert Image.open(io.BytesIO(base64.b64decode(picture))).size == (200, 80)


def test_closing_the_tab_gives_the_pad_back(web, page):
    web.act("leave")
    page.connect("signotec")
    page.request("OPEN_PAD", PAD_INDEX="0")
    page.request("SIGNATURE_START", CUSTOM_TEXT="Sign")
    web.wait_for_page("signing")
    page.page.close()
    web.wait_for_page("idle")


def test_pages_of_other_origins_and_wrong_sessions_are_not_connected(web, page):
    session = web.session()
    assert page.connect("signotec", "ipt_wrong") == 1006
    assert page.connect("signotec", web.token) == 1006
    page.page.goto(page.page.url.replace("till.test", "evil.test"))
    assert page.connect("signotec", session) == 1006 and page.connect("stepover", session) == 1006
