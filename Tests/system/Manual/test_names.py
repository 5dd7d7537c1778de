# SPDX-License-Identifier: Apache-2.0
"""What documents name in back quotes and in commands exists: paths, commands, options, settings, variables, types."""

import functools
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).parents[3]
PROGRAMS = {
    "inkpanel": os.environ["INKPANEL"], "inkpanel-gateway": os.environ["GATEWAY"],
    "inkpanel-fleet": os.environ["FLEET"],    "inkpanel-bench": os.environ["BENCH"]}
DOCUMENTS = sorted(
    path for pattern in ("*.md", "docs/*.md", ".github/*.md") for path in TOP.glob(pattern))

# Words of the kernel, of formats, and of other programs, which this tree need not have.
OTHERS = set((Path(__file__).parent / "other-words").read_text().split())


def tracked() -> list[Path]:
    names = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=TOP, check=True, capture_output=True, text=True)
    return [TOP / name for name in names.stdout.splitlines() if (TOP / name).is_file()]


@functools.cache
def files() -> list[str]:
    """Names from the top, each with a slash in front."""
    return ["/" + str(path.relative_to(TOP)) for path in tracked()]


@functools.cache
def source_text() -> str:
    """Everything but documents, and this test's own words."""
    own = Path(__file__).parent
    binary = (".png", ".gif", ".events", ".gz", ".md", ".lock", ".resolved")
    return "\n".join(
        path.read_text(errors="replace") for path in tracked()
        if path.suffix not in binary and path not in (own / "other-words", own / "test_names.py"))


@functools.cache
def source_words() -> set[str]:
    """Identifiers, words joined by hyphens, as settings and options are, and names of files without their ending."""
    text = source_text()
    stems = {Path(name).stem.split("+")[0] for name in files()}
    return stems | set(re.findall(r"[A-Za-z_]\w*", text)) | set(re.findall(r"\w+(?:-\w+)+", text))


@functools.cache
def settings() -> dict[str, set[str]]:
    """The tables of the sample configuration and of a card's settings file, with their keys."""
    tables, table = {}, ""
    files = (TOP / name for name in ("deploy/inkpanel.toml", "image/inkpanel.toml"))
    for line in (line for file in files for line in file.read_text().splitlines()):
        if named := re.match(r"\[(.+)\]$", line):
            table = named[1]
            tables.setdefault(table, set())
        elif key := re.match(r"#?([a-z-]+) = ", line):
            tables[table].add(key[1])
    return tables


@functools.cache
def targets() -> set[str]:
    named = set()
    for path in tracked():
        if path.name != "Makefile" and path.suffix != ".mk":
            continue
        named |= set(re.findall(r"^([a-z][a-z0-9.-]*):(?!=)", path.read_text(), re.M))
    return named


@functools.cache
def help_of(*path: str) -> str:
    done = subprocess.run([PROGRAMS[path[0]], "help", *path[1:]], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else ""


def commands_of(*path: str) -> set[str]:
    """The commands below a command."""
    return set(re.findall(r"^  ([a-z][a-z-]*)(?: |$)", help_of(*path).partition("SUBCOMMANDS:")[2], re.M))


@functools.cache
def options_of(*path: str) -> set[str]:
    """The options of a command and, because some have a default, of all commands below it."""
    options = set(re.findall(r"--[a-z][a-z-]*", help_of(*path))) | {"--help", "--version"}
    if path == ("inkpanel",):
        options |= {"--generate-completion-script"}
    for command in commands_of(*path) - {"help"}:
        options |= options_of(*path, command)
    return options


def command_fault(words: list[str]) -> str | None:
    """What is wrong with the words of one of our commands."""
    path = [words[0]]
    rest = words[1:]
    if rest[:1] == ["help"]:
        rest = rest[1:]
    while rest and rest[0] in commands_of(*path):
        path.append(rest.pop(0))
    if len(path) == 1 and rest and re.fullmatch(r"[a-z][a-z-]+", rest[0]):
        return f"{' '.join(path)} has no command {rest[0]}"
    for word in rest:
        option = word.split("=")[0]
        if re.fullmatch(r"--[a-z-]+", option) and option not in options_of(*path):
            return f"{' '.join(path)} has no option {option}"
    return None


def commands_in(line: str) -> list[list[str]]:
    """Our commands in a line of a shell, and those of make."""
    line = re.sub(r"(^|\s)#.*", "", line)
    try:
        words = shlex.split(line.replace("\\\n", " "), posix=False)
    except ValueError:
        words = line.split()
    found, current, before = [], None, ""
    for word in words:
        bare = word.strip("();,.`'\"")
        # A unit, a user or a module has the name of a program, too.
        is_command = before not in ("from", "--now", "-u", "enable", "start", "stop", "restart", "edit", "status")
        before = word
        if is_command and (bare in PROGRAMS or bare == "make"):
            current = [bare]
            found.append(current)
        elif word in ("|", "||", "&&", ";", "&", "do", "then") or word.endswith(";"):
            if current is not None and word.endswith(";"):
                current.append(word.rstrip(";"))
            current = None
        elif current is not None:
            current.append(word)
    return found


def shell_fault(line: str) -> str | None:
    for words in commands_in(line):
        if words[0] != "make":
            if fault := command_fault(words):
                return fault
        else:
            for word in words[1:]:
                if word.startswith("-") or not re.fullmatch(r"[a-z][a-z0-9.-]*", word):
                    break
                if word not in targets():
                    return f"make has no target {word}"
    return None


def path_exists(word: str) -> bool:
    """Whether a file or folder of the tree has this name, or ends in it; `*` stands for any part of a name."""
    name = re.escape(word.strip("/")).replace(r"\*", "[^/]*")
    pattern = re.compile(rf"/{name}(?:$|/|(?<=[^/.])\.(?:swift|in)$)")
    return any(pattern.search(file) for file in files())


def installed_path_exists(word: str) -> bool:
    """Whether units, packages or programs name an absolute path of ours, or the folder that it is in."""
    if word.rstrip("/") in source_text():
        return True
    # Paths of the Makefile have variables in front, and names of files after a folder.
    folder, name = os.path.split(word.rstrip("/"))
    return name in source_text() and (folder in source_text() or os.path.basename(folder) in source_text())


def fault(span: str) -> str | None:
    """What a span in back quotes names that does not exist."""
    if span in OTHERS:
        return None
    first = span.split()[0] if span.split() else ""
    if wrong := shell_fault(span):
        return wrong
    if first in PROGRAMS or first == "make":
        return None
    if table := re.fullmatch(r"\[([a-z.]+)\]", span):
        return None if table[1] in settings() else f"no table [{table[1]}] in the configuration"
    if assigned := re.fullmatch(r"([a-z][a-z.-]*) = .+", span):
        keys = set().union(*settings().values())
        return None if assigned[1] in keys or assigned[1] in OTHERS else f"no setting {assigned[1]}"
    if option := re.match(r"(--[a-z][a-z-]*)(?:[ =]|$)", span):
        known = set().union(*(options_of(program) for program in PROGRAMS))
        return None if option[1] in known | OTHERS else f"no program has the option {option[1]}"
    if " " in span:
        return None
    if span.startswith("/"):
        return None if "inkpanel" not in span or installed_path_exists(span) else f"no path {span}"
    endings = "swift|py|md|toml|varlink|json|js|c|h|sh|service|socket|rules|messages|conf"
    is_path = re.fullmatch(rf"[\w.*+-]+(?:/[\w.*+-]+)+/?|[\w+-]+/|[\w+-]+\.(?:{endings})", span)
    if is_path and not span.startswith("out/"):
        parts = [part for part in re.split(r"[/.*]", span) if part]
        # A file that is installed, stored or written: some source names it, or its parts.
        is_in_tree = any(name.startswith(f"/{parts[0]}/") for name in files()) and len(parts) > 1
        is_named = span.strip("/") in source_text() or all(part in source_words() | OTHERS for part in parts)
        return None if path_exists(span) or (is_named and not is_in_tree) else f"no path {span}"
    if re.fullmatch(r"[A-Za-z_][\w-]*(?:\.[A-Za-z_]\w*)*(?:\[\])?=?", span) or re.fullmatch(r"\.\w+", span):
        for part in re.split(r"[.\[\]=]", span):
            if part and part not in source_words() | OTHERS:
                return f"no {part} in the sources"
    return None


def spans(text: str) -> list[str]:
    prose = re.sub(r"^    .*$", "", text, flags=re.M)
    return [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", prose)]


def block_lines(text: str) -> list[str]:
    blocks = re.findall(r"(?:^    .*\n)+", text, re.M)
    return [line.strip() for block in blocks for line in block.replace("\\\n", " ").splitlines()]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: str(document.relative_to(TOP)))
def test_what_a_document_names_exists(document):
    text = document.read_text()
    # Messages vary where they have dots; test_documents.py looks for them in the sources.
    names = [span for span in spans(text) if "..." not in span and "…" not in span]
    if document.name == "messages.md":
        names = [span for span in names if not re.search(r"[a-z] [a-z]", span) or span.split()[0] in PROGRAMS]
    faults = {wrong for span in names if (wrong := fault(span))}
    faults |= {wrong for line in block_lines(text) if (wrong := shell_fault(line))}
    assert sorted(faults) == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: str(document.relative_to(TOP)))
def test_settings_are_in_the_tables_that_a_document_names(document):
    text = " ".join(document.read_text().split())
    wrong = []
    for keys, table in re.findall(r"((?:`[a-z-]+`(?:, | and | or )?)+) (?:in|of) `\[([a-z.]+)\]`", text):
        wrong += [
            f"{key} in [{table}]" for key in re.findall(r"`([a-z-]+)`", keys)
            if key not in settings().get(table, set())]
    assert wrong == []


@pytest.mark.parametrize("span, reason", [
    ("inkpanel captur", "inkpanel has no command captur"),
    ("inkpanel capture --promt TEXT", "inkpanel capture has no option --promt"),
    ("inkpanel-gateway token add --nam till", "inkpanel-gateway token add has no option --nam"),
    ("make tset", "make has no target tset"),
    ("FOO=1 make unit tset", "make has no target tset"),
    ("--transparant", "no program has the option --transparant"),
    ("[captur]", "no table [captur] in the configuration"),
    ("maximum-cout = 3", "no setting maximum-cout"),
    ("maximum-cout", "no maximum-cout in the sources"),
    ("INKPANEL_CAPTUER", "no INKPANEL_CAPTUER in the sources"),
    ("PadAktion", "no PadAktion in the sources"),
    ("Swapchain.aquire", "no aquire in the sources"),
    ("Sources/Inck", "no path Sources/Inck"),
    ("tools/setupp", "no path tools/setupp"),
    ("Sources/Formats/Canvas.swift", "no path Sources/Formats/Canvas.swift"),
    ("SlotTrakcer.swift", "no path SlotTrakcer.swift"),
    ("/var/lib/inkpannel-inkpanel/x", "no path /var/lib/inkpannel-inkpanel/x"),
])
def test_a_wrong_name_is_found(span, reason):
    assert fault(span) == reason


def test_words_of_others_are_used():
    """The list has no words that no document has."""
    text = " ".join(path.read_text() for path in DOCUMENTS)
    assert [word for word in sorted(OTHERS) if word not in text] == []
