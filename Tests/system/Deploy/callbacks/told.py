# SPDX-License-Identifier: Apache-2.0
"""What ansible-playbook has done, as one JSON document, for tests: ansible-core 2.19 has no such callback."""

import json

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: told
type: stdout
short_description: results as JSON
description: results as JSON
"""


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "told"

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.plays = []

    def v2_playbook_on_play_start(self, play):
        self.plays.append({"play": {"name": play.get_name()}, "tasks": []})

    def begin(self, task, *_, **__):
        self.plays[-1]["tasks"].append({"task": {"name": task.get_name()}, "hosts": {}})

    v2_playbook_on_task_start = v2_playbook_on_handler_task_start = v2_playbook_on_cleanup_task_start = begin

    def note(self, result, *_, **__):
        # The names of ansible-core 2.14 and of 2.19.
        host = getattr(result, "host", None) or result._host
        values = getattr(result, "result", None) or result._result
        # Results come for the task before, too, if hosts do not wait for each other.
        task = (getattr(result, "task", None) or result._task).get_name()
        place = next(item for item in reversed(self.plays[-1]["tasks"]) if item["task"]["name"] == task)
        place["hosts"][host.get_name()] = json.loads(json.dumps(values, default=str))
        return place["hosts"][host.get_name()]

    def note_failure(self, result, *_, **__):
        # A task with failed_when and retries has no "failed" of its own.
        self.note(result)["failed"] = True

    v2_runner_on_ok = v2_runner_on_unreachable = v2_runner_on_skipped = note
    v2_runner_on_failed = note_failure

    def v2_playbook_on_stats(self, stats):
        hosts = {host: stats.summarize(host) for host in sorted(stats.processed)}
        self._display.display(json.dumps({"plays": self.plays, "stats": hosts}))
