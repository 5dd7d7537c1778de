# SPDX-License-Identifier: Apache-2.0
"""deploy/fleet/inkpanel-fleet-certificate: who gets a certificate, and what a kill leaves."""

import base64
import os
import re
import shutil
import ssl
import subprocess
import time
from pathlib import Path

import pytest
from conftest import CERTIFICATE, Authority, run
from support import breadth


def openssl(*words, text: str = "") -> str:
    return subprocess.run(["openssl", *words], input=text, capture_output=True, text=True, check=True).stdout


def serial(file: Path) -> str:
    return openssl("x509", "-in", file, "-noout", "-serial").strip().partition("=")[2]


def works(state: Path) -> bool:
    """Whether key and certificate are there and fit each other, as the program loads them."""
    context = ssl.create_default_context(cafile=state / "ca.crt")
    context.load_cert_chain(state / "panel.crt", state / "panel.key")
    return (state / "panel.key").stat().st_mode & 0o777 == 0o600


def test_from_invitation_to_certificate(authority: Authority):
    code = authority.invite("panel-12")
    assert re.fullmatch("([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}", code)
    # Only what the code's key proves is kept.
    kept = (authority.ca / "invitations/panel-12").read_text()
    assert code not in kept and code.replace("-", "") not in kept and "PUBLIC KEY" in kept
    request = authority.request("panel-12", code)
    assert code not in request and "PRIVATE" not in request
    assert max(len(line) for line in request.splitlines()) < 100
    said = authority.sign(request).stderr
    assert "out/panel-12.crt is for panel-12" in said and "install panel-12.crt --ca panels-ca.crt" in said
    said = authority.install("panel-12", "--ca", authority.out / "panels-ca.crt").stderr
    assert "systemctl reload inkpanel-fleet" in said
    state = authority.state("panel-12")
    assert works(state) and not (state / "waiting.pem").exists()
    openssl("verify", "-CAfile", state / "ca.crt", state / "panel.crt")
    text = openssl("x509", "-in", state / "panel.crt", "-noout", "-text")
    assert "Subject: CN = panel-12" in text and "TLS Web Client Authentication" in text and "prime256v1" in text
    assert "Server Authentication" not in text and "CA:FALSE" in text
    assert 89 * 86400 < ssl.cert_time_to_seconds(re.search("Not After : (.*)", text)[1]) - time.time() <= 90 * 86400
    # Again changes nothing.
    before = serial(state / "panel.crt")
    authority.install("panel-12")
    assert works(state) and serial(state / "panel.crt") == before
    assert len(list((state / "pairs").iterdir())) == 1


def test_code_as_people_type_it(authority: Authority):
    code = authority.invite("panel-12")
    typed = code.replace("-", " ").upper().replace("0", "O").replace("1", "l")
    authority.sign(run("request", "panel-12", "-", "--state", authority.state("panel-12"), text=typed + "\n").stdout)


def test_request_through_mail(authority: Authority):
    """With other line ends, and words before and after."""
    request = authority.request("panel-12", authority.invite("panel-12"))
    authority.sign(request.replace("\n", "\r\n") + "\r\n\r\n-- \r\nThe board\r\n")


def test_request_into_a_file(authority: Authority, tmp_path):
    file = tmp_path / "panel-12.request"
    run("request", "panel-12", authority.invite("panel-12"), "--state", authority.state("panel-12"), "--output", file)
    authority("sign", file)
    authority.install("panel-12", "--ca", authority.out / "panels-ca.crt")
    assert works(authority.state("panel-12"))


def test_same_request_until_its_certificate_comes(authority: Authority):
    """Whichever copy is signed, the certificate fits."""
    code = authority.invite("panel-12")
    first, second = authority.request("panel-12", code), authority.request("panel-12", code)
    assert first == second
    authority.sign(first)
    authority.install("panel-12", "--ca", authority.out / "panels-ca.crt")
    assert works(authority.state("panel-12"))


def test_wrong_code(authority: Authority):
    code = authority.invite("panel-12")
    other = ("0" if code[0] != "0" else "1") + code[1:]
    assert "does not fit the code" in authority.sign(authority.request("panel-12", other), status=1).stderr
    # The right one serves after that.
    authority.sign(authority.request("panel-12", code))


def test_code_of_another_panel(authority: Authority):
    code = authority.invite("panel-12")
    authority.invite("panel-13")
    request = authority.request("panel-13", code)
    assert "does not fit the code of panel-13" in authority.sign(request, status=1).stderr
    assert "panel-14 is not invited" in authority.sign(authority.request("panel-14", code), status=1).stderr


def test_used_code(authority: Authority, tmp_path):
    code = authority.invite("panel-12")
    request = authority.request("panel-12", code)
    authority.sign(request)
    assert "was used already" in authority.sign(request, status=1).stderr
    thief = authority.request("panel-12", code, tmp_path / "thief")
    assert "was used already" in authority.sign(thief, status=1).stderr
    # A former code does not serve either.
    authority("revoke", "panel-12")
    authority.invite("panel-12")
    assert "does not fit" in authority.sign(request, status=1).stderr


def test_expired_code(authority: Authority):
    request = authority.request("panel-12", authority.invite("panel-12"))
    file = authority.ca / "invitations/panel-12"
    text = file.read_text()
    ends = int(re.search("ends: ([0-9]+)", text)[1])
    assert abs(ends - time.time() - 7 * 86400) < 60
    file.write_text(text.replace(str(ends), str(int(time.time()) - 1)))
    assert "has ended" in authority.sign(request, status=1).stderr
    file.write_text(text.replace(str(ends), str(int(time.time()) + 60)))
    authority.sign(request)


def test_changed_request(authority: Authority, tmp_path):
    request = authority.request("panel-12", authority.invite("panel-12"))
    foreign = authority.request("panel-12", "0000-0000-0000-0000", tmp_path / "foreign")
    csr = re.compile("-----BEGIN.*REQUEST-----\n", re.DOTALL)
    proof = re.compile("proof: .*\n")
    changes = {
        "key of somebody else": csr.sub(csr.search(foreign)[0], request),
        "proof of somebody else": proof.sub(proof.search(foreign)[0], request),
        "no proof": proof.sub("", request),
        "damaged proof": proof.sub("proof: !!\n", request),
        "other name": request.replace("panel: panel-12", "panel: panel-13"),
        "path as name": request.replace("panel: panel-12", "panel: ../panel-12"),
        "renews what it does not have": request.replace("panel: panel-12\n", "panel: panel-12\nrenews: 0A\n"),
        "damaged": request.replace("MII", "MIJ", 1).replace("MHI", "MHJ", 1).replace("IwEzER", "IwEzEQ", 1),
        "cut": request[:200],
        "empty": "",
        "other file": "Hello\n" * 10,
    }
    for what, changed in changes.items():
        if changed == request:
            continue
        authority.sign(changed, status=1)
    assert not (authority.out / "panel-12.crt").exists(), "signed a changed request"
    authority.sign(request)


def test_changes_of_the_signing_request(authority: Authority):
    """A change of any part of it is noticed."""
    request = authority.request("panel-12", authority.invite("panel-12"))
    body = re.search("REQUEST-----\n(.*?)\n-----END", request, re.DOTALL)[1]
    data = bytearray(base64.b64decode(body))
    for place in range(0, len(data), len(data) // 8):
        changed = bytes(data[:place]) + bytes([data[place] ^ 1]) + bytes(data[place + 1:])
        authority.sign(request.replace(body, base64.b64encode(changed).decode()), status=1)
    authority.sign(request)


@pytest.mark.parametrize("key", [["genrsa", "1024"], ["ecparam", "-name", "secp521r1", "-genkey", "-noout"]])
def test_other_kinds_of_keys(authority: Authority, tmp_path, key):
    (tmp_path / "key").write_text(openssl(*key))
    csr = openssl("req", "-new", "-key", tmp_path / "key", "-subj", "/CN=panel-12")
    authority.invite("panel-12")
    request = f"inkpanel-fleet-request 1\npanel: panel-12\n{csr}proof: AAAA\n"
    assert "EC P-256" in authority.sign(request, status=1).stderr


def test_extensions_that_a_request_asks_for(authority: Authority):
    """They are ignored: a panel does not become an authority or a server."""
    code = authority.invite("panel-12")
    authority.request("panel-12", code)
    key = authority.state("panel-12") / "waiting.pem"
    csr = openssl("req", "-new", "-key", key, "-subj", "/CN=panel-12", "-addext", "basicConstraints=critical,CA:TRUE",
                  "-addext", "subjectAltName=DNS:mqtt.example.org")
    key.write_text(openssl("pkey", "-in", key) + csr)
    authority.sign(authority.request("panel-12", code))
    text = openssl("x509", "-in", authority.out / "panel-12.crt", "-noout", "-text")
    assert "CA:FALSE" in text and "CA:TRUE" not in text and "mqtt.example.org" not in text


def test_renewal(authority: Authority):
    state = authority.panel("panel-12")
    first, key = serial(state / "panel.crt"), (state / "panel.key").read_text()
    request = authority.renew("panel-12")
    # The old pair works until the new certificate is there.
    assert works(state) and serial(state / "panel.crt") == first
    authority.sign(request)
    authority.install("panel-12")
    assert works(state) and serial(state / "panel.crt") != first
    assert (state / "panel.key").read_text() != key
    # And again, by the new key.
    authority.sign(authority.renew("panel-12"))
    authority.install("panel-12")
    assert works(state)
    assert authority("list").stdout.count("panel-12") == 1


def test_renewal_by_a_revoked_or_ended_or_foreign_certificate(authority: Authority, tmp_path):
    authority.panel("panel-12")
    request = authority.renew("panel-12")
    # The same request with the proof of another key.
    other = authority.panel("panel-13")
    forged = authority.renew("panel-13").replace("panel: panel-13", "panel: panel-12")
    assert "damaged, or for another name" in authority.sign(forged, status=1).stderr
    forged = re.sub("renews: .*", f"renews: {serial(other / 'panel.crt')}", request)
    assert "was not made here" in authority.sign(forged, status=1).stderr
    authority("revoke", "panel-12")
    assert "was revoked" in authority.sign(request, status=1).stderr
    # Ended, for the administrator and on the panel.
    authority.sign(authority.request("panel-14", authority.invite("panel-14")))
    authority.install("panel-14", "--ca", authority.out / "panels-ca.crt")
    request = authority.renew("panel-14")
    later = ["faketime", "+100 days"]
    result = subprocess.run([*later, CERTIFICATE, "sign", "--ca", authority.ca, "-"], input=request, text=True,
                            capture_output=True)
    assert result.returncode == 1 and "has ended on" in result.stderr
    result = subprocess.run([*later, CERTIFICATE, "renew", "--state", authority.state("panel-14")], text=True,
                            capture_output=True)
    assert result.returncode == 1 and "timedatectl" in result.stderr


def test_swap_of_a_board(authority: Authority, tmp_path):
    old = authority.panel("panel-12")
    assert "--replace" in authority("invite", "panel-12", status=1).stderr
    renewal = authority.renew("panel-12")
    code = authority.invite("panel-12", "--replace")
    assert "another board is invited" in authority.sign(renewal, status=1).stderr
    request = authority.request("panel-12", code, tmp_path / "new")
    # Until then the old board works.
    assert "valid" in authority("list").stdout
    said = authority.sign(request).stderr
    assert f"the certificate {serial(old / 'panel.crt')} of panel-12 is revoked" in said
    assert "systemctl reload mosquitto" in said
    authority.install("panel-12", "--ca", authority.out / "panels-ca.crt", state=tmp_path / "new")
    assert works(tmp_path / "new")
    revoked = openssl("crl", "-in", authority.out / "broker/panels.crl", "-noout", "-text")
    assert serial(old / "panel.crt") in revoked and serial(tmp_path / "new/panel.crt") not in revoked
    assert "was revoked" in authority.sign(renewal, status=1).stderr


def test_who_was_revoked_and_invited_again_keeps_the_word(authority: Authority, tmp_path):
    def listed(name: str) -> str:
        return next(line for line in authority("list").stdout.splitlines() if f" {name} " in line)

    authority.panel("panel-12")
    authority.host("erp")
    assert listed("panel-12").endswith(" valid") and listed("erp").endswith(" valid")
    authority("revoke", "panel-12")
    authority("revoke", "erp")
    assert listed("panel-12").endswith(" revoked") and listed("erp").endswith(" revoked")
    request = authority.request("panel-12", authority.invite("panel-12"), tmp_path / "new")
    assert "revoked, invited until" in listed("panel-12")
    authority.sign(request)
    authority("host", "erp")
    assert listed("panel-12").endswith(" valid, another one revoked")
    assert listed("erp").endswith(" valid, another one revoked")
    # What has ended nobody has to refuse.
    later = subprocess.run(
        ["faketime", "+370 days", CERTIFICATE, "list", "--ca", authority.ca], capture_output=True, text=True)
    assert "another one revoked" not in later.stdout and later.stdout.count("ended") == 2


def test_certificates_of_hosts_and_broker_have_figures(authority: Authority, tmp_path):
    authority("broker", "mqtt.example.org", "--days", "20")
    authority.panel("panel-12")
    for name in ("erp", "gone", "twice"):
        authority("host", name)
    authority("revoke", "gone")
    authority("host", "twice", "--days", "5")
    file = tmp_path / "issued.prom"
    authority("list", "--metrics", "--output", file)
    assert file.stat().st_mode & 0o777 == 0o644
    lines = file.read_text().splitlines()
    assert lines[1] == "# TYPE inkpanel_issued_certificate_seconds gauge"
    days = {re.search('name="(.*)"', line)[1]: int(line.rpartition(" ")[2]) / 86400 for line in lines[2:]}
    assert days.keys() == {"erp", "twice", "mqtt.example.org", "panels", "hosts"}
    for name, expected in {"erp": 365, "twice": 365, "mqtt.example.org": 20, "panels": 3650, "hosts": 3650}.items():
        assert expected - 1 < days[name] <= expected, name
    later = subprocess.run(
        ["faketime", "+30 days", CERTIFICATE, "list", "--metrics", "--ca", authority.ca], capture_output=True,
        text=True, check=True).stdout
    assert -11 < int(re.search('"mqtt.example.org"} (-?[0-9]+)', later)[1]) / 86400 < -9
    authority("list", "--metric", status=64)


def test_install_refuses_what_does_not_fit(authority: Authority, tmp_path):
    state = authority.panel("panel-12")
    other = authority.panel("panel-13")
    before = serial(state / "panel.crt")
    shutil.copy(authority.out / "panel-13.crt", tmp_path / "other.crt")
    at = "--state", state
    assert "no request waits" in run("install", *at, tmp_path / "other.crt", status=1).stderr
    authority.renew("panel-12")
    assert "another key" in run("install", *at, tmp_path / "other.crt", status=1).stderr
    assert "no certificate in PEM" in run("install", *at, CERTIFICATE, status=1).stderr
    # Of an authority that is not this panel's.
    (tmp_path / "second").mkdir()
    second = Authority(tmp_path / "second")
    code = second.invite("panel-12")
    second.sign(run("request", "panel-12", code, *at).stdout)
    said = run("install", *at, second.out / "panel-12.crt", status=1).stderr
    assert "does not fit its authority" in said and "--ca panels-ca.crt" in said
    assert works(state) and serial(state / "panel.crt") == before and works(other)
    # With that authority it moves there.
    run("install", *at, second.out / "panel-12.crt", "--ca", second.out / "panels-ca.crt")
    assert works(state) and serial(state / "panel.crt") != before


def test_install_with_a_wrong_clock(authority: Authority):
    authority.sign(authority.request("panel-12", authority.invite("panel-12")))
    words = [CERTIFICATE, "install", "--state", authority.state("panel-12"), authority.out / "panel-12.crt", "--ca",
             authority.out / "panels-ca.crt"]
    result = subprocess.run(["faketime", "2020-01-01", *words], text=True, capture_output=True)
    assert result.returncode == 1 and "not yet valid" in result.stderr and "timedatectl" in result.stderr
    run(*words[1:])


# Counts the commands of the script that put files to their places, and kills it before the one with the given number.
KILLS = r"""
set -o functrace
__count=0
trap 'case $BASH_COMMAND in
    mv*|rm*|openssl\ ca*)
        __count=$((__count + 1))
        if [ $__count = "$KILL_AT" ]; then kill -9 $$; fi ;;
esac' DEBUG
"""


def steps(tmp_path, words, before, after) -> int:
    """Runs a command, killed before each step in turn; says after how many it came to its end."""
    (tmp_path / "kills").write_text(KILLS)
    for number in range(1, 200):
        before()
        environment = os.environ | {"BASH_ENV": str(tmp_path / "kills"), "KILL_AT": str(number)}
        result = subprocess.run(["bash", CERTIFICATE, *words], env=environment, capture_output=True, text=True)
        after(result)
        if result.returncode == 0:
            return number
        assert result.returncode == -9, result.stderr
    raise AssertionError("it does not come to its end")


@pytest.mark.parametrize("has_pair", breadth.share([True, False], 2))
def test_install_killed_at_each_step(authority: Authority, tmp_path, has_pair):
    """Before each change of files. What is there always fits, and another try ends well."""
    state, kept, serials = authority.state("panel-12"), tmp_path / "kept", set()
    if has_pair:
        authority.panel("panel-12")
        serials.add(serial(state / "panel.crt"))
        request = authority.renew("panel-12")
        # As files, which another program may have put there: they become links first.
        for name in ("panel.key", "panel.crt", "ca.crt"):
            content = (state / name).read_bytes()
            (state / name).unlink()
            (state / name).write_bytes(content)
        (state / "panel.key").chmod(0o600)
        shutil.rmtree(state / "pairs")
        (state / "current").unlink()
    else:
        request = authority.request("panel-12", authority.invite("panel-12"))
    authority.sign(request)
    new = serial(authority.out / "panel-12.crt")
    shutil.copytree(state, kept, symlinks=True)
    words = ["install", "--state", state, authority.out / "panel-12.crt", "--ca", authority.out / "panels-ca.crt"]
    seen = set()

    def before():
        shutil.rmtree(state)
        shutil.copytree(kept, state, symlinks=True)

    def after(result):
        # Before the first one there may be none, or a part of its files: never such that do not fit.
        if has_pair or all((state / name).exists() for name in ("panel.key", "panel.crt", "ca.crt")):
            assert works(state)
            seen.add(serial(state / "panel.crt"))
        if result.returncode:
            run(*words)
        assert works(state) and (state / "panel.crt").read_text() == (authority.out / "panel-12.crt").read_text()
        assert not (state / "waiting.pem").exists() and len(list((state / "pairs").iterdir())) == 1

    assert steps(tmp_path, words, before, after) > 6
    assert seen == serials | {new}


def test_request_killed_at_each_step(authority: Authority, tmp_path):
    """A renewal leaves the present pair as it is."""
    state, kept = authority.panel("panel-12"), tmp_path / "kept"
    shutil.copytree(state, kept, symlinks=True)
    present = serial(state / "panel.crt")

    def before():
        shutil.rmtree(state)
        shutil.copytree(kept, state, symlinks=True)

    def after(result):
        assert works(state) and serial(state / "panel.crt") == present
        if result.returncode:
            authority.renew("panel-12")
        assert (state / "waiting.pem").stat().st_mode & 0o777 == 0o600
        assert not list(state.glob(".work*")) and not list(state.glob("*.part"))

    assert steps(tmp_path, ["renew", "--state", state], before, after) > 1


def test_sign_killed_at_each_step_uses_the_code_once(authority: Authority, tmp_path):
    """Never two certificates by one code."""
    request = authority.request("panel-12", authority.invite("panel-12"))
    kept = tmp_path / "kept"
    shutil.copytree(authority.ca, kept)
    (tmp_path / "request").write_text(request)

    def before():
        shutil.rmtree(authority.ca)
        shutil.copytree(kept, authority.ca)

    def after(result):
        if result.returncode:
            subprocess.run([CERTIFICATE, "sign", "--ca", authority.ca, tmp_path / "request"], capture_output=True)
        assert len([line for line in (authority.ca / "panels/index").read_text().splitlines()]) <= 1
        # Whatever has happened, the administrator gets out of it.
        if not (authority.out / "panel-12.crt").exists():
            subprocess.run([CERTIFICATE, "revoke", "--ca", authority.ca, "panel-12"], capture_output=True)
            authority.sign(authority.request("panel-12", authority.invite("panel-12")))

    steps(tmp_path, ["sign", "--ca", authority.ca, tmp_path / "request"], before, after)


def test_list_and_revoke(authority: Authority):
    for name, days in [("panel-1", "90"), ("panel-2", "20"), ("panel-3", "90")]:
        authority("sign", "-", "--days", days, text=authority.request(name, authority.invite(name)))
    authority.invite("panel-4")
    authority("host", "erp")
    authority("broker", "mqtt.example.org", "192.0.2.7")
    said = authority("revoke", "panel-3").stderr
    assert "systemctl reload mosquitto" in said
    result = authority("list")
    lines = {line.split()[1]: re.sub(" +", " ", line) for line in result.stdout.splitlines()}
    day = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
    assert re.fullmatch(f"panel panel-1 {day} valid", lines["panel-1"])
    assert re.fullmatch(f"panel panel-2 {day} ends soon", lines["panel-2"])
    assert re.fullmatch(f"panel panel-3 {day} revoked", lines["panel-3"])
    assert re.fullmatch(f"panel panel-4 - invited until {day}", lines["panel-4"])
    assert re.fullmatch(f"host erp {day} valid", lines["erp"])
    assert re.fullmatch(f"broker mqtt.example.org {day} valid", lines["mqtt.example.org"])
    assert "end within 30 days" in result.stderr
    assert "no valid certificate" in authority("revoke", "panel-3", status=1).stderr
    assert "name of a host" in authority("invite", "erp", status=1).stderr
    assert "name of a panel" in authority("host", "panel-1", status=1).stderr


def test_broker_certificate_has_names_and_addresses(authority: Authority):
    authority("broker", "mqtt.example.org", "192.0.2.7", "2001:db8::7")
    folder = authority.out / "broker"
    key = (folder / "broker.key").read_text()
    for kind in ("panels", "hosts"):
        text = openssl("x509", "-in", folder / f"{kind}.crt", "-noout", "-text")
        assert "DNS:mqtt.example.org, IP Address:192.0.2.7, IP Address:2001:DB8:0:0:0:0:0:7" in text
        assert "TLS Web Server Authentication" in text and "Client Authentication" not in text
        openssl("verify", "-CAfile", folder / f"{kind}-ca.crt", folder / f"{kind}.crt")
        # The list lasts: the broker refuses everybody when it has ended.
        ends = openssl("crl", "-in", folder / f"{kind}.crl", "-noout", "-nextupdate").partition("=")[2].strip()
        assert ssl.cert_time_to_seconds(ends) > time.time() + 9 * 365 * 86400
    # Copied one after the other: key and certificates fit all the time.
    authority("broker", "mqtt2.example.org")
    assert (folder / "broker.key").read_text() == key


def test_files_that_nobody_else_may_read(authority: Authority):
    authority.host("erp")
    state = authority.panel("panel-12")
    keys = [*authority.ca.rglob("*.key"), state / "panel.key"]
    assert len(keys) == 4 and all(key.stat().st_mode & 0o777 == 0o600 for key in keys)
    (authority.ca / "panels/ca.key").chmod(0o644)
    assert "chmod -R go=" in authority("list", status=1).stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to become the owner of the state folder")
def test_root_becomes_the_owner_of_the_state(authority: Authority, tmp_path):
    """Who owns the folder could put a link to any file there. Root's files are read, nevertheless."""
    for parent in [tmp_path, *tmp_path.parents]:
        if not parent.stat().st_mode & 0o001:
            parent.chmod(parent.stat().st_mode | 0o011)
    script = tmp_path / "script"
    shutil.copy(CERTIFICATE, script)
    script.chmod(0o755)
    state = tmp_path / "foreign"
    state.mkdir(mode=0o700)
    shutil.chown(state, "nobody", "nogroup")
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (state / "waiting.pem.part").symlink_to(victim)
    code = authority.invite("panel-12")

    def own(*words) -> subprocess.CompletedProcess:
        return subprocess.run([script, *words], capture_output=True, text=True)

    assert own("request", "panel-12", code, "--state", state).returncode != 0 and victim.read_text() == "precious"
    (state / "waiting.pem.part").unlink()
    requested = own("request", "panel-12", code, "--state", state, "--output", tmp_path / "request")
    assert requested.returncode == 0, requested.stderr
    authority("sign", tmp_path / "request")
    (authority.out / "panel-12.crt").chmod(0o600)
    ca = authority.out / "panels-ca.crt"
    installed = own("install", "--state", state, authority.out / "panel-12.crt", "--ca", ca)
    assert installed.returncode == 0, installed.stderr
    assert works(state)
    owners = {path.lstat().st_uid for path in [state, *state.rglob("*")]}
    assert owners == {state.stat().st_uid} and 0 not in owners


@pytest.mark.parametrize("words, says", [
    ([], "which command"), (["issue"], "no command issue"), (["sign"], "one REQUEST"),
    (["request", "panel-12"], "CODE"), (["host"], "host NAME"), (["broker"], "broker NAME"),
    (["renew", "panel-12"], "no arguments"), (["install", "--force"], "--force"),
    (["revoke", "x", "--output", "y"], "--output"), (["sign", "x", "--days", "0"], "days"),
    (["revoke"], "one NAME"), (["invite", "--replace"], "PANEL is missing")])
def test_usage(tmp_path, words, says):
    result = run(*words, status=64, cwd=tmp_path)
    assert says in result.stderr and "--help" in result.stderr


@pytest.mark.parametrize(
    "name", breadth.share(["../a", "Panel", "panel_1", "a/b", "#", "x" * 65, "panel 1", "é", "+"], 4))
def test_names(authority: Authority, name):
    assert "lower-case" in authority("invite", name, status=1).stderr
    assert "lower-case" in authority("host", name, status=1).stderr
    asked = run("request", name, "0000-0000-0000-0000", "--state", authority.state("x"), status=1)
    assert "lower-case" in asked.stderr


def test_help_names_all_commands():
    text = run("--help").stdout
    for word in ("init", "invite", "sign", "host", "broker", "revoke", "crl", "list", "request", "renew", "install"):
        assert re.search(f"^  {word} ", text, re.MULTILINE), word


def test_shell():
    """The script has no warnings, where shellcheck is installed."""
    if not shutil.which("shellcheck"):
        pytest.skip("apt install shellcheck")
    subprocess.run(["shellcheck", CERTIFICATE], check=True)
