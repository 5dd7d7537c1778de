# SPDX-License-Identifier: Apache-2.0
"""Drop-ins by the role in `deploy/ansible`, for a panel whose programs are replaced, in a folder."""

import hashlib
import json
import os
import subprocess
from pathlib import Path

TOP = Path(__file__).resolve().parents[3]
ROLE = TOP / "deploy/ansible/roles/inkpanel"
PLAYBOOK = os.environ.get("ANSIBLE_PLAYBOOK", "ansible-playbook")
INKPANEL = """#!/bin/sh
case "$1 $2" in
"config check") ! grep -q wrong "${3:-/dev/null}" ;;
"config show") cat FOLDER/settings ;;
"status --json") cat FOLDER/status ;;
esac
"""


class Panel:
    def __init__(self, folder: Path):
        self.folder, self.dropins = folder, folder / "etc" / "inkpanel.toml.d"
        (folder / "tools").mkdir()
        program = folder / "tools" / "inkpanel"
        program.write_text(INKPANEL.replace("FOLDER", str(folder)))
        program.chmod(0o755)
        (folder / "settings").write_text("[pad]\nlanguage = \"de\"\n")
        self.runs_with(folder / "settings")
        (folder / "play.yml").write_text(f"""
- hosts: all
  gather_facts: false
  vars_files: [{ROLE}/defaults/main.yml]
  handlers:
    - name: Restart
      ansible.builtin.command: touch {folder}/restarted
      changed_when: false
      listen: Configuration changed
  tasks:
    - ansible.builtin.include_tasks: {ROLE}/tasks/dropins.yml
""")

    def runs_with(self, settings: Path):
        digest = hashlib.sha256(settings.read_bytes()).hexdigest()
        (self.folder / "status").write_text(json.dumps({"configuration": digest}))

    def play(self, dropins: dict, *words) -> tuple[int, bool]:
        """The number of changes, -1 for a failure, and whether the panel was restarted."""
        (self.folder / "restarted").unlink(missing_ok=True)
        exists = {"stat": {"exists": True}}
        # Before those of the role's defaults.
        values = {
            "inkpanel_systemd": exists, "inkpanel_program": exists, "inkpanel_etc": str(self.folder / "etc"),
            "inkpanel_dropins": dropins}
        host = {"ansible_connection": "local", "ansible_python_interpreter": "/usr/bin/python3"}
        (self.folder / "inventory.json").write_text(json.dumps({"panels": {"hosts": {"panel": host}}}))
        (self.folder / "values.json").write_text(json.dumps(values))
        done = subprocess.run(
            [PLAYBOOK, "-i", self.folder / "inventory.json", self.folder / "play.yml", "-e",
             f"@{self.folder}/values.json", *words], capture_output=True, text=True, env={
                **os.environ, "HOME": str(self.folder), "PATH": f"{self.folder}/tools:{os.environ['PATH']}",
                "ANSIBLE_STDOUT_CALLBACK": "told",
                "ANSIBLE_CALLBACK_PLUGINS": str(TOP / "Tests/system/Deploy/callbacks"),
                "ANSIBLE_NOCOLOR": "true", "ANSIBLE_PIPELINING": "true", "LC_ALL": "C.UTF-8"})
        assert done.stdout.startswith("{"), done.stdout + done.stderr
        self.said = done.stdout
        count = json.loads(done.stdout)["stats"]["panel"]
        return -1 if count["failures"] else count["changed"], (self.folder / "restarted").exists()

    def names(self) -> set:
        return {path.name for path in self.dropins.glob("*.toml")}


def test_drop_ins_that_left_the_inventory_are_removed_and_others_stay(tmp_path):
    panel = Panel(tmp_path)
    (tmp_path / "etc").mkdir()
    changes, restarted = panel.play({"50-site": "a = 1\n", "60-more": "b = 1\n"})
    assert changes > 0 and restarted, panel.said
    (panel.dropins / "70-by-hand.toml").write_text("c = 1\n")
    changes, restarted = panel.play({"60-more": "b = 1\n"})
    assert changes > 0 and restarted and panel.names() == {"60-more.toml", "70-by-hand.toml"}, panel.said
    # A run that fails leaves no file of unknown origin.
    assert panel.play({"60-more": "b = 1\n", "61-a": "d = 1\n", "62-b": "wrong\n"}) == (-1, False), panel.said
    assert panel.names() == {"60-more.toml", "61-a.toml", "70-by-hand.toml"}
    panel.play({"60-more": ""})
    assert panel.names() == {"70-by-hand.toml"}, panel.said


def test_a_panel_that_runs_with_other_settings_is_restarted(tmp_path):
    """As after a run that failed between the drop-ins and the restart."""
    panel = Panel(tmp_path)
    (tmp_path / "etc").mkdir()
    panel.play({"50-site": "a = 1\n"})
    # Nothing to do.
    assert panel.play({"50-site": "a = 1\n"}) == (0, False), panel.said
    (tmp_path / "old").write_text("[pad]\n")
    panel.runs_with(tmp_path / "old")
    assert panel.play({"50-site": "a = 1\n"}) == (1, True), panel.said
