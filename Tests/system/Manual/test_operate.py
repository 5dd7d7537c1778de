# SPDX-License-Identifier: Apache-2.0
"""docs/operate.md: `make install-test` runs its commands, and other tests those that need more than one machine."""

import sys
from pathlib import Path

SYSTEM = Path(__file__).parents[1]
sys.path.append(str(SYSTEM / "Install"))
from guide import ELSEWHERE, commands  # noqa: E402


def test_commands_that_other_tests_run_are_those_of_the_guide():
    assert len(commands()) > 30 and set(ELSEWHERE) < set(commands())
    for command, test in ELSEWHERE.items():
        assert command.split()[-1].split("=")[0].split("/")[-1].split(".")[0] in (SYSTEM / test).read_text(), command
