# SPDX-License-Identifier: Apache-2.0
"""Pages over https, and the pad behind nginx with an authority of its own, in Chromium and Firefox that trust it."""

import base64
import json
import os
import ssl
import subprocess
import tempfile
from pathlib import Path

import pytest
from conftest import Site, Stack
from support.firefox import Firefox, trust
from support.nginx import Certificate, Nginx
from support.waiting import wait_for

TOP = Path(__file__).parents[3]
SIGNOTEC = """<!doctype html><title>Delivery note</title><script>
  window.state = {}
  const ask = (command, more) => socket.send(JSON.stringify(
    { TOKEN_TYPE: "TOKEN_TYPE_REQUEST", TOKEN_CMD: "TOKEN_CMD_" + command, ...more }))
  const socket = new WebSocket("wss://localhost:PORT/compat/signotec/SESSION")
  socket.onopen = () => ask("OPEN_PAD", { TOKEN_PARAM_PAD_INDEX: "0" })
  socket.onclose = (event) => { state.closed = event.code }
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data)
    if (message.TOKEN_CMD === "TOKEN_CMD_SIGNATURE_CONFIRM") ask("SIGNATURE_CONFIRM")
    if (message.TOKEN_CMD_ORIGIN === "TOKEN_CMD_OPEN_PAD") ask("SIGNATURE_START", { TOKEN_PARAM_CUSTOM_TEXT: "Sign" })
    if (message.TOKEN_CMD_ORIGIN === "TOKEN_CMD_SIGNATURE_CONFIRM") ask("SIGNATURE_SIGN_DATA")
    if (message.TOKEN_CMD_ORIGIN === "TOKEN_CMD_SIGNATURE_SIGN_DATA") {
      state.reference = message.TOKEN_PARAM_SIGNATURE_SIGN_DATA
    }
  }
</script>"""
SIGWEB = """<!doctype html><title>Delivery note</title><canvas id="cnv" width="300" height="100"></canvas>
<script src="sigweb-compat.js" data-pad="https://localhost:PORT/compat/sigweb/SESSION"></script><script>
  window.state = {}
  const context = document.getElementById("cnv").getContext("2d")
  const timer = SetTabletState(1, context, 50)
  const look = setInterval(() => {
    if (GetTabletState() !== "0") return
    clearInterval(look)
    SetTabletState(0, timer)
    state.reference = GetSigString()
  }, 200)
</script>"""
EXTENSION = """<!doctype html><title>Delivery note</title>
<script src="inkpanel-extension.js" data-pad="https://localhost:PORT" data-session="SESSION"></script><script>
  window.state = {}
  document.addEventListener("SignResponse", (event) => {
    state.reference = JSON.parse(event.target.getAttribute("msgAttribute")).sigString
  })
  const element = document.createElement("MyExtensionDataElement")
  element.setAttribute("messageAttribute", JSON.stringify({ firstName: "", lastName: "", imageX: 300, imageY: 90 }))
  document.documentElement.append(element)
  element.dispatchEvent(new Event("SignStartEvent", { bubbles: true }))
</script>"""
PAGES = {"signotec": SIGNOTEC, "sigweb": SIGWEB, "extension": EXTENSION}


def openssl(*words) -> None:
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)


def company(folder: Path) -> tuple[Path, ssl.SSLContext]:
    """The application's own authority, which has nothing to do with the pad's, and its server's certificate."""
    folder.mkdir()
    names = ["-newkey", "rsa:2048", "-nodes", "-days", "30"]
    openssl(
        "req", "-x509", *names, "-subj", "/CN=Company", "-keyout", folder / "authority.key", "-out",
        folder / "company.pem")
    openssl(
        "req", "-x509", *names, "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-addext",
        "basicConstraints=critical,CA:FALSE", "-addext", "extendedKeyUsage=serverAuth", "-CA", folder / "company.pem",
        "-CAkey", folder / "authority.key", "-keyout", folder / "server.key", "-out", folder / "server.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.pem", folder / "server.key")
    return folder / "company.pem", context


@pytest.fixture(scope="module")
def chain():
    """The pad behind nginx, and the application's site."""
    # Short, because the path of a socket has at most 107 bytes.
    with tempfile.TemporaryDirectory(prefix="https-") as text:
        folder = Path(text)
        authority, context = company(folder / "company")
        site = Site(context)
        stack = Stack(folder, origins=(site.origin,), unix=True)
        certificate = Certificate(folder / "tls")
        certificate.make()
        stack.nginx = Nginx(folder, certificate, folder / "gateway/h.sock")
        stack.site, stack.authorities = site, (authority, certificate.ca)
        for name in ("sigweb-compat.js", "inkpanel-extension.js"):
            site.add(name, (TOP / "Sources/Gateway/Web" / name).read_text())
        yield stack
        stack.nginx.stop()
        stack.stop()
        site.server.shutdown()


@pytest.fixture(scope="module")
def chromium(chain, playwright, tmp_path_factory):
    home = tmp_path_factory.mktemp("chromium")
    for authority in chain.authorities:
        trust(authority, home / ".pki/nssdb")
    browser = playwright.chromium.launch(
        executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"],
        env={**os.environ, "HOME": str(home)})
    page = browser.new_page()
    yield page.goto, lambda script: page.evaluate(f"() => {{ {script} }}")
    browser.close()


@pytest.fixture(scope="module")
def firefox(chain, tmp_path_factory):
    profile = tmp_path_factory.mktemp("firefox")
    for authority in chain.authorities:
        trust(authority, profile)
    browser = Firefox(profile)
    yield browser.go, browser.run
    browser.stop()


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("browser", ["chromium", "firefox"])
def test_a_page_over_https_signs_on_a_pad_with_an_authority_of_its_own(chain, request, browser, name):
    go, run = request.getfixturevalue(browser)
    chain.rest()
    page = PAGES[name].replace("PORT", str(chain.nginx.port)).replace("SESSION", chain.session())
    go(chain.site.add(f"{browser}-{name}.html", page))
    reference = wait_for(lambda: run("return state.reference"), 30)
    capture = json.loads(base64.b64decode(reference))["capture"]
    record = chain.gateway.request("GET", f"/v1/captures/{capture}/metadata.json", chain.token).json["summary"]
    assert record["prompt"] == ["Sign" if name == "signotec" else "Delivery note"]
