# SPDX-License-Identifier: Apache-2.0
"""deploy/backup: a backup of a working panel, restored on another board, and what verifiers say of both."""

import contextlib
import io
import os
import pwd
import random
import re
import shutil
import signal
import subprocess
import tarfile
import tempfile
import time
from pathlib import Path

import pytest
from test_identity import CREDENTIALS, USER
from support.breadth import long

TOP = Path(__file__).parents[3]
PROGRAM, GATEWAY = os.environ["INKPANEL"], os.environ["GATEWAY"]

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to become the panel's user")


class Board:
    """The directories of a board, and a panel that runs as the panel's user."""

    def __init__(self, folder: Path, name: str):
        folder.mkdir()
        for parent in [folder, *folder.parents]:
            if not parent.stat().st_mode & 0o001:
                parent.chmod(parent.stat().st_mode | 0o011)
        self.folder, self.process = folder, None
        self.store, self.etc, self.gateway, self.web = (folder / part for part in ("store", "etc", "gateway", "web"))
        self.stored = folder / "credstore" / "inkpanel.key"
        (folder / "run").mkdir()
        tools = folder / "tools"
        tools.mkdir()
        # Root's checkout may be closed to the panel's user.
        shutil.copy(PROGRAM, tools / "program")
        (tools / "inkpanel").write_text(
            f'#!/bin/sh\ncase "$*" in *--config*) exec {tools}/program "$@" ;; esac\n'
            f'case "$1" in config | identity) exec {tools}/program "$@" --config {self.etc}/inkpanel.toml ;; esac\n'
            f'exec {tools}/program "$@"\n')
        (tools / "systemd-creds").write_text(CREDENTIALS)
        (tools / "systemctl").write_text("#!/bin/sh\nexit 3\n")
        (tools / "uname").write_text(f"#!/bin/sh\necho {name}\n")
        for tool in tools.iterdir():
            tool.chmod(0o755)
        self.etc.mkdir()
        self.store.mkdir(mode=0o700)
        os.chown(self.store, pwd.getpwnam(USER).pw_uid, pwd.getpwnam(USER).pw_gid)
        (folder / "run").chmod(0o711)
        self.memory = folder / "memory"
        self.memory.mkdir()
        os.chown(self.memory, pwd.getpwnam(USER).pw_uid, -1)
        self.environment = os.environ | {
            "PATH": f"{tools}:{os.environ['PATH']}", "INKPANEL": str(tools / "inkpanel"), "INKPANEL_USER": USER,
            "INKPANEL_STORED_KEY": str(self.stored), "INKPANEL_RUN": str(folder / "run"),
            "INKPANEL_MEMORY": str(self.memory), "INKPANEL_ETC": str(self.etc), "INKPANEL_GATEWAY_STATE": str(self.gateway),
            "INKPANEL_WEB_STATE": str(self.web), "INKPANEL_GATEWAY_USER": USER, "INKPANEL_WEB_GROUP": "nogroup",
            "INKPANEL_IDENTITY": str(TOP / "systemd" / "identity"),
            "INKPANEL_BACKUP_STATE": str(folder / "backups")}
        self.configure()
        subprocess.run(["sh", TOP / "systemd" / "identity"], env=self.environment, check=True, capture_output=True)

    def configure(self, more: str = ""):
        (self.etc / "inkpanel.toml").write_text(
            f'[control]\ngroup = ""\n[record]\ndirectory = "{self.store}"\n{more}')

    def start(self):
        socket = self.folder / "s"
        credentials = self.folder / "credentials"
        shutil.rmtree(credentials, ignore_errors=True)
        credentials.mkdir()
        (credentials / "inkpanel.key").write_text(self.stored.read_text().removeprefix("encrypted\n"))
        (credentials / "inkpanel.key").chmod(0o600)
        for path in (credentials, credentials / "inkpanel.key", self.folder):
            os.chown(path, pwd.getpwnam(USER).pw_uid, -1)
        log = (self.folder / "log").open("ab")
        self.process = subprocess.Popen(
            ["setpriv", f"--reuid={USER}", "--regid=nogroup", "--clear-groups", self.folder / "tools" / "program",
             "run", "--simulate", "--display", "headless:800x480", "--config", self.etc / "inkpanel.toml", "--socket",
             socket], env=self.environment | {"CREDENTIALS_DIRECTORY": str(credentials)}, stdout=log, stderr=log)
        deadline = time.monotonic() + 60
        while not socket.exists() or "page     starting" in self.command("status"):
            assert time.monotonic() < deadline and self.process.poll() is None, (self.folder / "log").read_text()
            time.sleep(0.05)
        return self

    def command(self, *words) -> str:
        done = subprocess.run(
            [PROGRAM, words[0], "--socket", self.folder / "s", *words[1:]], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, (words, done.stderr)
        return done.stdout

    def capture(self) -> str:
        return self.command("capture", "--prompt", "Delivery received", "--wait").strip()

    def stop(self):
        if self.process:
            self.process.terminate()
            assert self.process.wait(30) == 0, (self.folder / "log").read_text()
            self.process = None

    def backup(self, *words, status: int = 0, by=()) -> str:
        done = subprocess.run(
            [*by, TOP / "deploy" / "backup", *words], env=self.environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == status, (words, done.stdout, done.stderr)
        assert list((self.folder / "run").iterdir()) == [], "keys are left in memory"
        return done.stdout + done.stderr

    def verify(self, *stores, status: int = 2) -> str:
        """Without a list of keys, so that a key that nobody knows is the best."""
        done = subprocess.run(
            [PROGRAM, "verify", *(stores or [self.store])], capture_output=True, text=True, timeout=120)
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout

    def files(self) -> dict:
        """The contents of the store; what a backup leaves behind counts."""
        return {str(path.relative_to(self.store)): path.read_bytes() for path in self.store.rglob("*")
                if path.is_file() and path.name != ".backup.lock"}

    def secrets(self):
        """The state of a gateway, and an authority."""
        self.gateway.mkdir()
        subprocess.run(
            [GATEWAY, "token", "add", "--name", "till-3", "--state", self.gateway], check=True, capture_output=True)
        for path, text, mode in [
                (self.gateway / "owners", "x\n", 0o600), (self.etc / "kiosk.json", "{}", 0o644),
                (self.gateway / "visitor-token", "ipt_SECRET", 0o600), (self.web / "ca.pem", "public", 0o644),
                (self.web / "private" / "ca-key.pem", "CA SECRET", 0o600),
                (self.etc / "rclone.conf", "S3 SECRET", 0o600)]:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
            path.chmod(mode)
        for path in [self.gateway, *self.gateway.iterdir()]:
            os.chown(path, pwd.getpwnam(USER).pw_uid, -1)


@pytest.fixture(scope="module")
def boards():
    # Not in pytest's folder, which every run of pytest closes to other users.
    with tempfile.TemporaryDirectory(prefix="inkpanel-boards-") as folder:
        yield Path(folder)


@pytest.fixture(scope="module")
def old(boards):
    """A panel with three captures, which still runs."""
    board = Board(boards / "old", "counter-7")
    board.secrets()
    board.start()
    for _ in range(3):
        board.capture()
    # As a store has them that is emptied by a delivery.
    for name in ["outbox", "linked"]:
        (board.store / name).mkdir(exist_ok=True)
        (board.store / name / "mark").write_text("")
    yield board
    board.stop()


@pytest.fixture
def new(boards, tmp_path):
    board = Board(boards / tmp_path.name, "spare-board")
    yield board
    board.stop()


@pytest.fixture(scope="module")
def age(tmp_path_factory):
    path = tmp_path_factory.mktemp("age") / "identity"
    subprocess.run(["age-keygen", "-o", path], check=True, capture_output=True)
    return path, subprocess.run(["age-keygen", "-y", path], check=True, capture_output=True, text=True).stdout.strip()


def contents(file: Path) -> dict:
    with tarfile.open(file) as archive:
        return {member.name: archive.extractfile(member).read() for member in archive if member.isfile()}


def unpack(file: Path, folder: Path):
    folder.mkdir()
    subprocess.run(["tar", "xf", file, "-C", folder], check=True)


def rebuild(file: Path, to: Path, edit, added: dict = {}):
    """A backup with what `edit` makes of each member's contents, and with more files."""
    with tarfile.open(file) as source, tarfile.open(to, "w", format=tarfile.PAX_FORMAT) as target:
        def put(member: tarfile.TarInfo, data: bytes | None):
            member.size = len(data or b"")
            target.addfile(member, io.BytesIO(data) if data is not None else None)

        for member in source:
            if member.name == "store":
                for name, data in added.items():
                    put(tarfile.TarInfo(name), data)
            put(member, edit(member.name, source.extractfile(member).read()) if member.isfile() else None)


def change(file: Path, to: Path, name: str, edit):
    """A backup with another content of one member."""
    with tarfile.open(file) as source, tarfile.open(to, "w", format=tarfile.PAX_FORMAT) as target:
        for member in source:
            data = source.extractfile(member).read() if member.isfile() else None
            if member.name == name:
                data = edit(data)
                member.size = len(data)
            target.addfile(member, io.BytesIO(data) if data is not None else None)


def save(old: Board, new: Board, *words) -> Path:
    """A backup of one board for another one, whose directories have other paths only here."""
    (new.folder / "own.tar").unlink(missing_ok=True)
    old.backup("save", new.folder / "own.tar", *words)
    file = new.folder / "a.tar"
    change(new.folder / "own.tar", file, "etc/inkpanel.toml",
           lambda data: data.replace(str(old.store).encode(), str(new.store).encode()))
    return file


def test_a_backup_without_recipients_has_all_but_the_secrets(old, tmp_path):
    file = tmp_path / "a.tar"
    said = old.backup("save", file)
    assert f"{file} has 3 captures" in said and "keys are not in the backup" in said
    assert file.stat().st_mode & 0o777 == 0o600
    files = contents(file)
    assert {name.removeprefix("store/"): data for name, data in files.items() if name.startswith("store/")} == {
        name: data for name, data in old.files().items() if not name.startswith(("key.pem", "outbox", "linked"))}
    # Tokens are digests.
    assert files["gateway/tokens.json"] == (old.gateway / "tokens.json").read_bytes()
    assert files["gateway/owners"] == b"x\n" and files["web/ca.pem"] == b"public"
    # It is about the machine.
    assert "etc/kiosk.json" not in files
    assert b"panel: counter-7\n" in files["inkpanel-backup"]
    assert b"SECRET" not in file.read_bytes() and b"PRIVATE KEY" not in file.read_bytes()
    # As anybody would look at it.
    unpack(file, tmp_path / "all")
    assert old.verify(tmp_path / "all" / "store").endswith("UNKNOWN\n")
    assert "choose another name" in old.backup("save", file, status=1)


def last(board: Board) -> tuple[str, int]:
    word, seconds = (board.folder / "backups/last").read_text().split()
    return word, int(seconds)


def test_a_place_that_is_not_there_is_named_at_once(old, tmp_path):
    words = f"there is no directory {tmp_path}/usb: mount its medium, or make it"
    assert words in old.backup("save", tmp_path / "usb/a.tar", status=1)
    assert words in old.backup("save", "--into", tmp_path / "usb", status=1)
    (tmp_path / "file").write_text("")
    assert "is not a directory" in old.backup("save", tmp_path / "file/a.tar", status=1)
    assert "Environment=FOLDER=" in old.backup("save", "--into", "", status=1)
    old.backup("save", "--into", tmp_path, tmp_path / "a.tar", status=64)
    old.backup("save", "--into", tmp_path, "--keep", "0", status=64)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_backups_into_a_folder_have_names_and_the_oldest_go(old, tmp_path, age):
    shutil.rmtree(old.folder / "backups", ignore_errors=True)
    # All have failed since a time.
    old.backup("save", "--into", tmp_path / "usb", status=1)
    word, since = last(old)
    assert word == "since" and abs(since - time.time()) < 60
    folder = tmp_path / "usb"
    folder.mkdir()
    others = ["counter-7-20250101T000000Z.tar", "counter-7-20250102T000000Z.tar", "counter-8-20240101T000000Z.tar",
              "counter-7-notes.tar", "counter-7-20250103T000000Z.tar.part"]
    for name in others:
        (folder / name).write_text("")
    # With the rights of the unit.
    unit = (TOP / "systemd/inkpanel-backup.service.in").read_text()
    rights = re.search("^CapabilityBoundingSet=(.*)$", unit, re.M)[1].lower().replace("cap_", "+").replace(" ", ",")
    by = ["setpriv", f"--bounding-set=-all,{rights}", f"--inh-caps=-all,{rights}", "--no-new-privs"]
    said = old.backup("save", "--into", folder, "--keep", "2", "--recipient", age[1], by=by)
    assert "has 3 captures" in said and "keys.tar.age" in contents(max(folder.glob("counter-7-20*")))
    names = {path.name for path in folder.iterdir()}
    new, = names - set(others)
    assert re.fullmatch(r"counter-7-20\d{6}T\d{6}Z\.tar", new)
    assert names == {new, "counter-7-20250102T000000Z.tar", "counter-8-20240101T000000Z.tar", "counter-7-notes.tar"}
    assert last(old)[0] == "done" and last(old)[1] >= since
    # A backup that fails changes nothing of that.
    (old.folder / "backups/last").write_text("done 7\n")
    old.backup("save", "--into", tmp_path / "none", status=1)
    assert last(old) == ("done", 7)


def test_a_restored_board_keeps_its_name_and_goes_on_with_another_key(old, new):
    file = save(old, new)
    key = old.command("status").split("key      ")[1].split()[0]
    said = new.backup("restore", file)
    assert "counter-7 is restored" in said and "its key needs --identity" in said
    assert new.verify().endswith("UNKNOWN\n")
    assert "the panel lost its key and has a new one" in new.verify()
    new.start()
    status = new.command("status")
    assert "captures, " in status and status.split("key      ")[1].split()[0] != key and "fault" not in status
    id = new.capture()
    assert '"panel" : "counter-7"' in new.command("show", id, "--json")
    new.stop()
    assert new.verify().endswith("UNKNOWN\n") and len(list((new.store / "captures").iterdir())) == 4
    tokens = [
        subprocess.run([GATEWAY, "token", "list", "--state", board.gateway], capture_output=True, text=True).stdout
        for board in (old, new)]
    assert tokens[0] == tokens[1] and "till-3" in tokens[0] and not (new.etc / "rclone.conf").exists()
    # The records of another board are not mixed with these.
    assert "which the backup lacks" in new.backup("restore", file, status=1)
    assert new.verify().endswith("UNKNOWN\n")


def test_with_the_identity_the_old_key_signs_the_new_one_and_secrets_are_back(old, new, age):
    file = save(old, new, "--recipient", age[1])
    assert b"SECRET" not in file.read_bytes() and b"PRIVATE KEY" not in file.read_bytes()
    new.backup("restore", file, "--identity", age[0])
    facts = new.verify()
    assert "the panel got a new key" in facts and "lost" not in facts
    assert (new.etc / "rclone.conf").read_text() == "S3 SECRET"
    assert (new.etc / "rclone.conf").stat().st_mode & 0o777 == 0o600
    assert (new.gateway / "visitor-token").read_text() == "ipt_SECRET"
    assert (new.web / "private" / "ca-key.pem").read_text() == "CA SECRET"


def test_a_copy_and_its_original_that_both_go_on_are_found(old, new):
    new.backup("restore", save(old, new))
    new.start().capture()
    new.stop()
    old.capture()
    assert old.verify().endswith("UNKNOWN\n") and new.verify().endswith("UNKNOWN\n")
    both = old.verify(old.store, new.store, status=1)
    assert "two different seals with this number" in both and "a copy" in both


@long
def test_a_backup_while_captures_are_made_fits(old, tmp_path):
    captures = subprocess.Popen(
        ["sh", "-c", f"for i in 1 2 3 4 5 6; do {PROGRAM} capture --socket {old.folder}/s --prompt a --wait; done"],
        stdout=subprocess.DEVNULL)
    number = 0
    while captures.poll() is None:
        file = tmp_path / f"{number}.tar"
        old.backup("save", file)
        folder = tmp_path / str(number)
        unpack(file, folder)
        assert old.verify(folder / "store").endswith("UNKNOWN\n")
        number += 1
    assert captures.returncode == 0 and number > 1


def killed(board: Board, seconds: float, *words) -> bool:
    """Kills a backup with all its children; whether it still ran."""
    process = subprocess.Popen(
        [TOP / "deploy" / "backup", *words], env=board.environment, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, start_new_session=True)
    time.sleep(seconds)
    ran = process.poll() is None
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for path in (board.folder / "run").iterdir():
        shutil.rmtree(path)
    return ran


def test_killed_at_any_moment_neither_side_is_damaged(old, new, tmp_path):
    before = {name: data for name, data in old.files().items() if not name.startswith("seals/0")}
    file = save(old, new)
    moments = random.Random(1)
    started = time.monotonic()
    old.backup("save", tmp_path / "b.tar")
    duration = time.monotonic() - started
    ran = sum(killed(old, moments.uniform(0, duration), "save", tmp_path / f"k{n}.tar") for n in range(12))
    assert ran > 3
    # Either a whole file, or none.
    for path in tmp_path.glob("k*.tar"):
        assert contents(path).keys() == contents(file).keys()
    old.backup("save", tmp_path / "c.tar")
    assert {name: data for name, data in old.files().items() if not name.startswith("seals/0")} == before
    for number in range(8):
        killed(new, moments.uniform(0, duration), "restore", file)
        if list((new.store / "seals").glob("*.key.seal")):
            break
    else:
        new.backup("restore", file)
    assert new.verify().endswith("UNKNOWN\n")
    assert len(list((new.store / "captures").iterdir())) == len(list((old.store / "captures").iterdir()))


def test_spoiled_backups_are_refused_and_change_nothing(old, new, tmp_path):
    file, spoiled = save(old, new), tmp_path / "b.tar"
    before, configuration = new.files(), (new.etc / "inkpanel.toml").read_text()
    record = next(name for name, data in contents(file).items() if name.endswith(".jsonl") and b"Delivery" in data)
    change(file, spoiled, record, lambda data: data.replace(b"Delivery", b"delivery"))
    said = new.backup("restore", spoiled, status=1)
    assert "has changed since it was sealed" in said and "--with-faults" in said
    # Cut anywhere, also between two files, where tar sees an end.
    with tarfile.open(file) as archive:
        ends = [member.offset for member in archive][1:]
    whole = file.read_bytes()
    for end in [ends[1], ends[len(ends) // 2], ends[-1], 20_000, len(whole) // 2]:
        spoiled.write_bytes(whole[:end])
        new.backup("restore", spoiled, status=1)
        assert new.files() == before
    spoiled.write_bytes(b"no backup")
    assert "is no backup" in new.backup("restore", spoiled, status=1)
    with tarfile.open(file) as source, tarfile.open(spoiled, "w", format=tarfile.PAX_FORMAT) as target:
        for member in source:
            target.addfile(member, source.extractfile(member) if member.isfile() else None)
        link = tarfile.TarInfo("etc/link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        target.addfile(link)
    assert "has links" in new.backup("restore", spoiled, status=1)
    assert new.files() == before and (new.etc / "inkpanel.toml").read_text() == configuration
    change(file, spoiled, record, lambda data: data.replace(b"Delivery", b"delivery"))
    new.backup("restore", spoiled, "--with-faults")
    assert "has changed since it was sealed" in new.verify(status=1)


def everything(board: Board) -> dict:
    """All files of a board, with the owner of each."""
    return {str(path.relative_to(board.folder)): path.owner() for path in board.folder.rglob("*") if path.is_file()}


FOREIGN = {
    # `setup kiosk --undo` writes what it says, as root.
    "etc/kiosk.json": b'{"entries": [{"path": "/etc/cron.d/x", "before": "x", "after": "y"}]}',
    "etc/inkpanel.toml.d/a/b.toml": b"", "etc/x.service": b"x", "etc/\x1b]0;x\x07.sh": b"x", "etc/.profile": b"x",
    "gateway/.bashrc": b"x", "gateway/sub/tokens.json": b"x", "web/private/openssl.cnf": b"x", "web/x": b"x",
    "root/.ssh/authorized_keys": b"x", "keys/panel.pem": b"x",
}


def test_an_exchanged_backup_places_only_a_panels_files_in_this_boards_directories(old, new, tmp_path):
    old.backup("save", tmp_path / "own.tar")
    file, elsewhere = tmp_path / "b.tar", new.folder / "elsewhere"

    def edit(name: str, data: bytes) -> bytes:
        if name == "etc/inkpanel.toml":
            return data.replace(str(old.store).encode(), str(elsewhere).encode())
        if name == "inkpanel-backup":
            return data.replace(b"panel: counter-7", 'panel: Schalter "7" \\ Süd'.encode())
        return data
    rebuild(tmp_path / "own.tar", file, edit, FOREIGN | {"etc/logo.png": b"PNG"})
    before = everything(new)
    said = new.backup("restore", file)
    made = {path: owner for path, owner in everything(new).items() if path not in before}
    assert not elsewhere.exists() and new.verify().endswith("UNKNOWN\n")
    assert {path for path in made if path.startswith(("etc/", "gateway/", "web/"))} == {
        "etc/logo.png", "etc/inkpanel.toml.before-restore", "etc/inkpanel.toml.d/50-restored.toml",
        "gateway/tokens.json", "gateway/owners"}
    assert {made[f"gateway/{name}"] for name in ("tokens.json", "owners")} == {USER}
    assert made["etc/logo.png"] == "root" and (new.etc / "logo.png").stat().st_mode & 0o777 == 0o644
    assert "\x1b" not in said and "\x07" not in said and "etc/kiosk.json" in said
    show = subprocess.run(
        [PROGRAM, "config", "show", "--config", new.etc / "inkpanel.toml"], capture_output=True, text=True, check=True)
    assert f'directory = "{new.store}"' in show.stdout
    assert 'panel-name = "Schalter \\"7\\" \\\\ Süd"' in show.stdout
    # The next backup has this name.
    new.backup("save", tmp_path / "next.tar")
    assert 'panel: Schalter "7" \\ Süd\n'.encode() in contents(tmp_path / "next.tar")["inkpanel-backup"]


NAMES = {
    "a setting": b'x"\n[control]\ngroup = "nogroup', "two lines": b"x\npanel: \x1b[2Jy", "escapes": b"x\x1b]0;y\x07",
    "C1": b"x\xc2\x9b2J", "no UTF-8": b"x\xff", "hidden": "x\u202ey".encode(), "nothing": b"", "long": b"x" * 65,
}


@pytest.mark.parametrize("name", NAMES)
def test_the_name_in_an_exchanged_backup_is_a_panels_name_or_refused(old, new, tmp_path, name):
    file = save(old, new)
    change(file, tmp_path / "b.tar", "inkpanel-backup", lambda data: data.replace(b"counter-7", NAMES[name]))
    before = everything(new)
    named = name in ("a setting", "two lines")
    said = new.backup("restore", tmp_path / "b.tar", status=0 if named else 1)
    assert "\x1b" not in said and "\x07" not in said and "\x9b" not in said and "\u202e" not in said
    if named:
        text = (new.etc / "inkpanel.toml.d" / "50-restored.toml").read_text()
        assert "group" not in text and "\x1b" not in text and text.count("panel-name") == 1
    else:
        assert everything(new) == before and "nothing is restored" in said


def test_drop_ins_of_an_exchanged_backup_cannot_move_the_store(old, new, tmp_path):
    rebuild(save(old, new), tmp_path / "b.tar", lambda name, data: data, {
        "etc/inkpanel.toml.d/99-x.toml": f'[record]\ndirectory = "{new.folder}/elsewhere"\n'.encode()})
    before = everything(new)
    assert "sets other directories" in new.backup("restore", tmp_path / "b.tar", status=1)
    assert everything(new) == before and not (new.folder / "elsewhere").exists()
    rebuild(save(old, new), tmp_path / "c.tar", lambda name, data: data, {
        "etc/inkpanel.toml.d/99-x.toml": b'[record]\n"\x1b[2J" = 1\n'})
    said = new.backup("restore", tmp_path / "c.tar", status=1)
    assert "cannot use the configuration" in said and "\x1b" not in said and everything(new) == before


def test_links_of_other_users_lead_root_nowhere(old, new):
    victim = new.folder / "victim"
    victim.write_text("root's own")
    victim.chmod(0o600)
    new.gateway.mkdir()
    for name in ["tokens.json.part", "tokens.json", "owners", "owners.before-restore", ".restore"]:
        (new.gateway / name).symlink_to(victim)
    for path in [new.gateway, *new.gateway.iterdir()]:
        os.chown(path, pwd.getpwnam(USER).pw_uid, -1, follow_symlinks=False)
    (new.store / "certificate.pem").unlink()
    for name in [".restoring.part", "certificate.pem"]:
        (new.store / name).symlink_to(victim)
    said = new.backup("restore", save(old, new), status=1)
    (new.store / ".restoring.part").unlink()
    new.backup("restore", save(old, new))
    assert victim.read_text() == "root's own" and victim.stat().st_mode & 0o777 == 0o600
    assert victim.owner() == "root" and "root's own" not in said
    assert not (new.gateway / "tokens.json").is_symlink()
    # A folder that others can change is no place for files of root's.
    (new.etc / "inkpanel.toml").write_text(f'[control]\ngroup = ""\n[record]\ndirectory = "{new.store}"\n# x\n')
    new.etc.chmod(0o777)
    assert "only root can change" in new.backup("restore", new.folder / "a.tar", status=1)


WAITS = """#!/bin/sh
count=$(($(cat "$COUNT" 2>/dev/null) + 1))
echo $count > "$COUNT"
[ $count != "$STOP" ] || { echo > "$COUNT.stop"; sleep 60; }
exec /usr/bin/NAME "$@"
"""


def stopped_at(board: Board, step: int, file: Path) -> bool:
    """Kills a restore before one of its changes; whether it had that many."""
    tools, count = board.folder / "steps", board.folder / "count"
    tools.mkdir(exist_ok=True)
    for name in ["mv", "sync", "rm", "cp"]:
        (tools / name).write_text(WAITS.replace("NAME", name))
        (tools / name).chmod(0o755)
    for path in (count, board.folder / "count.stop"):
        path.write_text("")
        path.chmod(0o666)
    environment = board.environment | {
        "PATH": f"{tools}:{board.environment['PATH']}", "COUNT": str(count), "STOP": str(step)}
    process = subprocess.Popen(
        [TOP / "deploy" / "backup", "restore", file], env=environment, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, start_new_session=True)
    while process.poll() is None and not (board.folder / "count.stop").read_text():
        time.sleep(0.01)
    killed = process.poll() is None
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for path in [*(board.folder / "run").iterdir(), *board.memory.iterdir()]:
        shutil.rmtree(path)
    return killed


@long
def test_a_restore_that_is_killed_before_any_change_is_finished_by_the_next(old, new, boards, tmp_path):
    file, last = save(old, new), None
    number = len(list((old.store / "captures").glob("*.jsonl")))
    for step in range(1, 1000):
        board = Board(boards / f"{tmp_path.name}-{step}", "spare-board")
        shutil.copy(file, board.folder / "a.tar")
        change(file, board.folder / "a.tar", "etc/inkpanel.toml",
               lambda data: data.replace(str(new.store).encode(), str(board.store).encode()))
        if not stopped_at(board, 5 * step, board.folder / "a.tar"):
            break
        last = step
        identity = [TOP / "systemd" / "identity"]
        if step % 2:
            # As at the next boot.
            subprocess.run(["sh", *identity], env=board.environment, check=True, capture_output=True)
        board.backup("restore", board.folder / "a.tar")
        assert board.verify().endswith("UNKNOWN\n"), step
        assert len(list((board.store / "captures").glob("*.jsonl"))) == number, step
        assert len(list((board.store / "seals").glob("*.key.seal"))) == 1, step
        assert not (board.store / ".restoring").exists() and not list(board.stored.parent.glob("*.new")), step
        # The key in place is the one that the seals name.
        subprocess.run(["sh", *identity, "--finish"], env=board.environment, check=True, capture_output=True)
    assert last and last > 5
