# SPDX-License-Identifier: Apache-2.0
"""What tests of repositories and releases share."""

import pytest
from signed import Administrator


@pytest.fixture(scope="module")
def administrator():
    administrator = Administrator()
    yield administrator
    administrator.close()
