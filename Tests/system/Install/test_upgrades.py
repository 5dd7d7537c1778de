# SPDX-License-Identifier: Apache-2.0
"""Both packages from a signed repository on a web server: installed, upgraded by unattended-upgrades, downgraded.

After the other tests, whose machine has no package any more. What users made with one version is there with the next.
"""

import os
import re
import time

import pytest
from signed import Administrator, small_deb, with_version
from test_gateway import STATE, get_when
from test_install import DPKG_SECONDS, KEY, QUIET, STORE, idle_page, seals, take_signature, verified

PACKAGES = ("inkpanel", "inkpanel-gateway")
SITE = "/run/site"
ADDRESS = "http://127.0.0.1:8099"
CONFIGURATION = "/etc/inkpanel/inkpanel.toml"
OLD = "0.0.9"


@pytest.fixture(scope="module")
def sites(deb, gateway_deb, tmp_path_factory):
    """Folders of the web server: with the older version only; with the built one, too; with a forged one."""
    work = tmp_path_factory.mktemp("sites")
    own, other = Administrator(), Administrator()
    built = {
        "old": own.builds(work / "old", *(with_version(path, OLD, work) for path in (deb, gateway_deb)), url=ADDRESS),
        "new": own.builds(work / "new", *work.glob(f"*_{OLD}_*.deb"), deb, gateway_deb, url=ADDRESS),
        "forged": other.builds(work / "forged", small_deb(work, version="9.0.0"), url=ADDRESS)}
    own.close(), other.close()
    # The web server compares whole seconds, in which all of these may be as old.
    for age, name in enumerate(reversed(built)):
        os.utime(work / name / "dists/stable/InRelease", (time.time() - 10 * age,) * 2)
    assert [name for name, done in built.items() if done.returncode != 0] == [], built
    return work


@pytest.fixture(scope="module")
def apt(panel, sites):
    """Runs a program of apt in the guest, which knows this repository only; its output."""
    # Alone, this file starts with the package that the boot installed.
    panel.run("/usr/bin/dpkg", "--purge", *PACKAGES, env=QUIET, within=DPKG_SECONDS)
    panel.run("/bin/mv", "/etc/apt/sources.list", "/etc/apt/sources.list.debian")
    serve(panel, sites, "old")
    server = panel.start("/usr/bin/python3", "-u", "-m", "http.server", "--directory", SITE, "8099", tty=None)
    server.wait_line("^Serving HTTP")
    for name, folder in (("inkpanel.asc", "keyrings"), ("inkpanel.sources", "sources.list.d")):
        panel.write_file(f"/etc/apt/{folder}/{name}", (sites / "old" / name).read_text())
    return lambda *words: panel.run(*words, env=QUIET, within=DPKG_SECONDS)


def serve(panel, sites, name):
    # Other folders instead of changed ones: the guest keeps what it has read of the host's files.
    panel.run("/bin/ln", "-sfn", f"/run/host{sites / name}", SITE)


@pytest.fixture(scope="module")
def kept():
    """What must be there after each change of the version, and the last process."""
    return {}


def installed(panel) -> set[str]:
    return set(panel.run("/usr/bin/dpkg-query", "--show", "--showformat=${Package} ${Version} ${Status}\n", *PACKAGES)
               .replace(" install ok installed", "").replace(" hold ok installed", "").splitlines())


def both(version) -> set[str]:
    return {f"{package} {version}" for package in PACKAGES}


def state(panel) -> str:
    """Digests of everything that belongs to the users."""
    return panel.run(
        "/bin/sh", "-c", f"find {STORE}/captures {STORE}/seals {KEY} /etc/inkpanel {STATE}/private {STATE}/spki "
        "/var/lib/inkpanel-gateway/tokens.json -type f | sort | xargs sha256sum")


def goes_on(panel, kept) -> None:
    """The new process has what the previous one had."""
    kept["process"] = panel.working(but=kept.get("process", ""))["MainPID"]
    if "state" in kept:
        assert state(panel) == kept["state"]
        assert seals(panel) == kept["seals"] and seals(panel)["faults"] == []
        assert f"signed by the key {kept['seals']['key']}" in verified(panel, f"--head={kept['head']}")
        assert get_when(panel, 200, token=kept["token"])[0] == 200


def test_apt_installs_both_packages_from_the_repository(panel, apt, kept):
    apt("/usr/bin/apt-get", "-q", "update")
    said = apt("/usr/bin/apt-get", "-q", "-y", "install", *PACKAGES)
    assert not re.search(r"^(W|E):|cannot be authenticated", said, re.M), said
    assert installed(panel) == both(OLD)
    goes_on(panel, kept)


def test_it_is_used(panel, kept):
    kept["touch"] = panel.touchscreen(*panel.size)
    idle_page(panel)
    take_signature(panel, kept["touch"], "12 parcels")
    kept["token"] = panel.run(
        "/usr/bin/inkpanel-gateway", "token", "add", "--name", "till-3", "--scope", "panel").strip()
    get_when(panel, 200, token=kept["token"])
    panel.write_file(CONFIGURATION, panel.read_file(CONFIGURATION) + "# Ours.\n")
    kept["seals"] = seals(panel)
    kept["head"] = "{n}:{digest}".format(**kept["seals"]["head"])
    kept["state"] = state(panel)
    assert kept["seals"]["head"]["n"] == 1 and kept["state"].count("captures/") == 1


def test_unattended_upgrades_installs_a_new_version(panel, apt, sites, kept):
    panel.write_file("/etc/apt/apt.conf.d/52inkpanel-upgrades", (sites / "old/52inkpanel-upgrades").read_text())
    said = apt("/usr/bin/unattended-upgrade", "--dry-run", "-v")
    assert "origin=Inkpanel,label=Inkpanel" in said and "No packages found" in said, said
    serve(panel, sites, "new")
    apt("/usr/bin/apt-get", "-q", "update")
    said = apt("/usr/bin/unattended-upgrade", "--dry-run", "-v")
    assert re.search("^Packages that will be upgraded: inkpanel inkpanel-gateway$", said, re.M), said
    assert installed(panel) == both(OLD)
    said = apt("/usr/bin/unattended-upgrade", "-v")
    assert "All upgrades installed" in said, said
    assert OLD not in str(installed(panel))
    goes_on(panel, kept)


def test_a_forged_repository_is_refused(panel, apt, sites, kept):
    serve(panel, sites, "forged")
    update = panel.start("/usr/bin/apt-get", "-q", "--error-on=any", "update", tty=None)
    assert update.wait(DPKG_SECONDS) != 0 and re.search("not signed|NO_PUBKEY|Missing key", update.log), update.log
    assert "9.0.0" not in apt("/usr/bin/apt-cache", "policy", "inkpanel")
    before = installed(panel)
    apt("/usr/bin/unattended-upgrade", "-v")
    assert installed(panel) == before and panel.working()["MainPID"] == kept["process"]
    serve(panel, sites, "new")
    apt("/usr/bin/apt-get", "-q", "update")


def test_a_downgrade_keeps_everything_and_stays(panel, apt, kept):
    apt("/usr/bin/apt-get", "-q", "-y", "--allow-downgrades", "install", *(f"{name}={OLD}" for name in PACKAGES))
    assert installed(panel) == both(OLD)
    goes_on(panel, kept)
    apt("/usr/bin/apt-mark", "hold", *PACKAGES)
    apt("/usr/bin/unattended-upgrade", "-v")
    assert installed(panel) == both(OLD)


def test_records_go_on_after_it(panel, apt, kept):
    idle_page(panel)
    take_signature(panel, kept["touch"], "13 parcels")
    now = seals(panel)
    assert now["head"]["n"] == 2 and now["faults"] == [] and now["key"] == kept["seals"]["key"]
    verified(panel, f"--head={kept['head']}", "--head={n}:{digest}".format(**now["head"]))
    apt("/usr/bin/apt-mark", "unhold", *PACKAGES)
    apt("/usr/bin/apt-get", "-q", "-y", "upgrade")
    assert OLD not in str(installed(panel))
    panel.working(but=kept["process"])
    verified(panel, f"--head={kept['head']}")
