# SPDX-License-Identifier: Apache-2.0
"""tools/run: panel and gateway for a visitor, and nothing of them when it ends."""

import json
import os
import pty
import shutil
import signal
import subprocess
import tempfile
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path

import pytest
from conftest import Tab
from support import breadth
from support.waiting import wait_for

RUN = Path(__file__).parents[3] / "tools/run"


class Run:
    def __init__(self, folder: Path, PATH: str = os.environ["PATH"], **programs):
        self.folder = folder
        self.temporary = Path(tempfile.mkdtemp(dir="/tmp"))
        programs = {"INKPANEL": os.environ["INKPANEL"], "GATEWAY": os.environ["GATEWAY"]} | programs
        environment = os.environ | {"XDG_RUNTIME_DIR": str(self.temporary), "PORT": "0", "PATH": PATH}
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            # Ignored if the tests were started with nohup.
            signal.signal(signal.SIGHUP, signal.SIG_DFL)
            os.execve(RUN, [str(RUN), programs["INKPANEL"], programs["GATEWAY"], str(folder / "run")], environment)
        self.output = ""
        self.is_closed = False

    def read(self, until: str | None = None):
        while until is None or until not in self.output:
            try:
                piece = os.read(self.terminal, 4096)
            except OSError:
                piece = b""
            if not piece:
                assert until is None, self.output
                return
            self.output += piece.decode()

    @property
    def url(self) -> str:
        return next(word for word in self.output.split() if word.startswith("http"))

    def children(self) -> dict[str, int]:
        listed = subprocess.run(["ps", "-o", "pid=,comm=", "--ppid", str(self.process)], capture_output=True, text=True)
        return {name: int(number) for number, name in (line.split() for line in listed.stdout.splitlines())}

    def end(self) -> int:
        if not self.is_closed:
            self.read()
        status = os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
        self.left = list(self.temporary.iterdir())
        shutil.rmtree(self.temporary)
        return status


def is_running(number: int) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text().rsplit(")")[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("way, status", breadth.share([
    ("Ctrl-C", 0), ("SIGTERM", 0), ("SIGKILL", -9), ("inkpanel", 1), ("inkpanel-gateway", 1), ("closed terminal", 0),
], 2, several=True))
def test_nothing_is_left(tmp_path, way, status):
    run = Run(tmp_path)
    run.read("Ctrl-C ends.")
    children = run.children()
    programs = {name: number for name, number in children.items() if name.startswith("inkpanel")}
    assert len(programs) == 2, children
    assert urllib.request.urlopen(run.url).status == 200
    if way == "Ctrl-C":
        os.write(run.terminal, b"\x03")
    elif way == "closed terminal":
        os.close(run.terminal)
        run.is_closed = True
    elif way.startswith("SIG"):
        os.kill(run.process, getattr(signal, way))
    else:
        # The kernel keeps 15 characters of a name.
        os.kill(programs[way[:15]], signal.SIGKILL)
    assert run.end() == status
    wait_for(lambda: not any(is_running(number) for number in programs.values()))
    assert way == "SIGKILL" or run.left == []
    if status == 1:
        assert f"the {'gateway' if 'gateway' in way else 'panel'} has ended" in run.output


def test_nothing_is_left_of_a_program_whose_parent_died_while_it_started(tmp_path):
    (tmp_path / "setpriv").write_text(
        f'#!/bin/sh\ncase "$*" in *head*) sleep 1 ;; esac\nexec {shutil.which("setpriv")} "$@"\n')
    (tmp_path / "setpriv").chmod(0o755)
    for number in range(6):
        run = Run(tmp_path / str(number), PATH=f"{tmp_path}:{os.environ['PATH']}")
        run.read("Ctrl-C ends.")
        os.kill(run.process, signal.SIGKILL)
        # The last program that has the terminal ends.
        assert run.end() == -9


def test_the_token_is_kept_for_the_next_start(tmp_path):
    tokens = []
    for _ in range(2):
        run = Run(tmp_path)
        run.read("Ctrl-C ends.")
        tokens.append(run.url.split("#")[1])
        os.write(run.terminal, b"\x03")
        assert run.end() == 0
    assert tokens[0] == tokens[1]
    kept = tmp_path / "run/visitor-token"
    assert (kept.stat().st_mode & 0o777, kept.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_a_program_that_does_not_start(tmp_path):
    run = Run(tmp_path, GATEWAY="/bin/false")
    assert run.end() == 1
    assert "the gateway does not start" in run.output
    assert run.left == []


def test_a_directory_that_cannot_be_written(tmp_path):
    (tmp_path / "run").write_text("a file")
    run = Run(tmp_path)
    assert run.end() == 1 and "cannot be written" in run.output and "unbound" not in run.output
    (tmp_path / "run").unlink()
    (tmp_path / "run/lock").mkdir(parents=True)
    run = Run(tmp_path)
    assert run.end() == 1 and "cannot be written" in run.output and "unbound" not in run.output


@pytest.mark.parametrize("kind", ["link", "mode"])
def test_a_token_that_another_user_may_have_written(tmp_path, kind):
    """Whoever put it there would have a token for everything."""
    (tmp_path / "run").mkdir()
    kept = tmp_path / "run/visitor-token"
    target = tmp_path / "theirs" if kind == "link" else kept
    target.write_text("ipt_AAAAAAAA_" + "A" * 43)
    target.chmod(0o600 if kind == "link" else 0o666)
    if kind == "link":
        kept.symlink_to(target)
    run = Run(tmp_path)
    assert run.end() == 1
    assert ("is a link" if kind == "link" else "can be read or changed by others") in run.output


def background(folder, temporary, ignores_interrupts: bool) -> subprocess.Popen:
    """Started as a shell without job control starts programs in the background, or not."""
    environment = os.environ | {"XDG_RUNTIME_DIR": str(temporary), "PORT": "0"}
    program = subprocess.Popen(
        [RUN, os.environ["INKPANEL"], os.environ["GATEWAY"], folder / "run"], env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True,
        preexec_fn=lambda: ignores_interrupts and signal.signal(signal.SIGINT, signal.SIG_IGN))
    while "Ctrl-C ends." not in (line := program.stdout.readline()):
        assert line or program.poll() is None
    return program


@pytest.fixture
def short_folder():
    """The path of a socket has at most 107 bytes, of which tmp_path takes most."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        yield Path(folder)


@pytest.mark.parametrize("number, ignores_interrupts", breadth.pairs([signal.SIGTERM, signal.SIGINT], [False, True]))
def test_one_in_the_background_ends(tmp_path, short_folder, number, ignores_interrupts):
    temporary = short_folder
    program = background(tmp_path, temporary, ignores_interrupts)
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(program.pid)], capture_output=True, text=True).stdout
    children = [int(pid) for pid in listed.split()]
    assert len(children) >= 2
    program.send_signal(number)
    assert program.wait(20) == 0
    wait_for(lambda: not any(is_running(child) for child in children))
    assert list(temporary.iterdir()) == [] and not (tmp_path / "run/address").exists()


def test_the_commands_work_as_they_are_printed(tmp_path, chromium):
    """Also in a directory whose path is too long for a socket, and the next command of README.md."""
    folder = tmp_path / ("long-" * 20)
    folder.mkdir()
    run = Run(folder)
    run.read("Ctrl-C ends.")
    lines = [line.strip() for line in run.output.splitlines()]
    exports, capture = lines[lines.index("From another terminal:") + 2:][:2]
    assert exports.startswith("export ") and capture.startswith("inkpanel capture ")
    readme = (RUN.parents[1] / "README.md").read_text()
    assert (folder / "run/panel.sock").is_symlink()

    def start(command: str) -> subprocess.Popen:
        return subprocess.Popen(
            ["bash", "-c", f"{exports}\n{command}"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, env={name: value for name, value in os.environ.items() if name != "INKPANEL_SOCKET"})

    def page() -> str | None:
        told = start("inkpanel status").communicate(timeout=20)[0]
        return dict(line.split(maxsplit=1) for line in told.splitlines()).get("page")

    own = next(line for line in readme.splitlines() if line.startswith("    inkpanel capture "))
    own = readme[readme.index(own):].split("\n\n")[0]
    context = chromium.new_context(viewport={"width": 1280, "height": 720})
    tab = Tab(context, run.url)
    tab.wait_for_link()
    # The panel starts anew with the look of the page.
    wait_for(lambda: look(run)["dpi"] == 150)
    tab.page.wait_for_timeout(1000)
    tab.wait_for_link()
    for command in (capture, own):
        wait_for(lambda: page() == "idle")
        asked = start(command)
        wait_for(lambda: page() == "signing")
        tab.page.locator("#cancel").press("Enter")
        assert asked.wait(20) == 10, asked.stderr.read()
    context.close()
    os.write(run.terminal, b"\x03")
    assert run.end() == 0 and run.left == []
    assert not (folder / "run/panel.sock").is_symlink()


def test_the_page_has_languages_in_their_own_names_the_sketch_and_a_word_on_missing_fonts(tmp_path, chromium):
    # A fontconfig that has nothing for Japanese.
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "fc-list").write_text('#!/bin/sh\ncase $1 in *ja) ;; *) echo font ;; esac\n')
    (programs / "fc-list").chmod(0o755)
    run = Run(tmp_path, PATH=f"{programs}:{os.environ['PATH']}")
    run.read("Ctrl-C ends.")
    assert "No font has the letters of ja: sudo apt install fonts-noto-cjk" in run.output
    context = chromium.new_context(viewport={"width": 1280, "height": 720})
    tab = Tab(context, run.url)
    tab.wait_for_link()
    tab.page.locator("#settings").wait_for()
    names = tab.page.locator("[name=language] option").all_inner_texts()
    assert {"Deutsch", "日本語", "Français", "Gaeilge", "Malti", "العربية", "简体中文"} <= set(names)
    assert tab.page.locator("#no-font").is_hidden()
    tab.page.locator("[name=language]").select_option("ja")
    assert "日本語: sudo apt install fonts-noto-cjk" in tab.page.locator("#no-font").inner_text()
    tab.page.locator("[name=page]").select_option("sketch")
    wait_for(lambda: look(run)["page"] == "sketch" and look(run)["language"] == "ja")
    context.close()
    os.write(run.terminal, b"\x03")
    assert run.end() == 0


@pytest.mark.parametrize("answer, environment, asks", [
    ("n", {}, True), ("y", {}, True), ("", {"CI": "true"}, False), ("", {"TERM": "none"}, False)])
def test_fonts_are_offered_at_a_terminal_only_and_not_again_after_a_no(tmp_path, answer, environment, asks):
    (tmp_path / "tools").mkdir()
    shutil.copy(RUN.parent / "offer-fonts", tmp_path / "tools")
    for name, text in [("tools/apt", f'echo "$@" >{tmp_path}/installed'), ("fc-list", "exit 0"), ("apt-get", "exit 1")]:
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    command = [str(tmp_path / "tools/offer-fonts"), str(tmp_path / "out/no")]
    variables = {name: value for name, value in os.environ.items() if name != "CI"}
    variables |= {"PATH": f"{tmp_path}:{os.environ['PATH']}"} | environment
    if environment.get("TERM") == "none":
        done = subprocess.run(command, env=variables, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (0, "")
        return
    for number in range(2):
        process, terminal = pty.fork()
        if process == 0:
            os.execve(command[0], command, variables)
        if answer:
            os.write(terminal, answer.encode() + b"\n")
        told = b""
        with suppress(OSError):
            while piece := os.read(terminal, 4096):
                told += piece
        os.close(terminal)
        assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0
        assert (b"Install fonts-noto-cjk" in told) == (asks and (answer == "y" or number == 0)), told
    assert (tmp_path / "installed").exists() == (answer == "y")
    assert (tmp_path / "out/no").exists() == (answer == "n")


def test_a_second_one_says_where_the_first_is(tmp_path):
    first = Run(tmp_path)
    first.read("Ctrl-C ends.")
    second = Run(tmp_path)
    assert second.end() == 0
    assert f"already runs: {first.url}" in second.output and second.left == []
    assert urllib.request.urlopen(first.url).status == 200
    # Nothing is left of a killed one, so the next one runs.
    os.kill(first.process, signal.SIGKILL)
    first.end()
    third = Run(tmp_path)
    third.read("Ctrl-C ends.")
    os.write(third.terminal, b"\x03")
    assert third.end() == 0


@pytest.fixture
def running(tmp_path):
    run = Run(tmp_path)
    run.read("Ctrl-C ends.")
    yield run
    os.write(run.terminal, b"\x03")
    assert run.end() == 0


def look(run) -> dict:
    """The settings of the panel."""
    request = urllib.request.Request(
        run.url.split("#")[0] + "v1/virtual/look", headers={"Authorization": "Bearer " + run.url.split("token=")[1]})
    return json.loads(urllib.request.urlopen(request).read())


def size(tab) -> list[int]:
    return tab.page.evaluate("() => [document.getElementById('pad').width, document.getElementById('pad').height]")


def is_dark(tab) -> bool:
    return tab.picture().getpixel((5, 5))[0] < 100


def test_the_look_of_the_panel_is_chosen_on_the_page(running, chromium):
    context = chromium.new_context(locale="pl-PL", color_scheme="dark", viewport={"width": 1280, "height": 720})
    tab = Tab(context, running.url)
    # The visitor's own language and colours, without a choice.
    wait_for(lambda: look(running)["theme"] == "dark" and look(running)["language"] == "pl")
    tab.wait_for_link()
    wait_for(lambda: is_dark(tab) and size(tab) == [1280, 720])
    assert tab.page.locator("[name=language] option").count() == 35
    context.new_page().close()
    tab.page.emulate_media(color_scheme="light")
    wait_for(lambda: look(running)["theme"] == "light" and not is_dark(tab))
    tab.page.locator("[name=theme]").select_option("high-contrast")
    tab.page.locator("[name=size]").select_option("480x320")
    tab.page.locator("[name=language]").select_option("ar")
    tab.page.locator("[name=pen]").select_option("naive-width")
    wait_for(lambda: [look(running)[name] for name in ("theme", "size", "language", "pen", "dpi")]
         == ["high-contrast", "480x320", "ar", "naive-width", 165])
    wait_for(lambda: size(tab) == [480, 320])
    tab.wait_for_link()
    assert '"language": "ar"' in tab.page.locator("#snippet").inner_text()
    # A signature is not disturbed; what was chosen meanwhile comes after it.
    tab.page.locator("#submit").click()
    tab.page.locator("#cancel").wait_for()
    tab.page.locator("[name=size]").select_option("800x480")
    tab.page.wait_for_timeout(700)
    assert size(tab) == [480, 320]
    tab.page.locator("#cancel").press("Enter")
    wait_for(lambda: size(tab) == [800, 480])
    # The choices are kept.
    tab.page.reload()
    tab.wait_for_link()
    assert tab.page.locator("[name=theme]").input_value() == "high-contrast"
    assert size(tab) == [800, 480]
    context.close()


def test_on_a_phone_the_panel_has_the_size_of_the_window(running, chromium):
    context = chromium.new_context(
        viewport={"width": 390, "height": 844}, device_scale_factor=2, is_mobile=True, has_touch=True)
    tab = Tab(context, running.url)
    wait_for(lambda: size(tab)[0] < size(tab)[1])
    tab.wait_for_link()
    assert tab.box["width"] == 390 and tab.page.evaluate("() => document.documentElement.scrollWidth") == 390
    tab.page.locator("#submit").click()
    tab.page.locator("#accept").wait_for()
    for name in ("accept", "cancel", "clear", "undo"):
        box = tab.page.locator("#" + name).bounding_box()
        assert box["width"] >= 44 and box["height"] >= 44, (name, box)
    tab.page.locator("#cancel").press("Enter")
    tab.page.set_viewport_size({"width": 844, "height": 390})
    wait_for(lambda: size(tab)[0] > size(tab)[1])
    context.close()


@pytest.mark.parametrize("width, height", breadth.share([
    (360, 640), (320, 568), (412, 915), (768, 1024), (800, 600), (844, 390), (640, 360), (390, 664),
], 5, several=True))
def test_every_window_of_a_phone_is_filled(running, chromium, width, height):
    """Also one that comes after a larger one, whose panel is still there."""
    context = chromium.new_context(
        viewport={"width": 390, "height": 844}, device_scale_factor=2, is_mobile=True, has_touch=True)
    tab = Tab(context, running.url)
    wait_for(lambda: size(tab)[0] == 780)
    tab.wait_for_link()
    tab.page.set_viewport_size({"width": width, "height": height})
    # With room for the lines below it where the window has it.
    lines = 24 if height < 500 else 150
    wait_for(lambda: width * 2 - 16 <= size(tab)[0] <= width * 2 and size(tab)[1] <= 2 * (height - lines))
    tab.wait_for_link()
    tab.page.locator("#submit").click()
    tab.page.locator("#accept").wait_for()
    assert tab.box["width"] == width and tab.box["height"] <= height
    for name in ("accept", "cancel", "clear", "undo"):
        box = tab.page.locator("#" + name).bounding_box()
        assert box["width"] >= 44 and box["height"] >= 44, (name, box)
    tab.page.locator("#cancel").press("Enter")
    context.close()


@pytest.mark.parametrize("script", breadth.share([
    "localStorage.setItem('inkpanel.look', 'null')",
    "localStorage.setItem('inkpanel.look', '[')",
    "for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty("
    "window, name, { get() { throw new DOMException('denied', 'SecurityError') } })",
    "Object.defineProperty(navigator, 'languages', { get: () => ['en-US@posix', 'pl-PL'] })",
], 3), ids=["null", "no JSON", "no storage", "a wrong language"])
def test_a_browser_that_gives_nothing_useful(running, chromium, script):
    """The choices are there, the page follows the panel, and asks."""
    context = chromium.new_context(viewport={"width": 1280, "height": 720})
    context.add_init_script(script)
    tab = Tab(context, running.url)
    tab.wait_for_link()
    tab.page.locator("#settings").wait_for()
    language = "pl" if "pl-PL" in script else "en"
    assert tab.page.locator("[name=language]").input_value() == language
    wait_for(lambda: look(running)["language"] == language)
    tab.wait_for_link()
    tab.page.locator("[name=pen]").select_option("naive-width")
    wait_for(lambda: look(running)["pen"] == "naive-width")
    # It starts anew.
    tab.wait_for_link("waiting")
    tab.wait_for_link()
    tab.page.locator("#submit").click()
    tab.page.get_by_text("Sign on the pad.").wait_for()
    tab.page.locator("#cancel").wait_for()
    context.close()


def test_settings_that_are_none_are_refused(running):
    def put(body) -> tuple[int, str]:
        request = urllib.request.Request(
            running.url.split("#")[0] + "v1/virtual/look", json.dumps(body).encode(), method="PUT", headers={
                "Authorization": "Bearer " + running.url.split("token=")[1], "Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status, ""
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read())["detail"]

    before = look(running)
    for body, name in [
            ({"theme": "pink"}, "/theme"), ({"language": "tlh"}, "/language"), ({"pen": "quill"}, "/pen"),
            ({"size": "1x1"}, "/size"), ({"size": "99999x720"}, "/size"), ({"size": 5}, "/size"), ({"dpi": 1}, "/dpi"),
            ({"theme": "dark", "socket": "/tmp/x"}, "/socket"), ({"theme": None}, "/theme")]:
        status, detail = put(body)
        assert status == 400 and name in detail, (body, detail)
    assert look(running) == before
    assert put({"theme": "dark"}) == (200, "")
    assert look(running)["theme"] == "dark"
