# SPDX-License-Identifier: Apache-2.0
"""Man pages, completions and the sample configuration that `make install` installs, and `inkpanel config`."""

import os
import re
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).parents[3]
PROGRAM = os.environ["INKPANEL"]
GATEWAY = os.environ["GATEWAY"]
FLEET = os.environ["FLEET"]
DOCUMENT = os.environ["DOCUMENT"]
PROGRAMS = {"inkpanel": PROGRAM, "inkpanel-gateway": GATEWAY, "inkpanel-fleet": FLEET}


def install(root):
    # Uses the existing programs.
    subprocess.run(
        ["make", "-s", "install-texts", "install-gateway-texts", "install-fleet-texts",
         "install-document-texts", f"DESTDIR={root}", "PREFIX=/usr",
         f"BINARY={PROGRAM}", f"GATEWAY={GATEWAY}", f"FLEET={FLEET}",
         f"DOCUMENT={DOCUMENT}"], cwd=TOP, check=True)


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("root")
    install(root)
    return root


def said(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def help_of(path):
    return said(PROGRAMS[path[0]], "help", *path[1:])


def commands(path=None):
    """Every command, as the words that call it, from the help of all programs."""
    for program in () if path else PROGRAMS:
        yield from commands((program,))
    if not path:
        return
    yield path
    text = help_of(path)
    if "SUBCOMMANDS:" in text:
        for name in re.findall(r"^  ([a-z][a-z-]*)(?: |$)", text.split("SUBCOMMANDS:")[1], re.M):
            if name != "help":
                yield from commands((*path, name))


def page(root, path):
    return root / "usr/share/man/man1" / ("-".join(path) + ".1")


def rendered(path):
    return said("man", "--warnings", "-E", "UTF-8", "-l", str(path))


def test_every_command_has_a_page_and_no_other(root):
    expected = {page(root, path).name for path in commands()}
    assert len(expected) > 8
    # A script, whose page is its help.
    expected.add("inkpanel-fleet-certificate.1")
    assert {path.name for path in (root / "usr/share/man/man1").iterdir()} == expected


def test_pages_have_the_options_of_help(root):
    for path in commands():
        text = help_of(path)
        wanted = set(re.findall(r"^  (?:-\w, )?(--[a-z-]+)", text, re.M))
        shown = set(re.findall(r"^ {7}(?:-\w, )?(--[a-z-]+)", rendered(page(root, path)), re.M))
        # Every command has --version, but help lists it only for those with other options.
        assert wanted | {"--version"} == shown | {"--version"}, path


def test_the_program_for_documents_has_a_page_with_its_help(root):
    text = rendered(root / "usr/share/man/man8/inkpanel-document.8")
    for line in said(DOCUMENT, "--help").splitlines():
        assert line in text


def test_pages_are_clean_to_mandoc_and_groff(root):
    for path in (root / "usr/share/man").glob("man*/*"):
        lint = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", str(path)], capture_output=True, text=True)
        assert (lint.returncode, lint.stdout) == (0, ""), path
        shown = subprocess.run(
            ["man", "--warnings", "-l", str(path)], capture_output=True, text=True,
            env={**os.environ, "LC_ALL": "C.UTF-8"})
        assert (shown.returncode, shown.stderr) == (0, ""), path
        # No markup is left.
        assert not re.search(r"\\f|\\-|\\e|^\.[A-Z]", shown.stdout, re.M), path


def test_the_configuration_has_a_page_with_every_key(root):
    text = rendered(root / "usr/share/man/man5/inkpanel.toml.5")
    table = ""
    for line in said(PROGRAM, "config", "show", "--config", str(TOP / "deploy/inkpanel.toml")).splitlines():
        if line.startswith("["):
            table = text.split(line + "\n", 1)[1].split("\n   [")[0]
        elif line:
            assert re.search("^ +" + re.escape(line.split(" = ")[0]) + " = ", table, re.M), line


def test_completions_are_valid_scripts(root):
    share = root / "usr/share"
    for program in PROGRAMS:
        scripts = {
            "bash": share / f"bash-completion/completions/{program}",
            "zsh": share / f"zsh/site-functions/_{program}",
            "fish": share / f"fish/vendor_completions.d/{program}.fish",
        }
        for shell, script in scripts.items():
            assert program in script.read_text()
            subprocess.run([shell, "-n", str(script)], check=True)


def test_bash_completes_commands_and_options(root):
    script = root / "usr/share/bash-completion/completions/inkpanel"

    def completed(*words):
        program = (
            f"source {script}; COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; "
            f"COMP_LINE='{' '.join(words)}'; COMP_POINT=${{#COMP_LINE}}; "
            f"_inkpanel inkpanel '{words[-1]}' '{words[-2]}'; echo \"${{COMPREPLY[@]}}\"")
        return said("bash", "-c", program).split()

    assert "config" in completed("inkpanel", "conf")
    assert "--socket" in completed("inkpanel", "run", "--so")


def test_an_existing_configuration_is_kept(tmp_path):
    install(tmp_path)
    path = tmp_path / "etc/inkpanel/inkpanel.toml"
    assert path.read_text() == (TOP / "deploy/inkpanel.toml").read_text()
    path.write_text("[pad]\npage = \"ink\"\n")
    install(tmp_path)
    assert path.read_text() == "[pad]\npage = \"ink\"\n"
    assert {"en.messages", "zh-Hant.messages"} <= {path.name for path in (tmp_path / "usr/share/inkpanel").iterdir()}


def config(*words):
    return subprocess.run([PROGRAM, "config", *words], capture_output=True, text=True)


def test_config_show_reads_back(tmp_path):
    path = tmp_path / "shown.toml"
    path.write_text(config("show", "--config", str(TOP / "deploy/inkpanel.toml")).stdout)
    assert config("show", "--config", str(path)).stdout == path.read_text()
    assert config("check", str(path)).stdout == f"{path}: no errors\n"


def test_config_check_reports_every_problem_and_exits_with_78(tmp_path):
    path = tmp_path / "wrong.toml"
    path.write_text("[touch]\ndevise = 1\n[pad]\npage = 2\n")
    told = config("check", str(path))
    assert told.returncode == 78 and told.stdout == ""
    assert [line.split(": ")[1] for line in told.stderr.splitlines()] == [f"{path}:2", f"{path}:4"]
    path.write_text(f"[pad]\nidle-picture = \"{path}\"\n")
    told = config("check", str(path))
    assert told.returncode == 78 and "this PNG cannot be read" in told.stderr


def test_config_check_refuses_an_accent_without_contrast(tmp_path):
    path = tmp_path / "inkpanel.toml"
    path.write_text('[pad]\naccent = "ffee00"\n')
    told = config("check", str(path))
    assert told.returncode == 78
    assert told.stderr.endswith(
        ":2: accent in [pad]: the contrast of the colour with the page is 1.0 to 1; at least 3.0 to 1 is required\n")


def test_config_check_checks_the_files_that_are_named(tmp_path):
    path = tmp_path / "wrong.toml"
    lines = [
        "[touch]", f'device = "replay:{tmp_path}/none.events"',
        "[power]", "dim-after-s = 60", "off-after-s = 30",
        "[pad]", 'messages = "/none/de.messages"', 'idle-picture = "/none/idle.png"', "page = 2",
        "[capture]", "inactivity-seconds = 90", "total-seconds = 60",
        "[record]", 'directory = "/none/at/all"',
        "[control]", 'group = "no-such-group"', 'gateway = "no-such-user"', 'socket = "/none/panel.sock"',
    ]
    path.write_text("\n".join(lines))
    for words in [(str(path),), ("--config", str(path))]:
        told = config("check", *words)
        assert told.returncode == 78 and told.stdout == ""
        told = [line.removeprefix(f"inkpanel: {path}:").split(": ", 1) for line in told.stderr.splitlines()]
        assert [int(line) for line, _ in told] == [2, 4, 7, 8, 9, 11, 14, 16, 17, 18], told
        assert [reason.split(" in [")[0] for _, reason in told] == [
            "device", "dim-after-s", "messages", "idle-picture", "page", "inactivity-seconds", "directory", "group",
            "gateway", "socket"]
        assert "No such file" in told[2][1] and "No such file" in told[3][1]
    # The same keys with existing files are correct.
    (tmp_path / "de.messages").write_text("undo = Weg\n")
    path.write_text(
        f'[pad]\nmessages = "{tmp_path}/de.messages"\n[record]\ndirectory = "{tmp_path}/store"\n'
        f'[control]\ngroup = "root"\ngateway = "nobody"\nsocket = "{tmp_path}/panel.sock"\n')
    assert config("check", str(path)).stdout == f"{path}: no errors\n"
    assert not (tmp_path / "store").exists()


def test_config_check_says_which_file_sets_what(tmp_path):
    path = tmp_path / "inkpanel.toml"
    path.write_text("[pad]\nlanguage = \"de\"\ngloves = true\n")
    folder = tmp_path / "inkpanel.toml.d"
    folder.mkdir()
    (folder / "counter.toml").write_text("[pad]\nlanguage = \"fr\"\n")
    assert config("check", str(path)).stdout == (
        f"{path}: no errors\n{folder}/counter.toml: no errors\n"
        f"{folder}/counter.toml:2: pad.language, instead of {path}:2\n{path}:3: pad.gloves\n")
    shown = config("show", str(path)).stdout
    assert 'language = "fr"' in shown and "gloves = true" in shown
    # Also without the file itself.
    path.unlink()
    assert config("check", str(path)).stdout.endswith(f"{folder}/counter.toml:2: pad.language\n")
    (folder / "wrong.toml").write_text("[pad]\n\nlogo = 2\n")
    told = config("check", str(path))
    assert told.returncode == 78 and f"{folder}/wrong.toml:3: logo in [pad]" in told.stderr


def test_check_and_show_take_the_same_arguments(tmp_path):
    path = tmp_path / "a.toml"
    path.write_bytes(b"\xef\xbb\xbf[ink]\r\nwidth-mm = 2\r\n")
    for command in ["check", "show"]:
        bare, named = config(command, str(path)), config(command, "--config", str(path))
        assert bare.returncode == named.returncode == 0 and bare.stdout == named.stdout != ""
        assert config(command, str(path), "--config", str(path)).returncode == 64
        assert config(command, str(tmp_path / "none")).returncode == 66
    assert "width-mm = 2" in config("show", str(path)).stdout


def test_input_that_would_crash_the_parser_is_reported(tmp_path):
    """With the optimised program, where an assertion of the library would crash."""
    path = tmp_path / "wrong.toml"
    for text in ["[é]", "a = [}]", "[ #", "a." * 8000 + "a = 1", "[" * 16000, "a = " + "[" * 16000]:
        path.write_text(text + "\n")
        told = config("check", str(path))
        assert told.returncode == 78 and str(path) in told.stderr, text[:20]
