# SPDX-License-Identifier: Apache-2.0
"""The content of the packages, checked with packaging tools."""

import subprocess


def said(*words) -> str:
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def test_lintian_reports_nothing(deb, gateway_deb, fleet_deb, document_deb):
    checked = subprocess.run(
        ["lintian", "--allow-root", *map(str, (deb, gateway_deb, fleet_deb, document_deb))], capture_output=True, text=True)
    assert (checked.returncode, checked.stdout) == (0, ""), checked.stdout + checked.stderr


def test_the_version_equals_the_program_s(deb, gateway_deb, fleet_deb, document_deb, tmp_path):
    for package, program in ((deb, "inkpanel"), (gateway_deb, "inkpanel-gateway"), (fleet_deb, "inkpanel-fleet"),
                             (document_deb, "inkpanel-document")):
        said("dpkg-deb", "--extract", package, tmp_path)
        version = said("dpkg-deb", "-f", package, "Version").strip()
        assert said(tmp_path / "usr/bin" / program, "--version").strip() == version


def contents(deb) -> set[str]:
    names = {line.split()[5].removeprefix(".") for line in said("dpkg-deb", "--contents", deb).splitlines()}
    return {name.removeprefix("/usr") if name.startswith("/usr/lib/") else name for name in names}


def test_the_gateway_s_package_has_all_files(gateway_deb):
    assert contents(gateway_deb) >= {
        "/usr/bin/inkpanel-gateway", "/lib/inkpanel/web-certificate", "/lib/sysusers.d/inkpanel-gateway.conf",
        "/lib/systemd/system/inkpanel-gateway.service", "/lib/systemd/system/inkpanel-web.service",
        "/lib/systemd/system/inkpanel-webhooks.service",
        "/lib/systemd/system/inkpanel-web-renew.service", "/lib/systemd/system/inkpanel-web-renew.timer",
        "/usr/share/inkpanel/nginx.conf", "/usr/share/inkpanel/inkpanel.avahi",
        "/usr/share/man/man1/inkpanel-gateway.1.gz", "/usr/share/bash-completion/completions/inkpanel-gateway"}


def test_the_fleet_s_package_has_all_files(fleet_deb):
    assert contents(fleet_deb) >= {
        "/usr/bin/inkpanel-fleet", "/usr/bin/inkpanel-fleet-certificate", "/lib/systemd/system/inkpanel-fleet.service",
        "/usr/share/doc/inkpanel-fleet/mosquitto.conf", "/usr/share/doc/inkpanel-fleet/inkpanel_fleet.py",
        "/usr/share/man/man1/inkpanel-fleet.1.gz", "/usr/share/bash-completion/completions/inkpanel-fleet"}


def test_the_package_for_documents_has_all_files(document_deb):
    assert contents(document_deb) >= {
        "/usr/bin/inkpanel-document", "/lib/systemd/system/inkpanel-document.socket",
        "/lib/systemd/system/inkpanel-document@.service", "/usr/share/man/man8/inkpanel-document.8.gz"}
    needs = said("dpkg-deb", "-f", document_deb, "Depends")
    assert "libqpdf" in needs and "poppler-utils" in needs


def test_the_package_has_all_files(deb):
    assert contents(deb) >= {
        "/usr/bin/inkpanel", "/etc/inkpanel/inkpanel.toml", "/lib/systemd/system/inkpanel.service",
        "/lib/systemd/system/inkpanel.socket", "/lib/systemd/system/inkpanel-identity.service",
        "/lib/systemd/system/inkpanel-deliver.service", "/lib/systemd/system/inkpanel-deliver.path",
        "/lib/systemd/system/inkpanel-deliver.timer", "/lib/inkpanel/identity",
        "/lib/inkpanel/clock", "/lib/systemd/system/inkpanel-clock.service", "/lib/sysusers.d/inkpanel.conf",
        "/lib/tmpfiles.d/inkpanel.conf",
        "/lib/udev/rules.d/72-inkpanel.rules", "/usr/share/man/man1/inkpanel.1.gz",
        "/usr/share/man/man5/inkpanel.toml.5.gz", "/usr/share/bash-completion/completions/inkpanel",
        "/usr/share/zsh/site-functions/_inkpanel", "/usr/share/fish/vendor_completions.d/inkpanel.fish",
        "/usr/share/doc/inkpanel/copyright", "/usr/share/doc/inkpanel/host-api.md",
        "/usr/share/doc/inkpanel/examples/signature.py", "/usr/share/inkpanel/verify.html",
        "/usr/share/varlink/interfaces/org.inkpanel.Panel.varlink"}


def test_the_configuration_is_a_conffile(deb, tmp_path):
    said("dpkg-deb", "--control", deb, tmp_path)
    assert (tmp_path / "conffiles").read_text() == "/etc/inkpanel/inkpanel.toml\n"
