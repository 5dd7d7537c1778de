# SPDX-License-Identifier: Apache-2.0
"""The commands of docs/operate.md, and which test runs those that test_guide.py does not."""

import re
from pathlib import Path

TOP = Path(__file__).resolve().parents[3]
ELSEWHERE = {
    "sudo reboot": "Install/test_kiosk.py",
    "make repository KEY=panels@example.org URL=https://packages.example.org/inkpanel": "Deploy/test_repository.py",
    "cd deploy/ansible": "Deploy/test_ansible.py",
    "ansible-playbook -i inventory.yml panels.yml --check --diff": "Deploy/test_ansible.py",
    "ansible-playbook -i inventory.yml panels.yml": "Deploy/test_ansible.py",
}


def commands() -> list[str]:
    blocks = re.findall(r"(?:^    .+\n)+", (TOP / "docs/operate.md").read_text(), re.M)
    return [line.strip() for block in blocks for line in block.splitlines()]
