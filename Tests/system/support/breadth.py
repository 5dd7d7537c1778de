# SPDX-License-Identifier: Apache-2.0
"""How far tests go: not far for a commit, and far in `make test-long`, which sets INKPANEL_TEST_BREADTH=long."""

import os

import pytest

IS_LONG = os.environ.get("INKPANEL_TEST_BREADTH") == "long"
# `make test` deselects tests with this mark. `make test-long` runs them.
long = pytest.mark.long


def count(few: int, many: int) -> int:
    return many if IS_LONG else few


def share(cases, part: int, first: int = 0, *, several: bool = False) -> list:
    """Parameters: one of `part` cases, in turn, from `first` on, is for a commit; the others are marked as long.
    `several`: a case is a tuple of several arguments."""
    return [
        pytest.param(*(case if several else [case]), marks=() if index % part == first % part else long)
        for index, case in enumerate(cases)]


def pairs(rows, columns) -> list:
    """Parameters of two arguments: all pairs. For a commit each row has one column, in turn; the others are marked."""
    columns = list(columns)
    return [
        pytest.param(row, column, marks=() if place == index % len(columns) else long)
        for index, row in enumerate(rows) for place, column in enumerate(columns)]


def some(cases, part: int) -> list:
    """For a commit one of `part` cases, in turn; all in long tests."""
    return list(cases) if IS_LONG else list(cases)[::part]
