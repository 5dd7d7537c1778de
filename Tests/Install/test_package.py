# SPDX-License-Identifier: Apache-2.0
"""The content of the package, checked with packaging tools."""

import subprocess


def said(*words) -> str:
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def test_lintian_reports_nothing(deb):
    checked = subprocess.run(["lintian", "--allow-root", str(deb)], capture_output=True, text=True)
    assert (checked.returncode, checked.stdout) == (0, ""), checked.stdout + checked.stderr


def test_the_version_equals_the_program_s(deb, tmp_path):
    said("dpkg-deb", "--extract", deb, tmp_path)
    assert said(tmp_path / "usr/bin/inkpanel", "--version").strip() == said("dpkg-deb", "-f", deb, "Version").strip()


def test_the_package_has_all_files(deb):
    names = {line.split()[5].removeprefix(".") for line in said("dpkg-deb", "--contents", deb).splitlines()}
    names = {name.removeprefix("/usr") if name.startswith("/usr/lib/") else name for name in names}
    assert names >= {
        "/usr/bin/inkpanel", "/etc/inkpanel/inkpanel.toml", "/lib/systemd/system/inkpanel.service",
        "/lib/systemd/system/inkpanel.socket", "/lib/sysusers.d/inkpanel.conf", "/lib/tmpfiles.d/inkpanel.conf",
        "/lib/udev/rules.d/72-inkpanel.rules", "/usr/share/man/man1/inkpanel.1.gz",
        "/usr/share/man/man5/inkpanel.toml.5.gz", "/usr/share/bash-completion/completions/inkpanel",
        "/usr/share/zsh/site-functions/_inkpanel", "/usr/share/fish/vendor_completions.d/inkpanel.fish",
        "/usr/share/doc/inkpanel/copyright", "/usr/share/doc/inkpanel/host-api.md",
        "/usr/share/doc/inkpanel/examples/signature.py",
        "/usr/share/varlink/interfaces/org.inkpanel.Panel.varlink"}


def test_the_configuration_is_a_conffile(deb, tmp_path):
    said("dpkg-deb", "--control", deb, tmp_path)
    assert (tmp_path / "conffiles").read_text() == "/etc/inkpanel/inkpanel.toml\n"
