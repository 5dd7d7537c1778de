# SPDX-License-Identifier: Apache-2.0
"""systemd/identity, which root runs with the files of the panel's user. systemd-creds is replaced: it needs a machine."""

import os
import pwd
import subprocess
from pathlib import Path

import pytest

IDENTITY = Path(__file__).parents[3] / "systemd" / "identity"
# The panel's user.
USER = "nobody"
SECRET = "-----BEGIN PRIVATE KEY-----\nroot's own\n-----END PRIVATE KEY-----\n"

CREDENTIALS = """#!/bin/sh
# encrypt OPTIONS - FILE; decrypt OPTIONS FILE -
action=$1
shift
while [ "${1#--}" != "$1" ]; do shift; done
case $action in
encrypt) if [ "$2" = - ]; then cat; else { echo encrypted; cat; } > "$2"; fi ;;
decrypt) [ "$(head -n 1 "$1")" = encrypted ] && tail -n +2 "$1" ;;
esac
"""

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to become the panel's user")


class Machine:
    def __init__(self, folder: Path):
        self.store = folder / "store"
        self.run_folder = folder / "run"
        self.memory = folder / "memory"
        self.stored = folder / "credstore" / "inkpanel.key"
        self.secret = folder / "secret"
        tools = folder / "tools"
        for made in (self.store, self.run_folder, self.memory, tools):
            made.mkdir()
        for parent in [folder, *folder.parents]:
            if not parent.stat().st_mode & 0o001:
                parent.chmod(parent.stat().st_mode | 0o011)
        program = tools / "program"
        program.write_bytes(Path(os.environ["INKPANEL"]).read_bytes())
        configuration = folder / "inkpanel.toml"
        configuration.write_text(f'[record]\ndirectory = "{self.store}"\n')
        (tools / "inkpanel").write_text(f'#!/bin/sh\nexec {program} "$@" --config {configuration}\n')
        (tools / "systemd-creds").write_text(CREDENTIALS)
        for tool in tools.iterdir():
            tool.chmod(0o755)
        self.give(self.store)
        self.give(self.memory)
        self.store.chmod(0o700)
        self.run_folder.chmod(0o711)
        self.secret.write_text(SECRET)
        self.secret.chmod(0o600)
        self.environment = os.environ | {
            "PATH": f"{tools}:{os.environ['PATH']}", "INKPANEL": str(tools / "inkpanel"), "INKPANEL_USER": USER,
            "INKPANEL_STORED_KEY": str(self.stored), "INKPANEL_RUN": str(self.run_folder),
            "INKPANEL_MEMORY": str(self.memory)}

    @staticmethod
    def give(path: Path):
        """To the panel's user."""
        entry = pwd.getpwnam(USER)
        os.chown(path, entry.pw_uid, entry.pw_gid, follow_symlinks=False)

    def run(self, *arguments: str, status: int = 0) -> str:
        done = subprocess.run(
            ["sh", IDENTITY, *arguments], env=self.environment, capture_output=True, text=True, timeout=60)
        said = done.stdout + done.stderr
        assert done.returncode == status, said
        # No readable key is left, and root's file is nowhere.
        assert [*self.run_folder.iterdir(), *self.memory.iterdir()] == []
        assert "root's own" not in said
        for path in [*self.store.rglob("*"), *self.stored.parent.glob("*")]:
            if path.is_file() and not path.is_symlink():
                assert "root's own" not in path.read_text(errors="replace"), path
        return said

    def own_key(self) -> Path:
        """The key in the store, as where systemd-creds cannot encrypt it."""
        key = self.store / "key.pem"
        key.write_text(self.stored.read_text().removeprefix("encrypted\n"))
        key.chmod(0o600)
        self.give(key)
        self.stored.unlink()
        return key


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def test_the_key_is_made_and_replaced(machine):
    first = machine.run().split("new key is ")[1].split(",")[0]
    assert machine.stored.stat().st_uid == 0 and machine.stored.stat().st_mode & 0o777 == 0o600
    assert (machine.store / "certificate.pem").owner() == USER
    # Another start changes nothing.
    assert machine.run() == ""
    second = machine.run("--replace").split("new key is ")[1].strip()
    assert first.startswith("SHA256:") and second.startswith("SHA256:") and first != second
    machine.own_key()
    third = machine.run("--replace").split("new key is ")[1].strip()
    assert third not in (first, second) and not (machine.store / "key.pem").exists()


BAD = {
    "link to a file of root": (lambda key, secret: (key.unlink(), key.symlink_to(secret)), "is a link"),
    "link to another key": (lambda key, secret: (key.rename(key.parent / "k"), key.symlink_to("k")), "is a link"),
    "hard link": (lambda key, secret: os.link(key, key.parent / "k"), "has a second name"),
    "directory": (lambda key, secret: (key.unlink(), key.mkdir()), "is a directory"),
    "mode": (lambda key, secret: key.chmod(0o644), "chmod 600"),
    "owner": (lambda key, secret: (os.chown(key, 12345, 12345), key.chmod(0o644)), "belongs to the user 12345"),
    "nothing": (lambda key, secret: key.unlink(), "No such file"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_key_that_is_not_the_panel_users_alone_is_refused_by_name(machine, name):
    machine.run()
    key = machine.own_key()
    damage, expected = BAD[name]
    damage(key, machine.secret)
    done = subprocess.run(
        ["sh", IDENTITY, "--replace"], env=machine.environment, capture_output=True, text=True, timeout=60)
    said = done.stdout + done.stderr
    assert done.returncode != 0 and str(key) in said and expected in said and "root's own" not in said, said
    assert not machine.stored.exists() and machine.secret.read_text() == SECRET


def test_without_a_place_for_the_encrypted_key_the_panel_keeps_its_own_and_the_log_says_why(machine):
    # As on a root that cannot be written.
    machine.stored.parent.write_text("")
    said = machine.run()
    assert said.count("\n") == 1 and "File exists" in said and str(machine.store) in said and "kiosk.md" in said
    # No certificate of a key that nobody has.
    assert list(machine.store.iterdir()) == []
    machine.stored.parent.unlink()
    assert "new key is SHA256:" in machine.run()


def by_root(machine, *words: str) -> str:
    """What `inkpanel identity create` says as root, who also takes a link for a file of root's in the panel's store."""
    done = subprocess.run(
        [os.environ["INKPANEL"], "identity", "create", "--store", str(machine.store), *words], capture_output=True,
        text=True, timeout=60)
    assert machine.secret.read_text() == SECRET and machine.secret.stat().st_uid == 0
    assert machine.secret.stat().st_mode & 0o777 == 0o600
    return done.stdout + done.stderr


def test_root_writes_nothing_through_links_in_the_panels_directory(machine):
    new, certificate = machine.store / "new.pem", machine.store / "certificate.pem"
    machine.run()
    machine.own_key()
    words = ["--replace", str(machine.store / "key.pem"), "--key", str(new)]
    for target in (machine.secret, machine.store / "nothing"):
        certificate.unlink()
        certificate.symlink_to(target)
        assert by_root(machine, *words).startswith("SHA256:")
        assert not certificate.is_symlink() and certificate.owner() == new.owner() == USER
        assert new.stat().st_mode & 0o777 == 0o600 and not (machine.store / "nothing").exists()
        assert (machine.store / "seals").owner() == USER
        new.unlink()
    # A call that fails puts back what was there, but not the text of root's file.
    certificate.unlink()
    certificate.symlink_to(machine.secret)
    seals, elsewhere = machine.store / "seals", machine.secret.parent / "elsewhere"
    elsewhere.mkdir()
    seals.rmdir()
    seals.symlink_to(elsewhere)
    machine.give(seals)
    said = by_root(machine, *words)
    assert f"{seals} is a link that the user" in said and list(elsewhere.iterdir()) == [], said
    assert not certificate.exists() or "root's own" not in certificate.read_text()
    new.symlink_to(machine.secret)
    assert "new.pem is a link" in by_root(machine, *words)


@pytest.mark.parametrize("kind", ["link", "owner", "mode"])
def test_an_encrypted_key_that_is_not_roots_alone_is_refused_by_name(machine, kind):
    machine.run()
    if kind == "link":
        machine.stored.unlink()
        machine.stored.symlink_to(machine.secret)
    elif kind == "owner":
        machine.give(machine.stored)
    else:
        machine.stored.chmod(0o644)
    said = machine.run("--replace", status=1)
    assert f"{machine.stored} is not a file of root's alone" in said and "chmod 600" in said, said
    # A start says so, and does not fail.
    assert "is not a file of root's alone" in machine.run()
