# SPDX-License-Identifier: Apache-2.0
"""Links, commands and messages in the documents match the tree."""

import re
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).parents[3]


def tracked(pattern: str) -> list[Path]:
    names = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", pattern], cwd=TOP, check=True, capture_output=True, text=True)
    return sorted(TOP / name for name in names.stdout.splitlines() if (TOP / name).is_file())


DOCUMENTS = tracked("*.md")


def without_code(text: str) -> str:
    return re.sub(r"^    .*$", "", text, flags=re.M)


def anchors(document: Path) -> set[str]:
    """The anchors of a document's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", without_code(document.read_text()), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: str(document.relative_to(TOP)))
def test_links_lead_to_files_and_headings(document):
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", without_code(document.read_text())):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = document.parent / path if path else document
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []


def test_every_document_is_linked():
    """From the README, directly or through other documents."""
    found, queue = set(), [TOP / "README.md"]
    while queue:
        document = queue.pop()
        for link in re.findall(r"\]\(([^)#\s]+\.md)", document.read_text()):
            target = (document.parent / link).resolve()
            if "://" not in link and target not in found and target.exists():
                found.add(target)
                queue.append(target)
    assert [path.name for path in (TOP / "docs").glob("*.md") if path not in found] == []


def test_documents_that_sources_mention_exist():
    named = {
        (path, name) for folder in ("Sources", "Tests", "tools", "systemd", "udev", "debian", "deploy")
        for path in tracked(folder) if path.suffix not in (".png", ".events", ".gz")
        for name in re.findall(r"\bdocs/[\w-]+\.md", path.read_text(errors="replace"))
    }
    assert named
    assert sorted((str(path), name) for path, name in named if not (TOP / name).exists()) == []


@pytest.mark.parametrize("document", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_types_and_files_that_the_document_names_exist(document):
    words = set(re.findall(r"`([^`\n]+)`", without_code((TOP / document).read_text())))
    sources = "\n".join(path.read_text() for folder in ("Sources", "Tests") for path in tracked(folder + "/*.swift"))
    # Mutex is Swift's, PATH the environment's.
    declared = {"Mutex", "PATH"} | set(
        re.findall(r"\b(?:struct|class|enum|protocol|extension|actor|typealias|case) (\w+)", sources))
    files = {str(path.relative_to(TOP)) for path in tracked("*")}
    parts = {part for name in files for part in Path(name).parts[:-1]} | {Path(name).name for name in files}
    missing = []
    for word in words:
        if re.fullmatch(r"[A-Z]\w+(\.\w+)?", word) and "." not in word.removesuffix(".swift").split("/")[-1]:
            if word not in declared | parts:
                missing.append(word)
        elif re.fullmatch(r"[A-Z]\w+\.[a-z]\w*", word) and not word.endswith(".swift"):
            if word.split(".")[0] not in declared:
                missing.append(word)
        elif re.fullmatch(r"[\w+-][\w.+-]*(/[\w.+-]+)*/?", word) and ("/" in word or re.search(r"\.[a-z]{2,6}$", word)):
            name = word.rstrip("/")
            # What make writes is not kept.
            if not name.startswith("out/") and not any(
                    ("/" + file).endswith("/" + name) or f"/{name}/" in "/" + file for file in files):
                missing.append(word)
    assert len(words) > 20 and missing == []


def makefiles() -> str:
    return "\n".join(path.read_text() for path in [TOP / "Makefile", *sorted((TOP / "make").glob("*.mk"))])


def test_make_targets_in_documents_exist():
    targets = set(re.findall(r"^([a-z][a-z0-9.-]*):(?!=)", makefiles(), re.M))
    named = {
        (path.name, target) for path in DOCUMENTS
        for line in re.findall(r"^    (.*)$|`([^`\n]+)`", path.read_text(), re.M)
        for target in re.findall(r"(?:^|^\w+=\w+ |: )make ([a-z][a-z0-9.-]+)", "".join(line))
    }
    assert len(named) > 20
    assert sorted((path, target) for path, target in named if target not in targets) == []


def test_make_help_lists_the_targets():
    phony = set(" ".join(re.findall(r"^\.PHONY:((?:.*\\\n)*.*)", makefiles(), re.M)).replace("\\\n", " ").split())
    helped = subprocess.run(["make", "-s", "help"], cwd=TOP, check=True, capture_output=True, text=True).stdout
    listed = re.findall(r"^  make ([a-z0-9.-]+) {2,}\S", helped, re.M)
    # Parts of installing, `make fuzz` and the tests.
    parts = {
        "install-units", "install-texts", "install-docs", "install-gateway-units", "install-gateway-texts",
        "install-fleet-units", "install-fleet-texts", "install-document-units",
        "install-document-texts", "fuzz-program",
        "programs", "test-programs"}
    assert sorted(listed) == sorted(set(listed)) and set(listed) == phony - parts


# Words of the kernel, of systemd and of rclone.
OTHERS = (
    "No such file or directory", "No such device", "Failed with result", "Failed to mount", "Failed at step",
    "Failed to set up credentials", "immutable file modified", "corrupted on transfer", "object not found",
    "permission denied", "AccessDenied", "SignatureDoesNotMatch", "unable to authenticate", "RequestTimeTooSkewed",
    "certificate has expired or is not yet valid", "no such host", "connection refused", "i/o timeout",
    "knownhosts: key is unknown", "key mismatch")


def program_text() -> str:
    """All Swift sources, with string literals that are added up, or run over several lines, joined."""
    text = "\n".join(path.read_text() for path in tracked("Sources") if path.suffix in (".swift", ".messages"))
    text = re.sub(r'"\s*\+\s*"', "", text).replace('\\"', '"')
    return re.sub(r"\s+", " ", re.sub(r"\\\n\s*", "", text))


def listed_messages() -> list[str]:
    """The quotations that begin the items of messages.md."""
    text = (TOP / "docs/messages.md").read_text()
    text = text.split("## Displays")[1].split("## What ends the program")[0]
    text = re.sub(r"\n +(?!- )", " ", text)
    items = re.findall(r"^ *- (`[^\n]+)$", text, re.M)
    return [message for item in items for message in re.findall(r"`([^`]+)`", item.split("`: ")[0] + "`")]


def test_listed_messages_are_messages_of_the_program():
    program = program_text()

    def is_said(words: list[str], parts: int = 3) -> bool:
        """Whether the words stand in the sources, in at most that many parts: values come between them."""
        for end in range(len(words), 0, -1):
            if " ".join(words[:end]) in program:
                rest = words[end:]
                return not rest or (parts > 1 and is_said(rest, parts - 1))
        return False

    unknown = [
        message for message in listed_messages() if not message.startswith(OTHERS)
        for part in message.replace("FILE:LINE: ", "...").split("...")
        if part.strip(" :;,()").strip() not in OTHERS and not is_said(part.strip(" :;,").split() or ["a"])
    ]
    assert len(listed_messages()) > 50
    assert unknown == []
