# SPDX-License-Identifier: Apache-2.0
"""The package inkpanel-gateway on that Debian, beside the panel, from its installation to its purge."""

import json
import re

import pytest
from harness.areas import areas
from harness.page import ACCEPT, LEAST
from test_install import CAPABILITIES, DPKG_SECONDS, QUIET, left

GATEWAY = "inkpanel-gateway.service"
WEB = "inkpanel-web.service"
RENEW = "inkpanel-web-renew.service"
# Of systemd-analyze security, on a scale to 10.
MOST_EXPOSURE = {GATEWAY: 0.5, WEB: 1.2, RENEW: 1.7}
STATE = "/var/lib/inkpanel-web"
GIVEN = "/etc/inkpanel/tls"
PYTHON_CLIENT = "/usr/share/doc/inkpanel/clients/inkpanel.py"

# A client on the panel's own machine, which trusts what it is told to. This small Debian resolves no names.
CLIENT = """if True:
    import hashlib, http.client, json, ssl, sys
    path, token, ca = sys.argv[1:]
    connection = http.client.HTTPSConnection(
        "127.0.0.1", 8443, timeout=20, context=ssl.create_default_context(cafile=ca))
    connection.request("GET", path, headers={"Authorization": "Bearer " + token} if token else {})
    certificate = hashlib.sha256(connection.sock.getpeercert(True)).hexdigest()
    response = connection.getresponse()
    print(json.dumps([response.status, json.loads(response.read()), certificate]))
"""


@pytest.fixture(scope="module")
def gateway(gateway_deb, panel):
    """Installed on the running panel, as an administrator would."""
    panel.working()
    return panel.run("/usr/bin/dpkg", "--install", f"/run/host{gateway_deb}", env=QUIET, within=DPKG_SECONDS)


@pytest.fixture(scope="module")
def token(panel, gateway):
    return panel.run("/usr/bin/inkpanel-gateway", "token", "add", "--name", "till-3", "--scope", "panel").strip()


def get(panel, path="/v1/panel", token="", ca=f"{STATE}/ca.pem"):
    """Status, body, and a digest of the certificate. Waits until nginx listens."""
    for _ in range(8):
        client = panel.start("/usr/bin/python3", "-c", CLIENT, path, token, ca, tty=None)
        if client.wait(60) == 0:
            return json.loads(client.log)
        panel.sleep(1)
    raise AssertionError(client.log + "\n" + panel.run("/usr/bin/journalctl", "--no-pager", f"--unit={WEB}", f"--unit={RENEW}"))


def get_when(panel, status, **options):
    """The first answer with a status, within 30 s."""
    for _ in range(30):
        answer = get(panel, **options)
        if answer[0] == status:
            return answer
        panel.sleep(1)
    raise AssertionError(answer)


def journal(panel, unit):
    return panel.run("/usr/bin/journalctl", "--no-pager", "--quiet", f"--unit={unit}")


def process(panel, unit):
    return panel.properties(unit, "MainPID")["MainPID"]


def test_installing_starts_it_without_warnings(panel, gateway):
    assert "Setting up inkpanel-gateway" in gateway
    assert not re.search("warning|error|fail", gateway, re.I), gateway
    for unit in (GATEWAY, WEB, "inkpanel-web-renew.timer"):
        assert panel.run("/usr/bin/systemctl", "is-enabled", unit).strip() == "enabled"
        assert panel.properties(unit, "ActiveState")["ActiveState"] == "active", journal(panel, unit)


def test_a_request_without_token_is_refused(panel, gateway):
    status, problem, _ = get(panel)
    assert (status, problem["type"]) == (401, "urn:inkpanel:problem:no-token")


def test_a_token_gets_the_panel_s_status_through_all_processes(panel, token):
    status, body, _ = get(panel, token=token)
    assert status == 200 and "Virtual-1" in json.dumps(body), body


def test_both_run_as_users_without_privileges(panel, gateway):
    for unit, user in ((GATEWAY, "inkpanel-gateway"), (WEB, "inkpanel-web")):
        lines = panel.read_file(f"/proc/{process(panel, unit)}/status").splitlines()
        status = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
        assert status["Uid"].split() == [panel.run("/usr/bin/id", "--user", user).strip()] * 4
        assert {name: int(status[name], 16) for name in CAPABILITIES} == dict.fromkeys(CAPABILITIES, 0)
        assert status["NoNewPrivs"].strip() == "1" and status["Seccomp"].strip() == "2"
        # Neither misses a system call.
        assert not re.search("(?i)fail|not permitted|denied", journal(panel, unit))


def test_their_exposure_is_low(panel, gateway):
    for unit, most in MOST_EXPOSURE.items():
        said = panel.run("/usr/bin/systemd-analyze", "security", "--no-pager", unit)
        assert float(re.search(r"Overall exposure level for \S+: ([\d.]+)", said)[1]) <= most, said


def can_read(panel, user, path) -> bool:
    return panel.start("/usr/bin/setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", "/bin/cat", path,
                       tty=None).wait() == 0


def test_who_reads_which_key(panel, token):
    users = {"inkpanel-web", "inkpanel-gateway", "inkpanel"}
    for path, readers in {
        f"{STATE}/private/ca-key.pem": set(), f"{STATE}/tls/key.pem": {"inkpanel-web"}, f"{STATE}/spki": users,
        "/var/lib/inkpanel-gateway/tokens.json": {"inkpanel-gateway"},
    }.items():
        assert {user for user in users if can_read(panel, user, path)} == readers, path


def test_the_journal_has_the_digest_of_the_key(panel, gateway):
    spki = panel.read_file(f"{STATE}/spki").strip()
    assert len(spki) == 44 and f"sha256/{spki}" in journal(panel, RENEW)


def test_a_host_pairs_with_a_finger_on_allow(panel, gateway):
    """The packaged client asks over TLS; it gets a token that works, and the digest of the key that nginx has."""
    touch = panel.touchscreen(*panel.size)
    for _ in range(60):
        if re.search(r"^page +idle$", panel.run("/usr/bin/inkpanel", "status"), re.M):
            break
        panel.sleep(1)
    opened = panel.start("/usr/bin/inkpanel-gateway", "pair", "till-4", tty=None)
    opened.wait_line(r"^pairing is open for till-4 ")
    host = panel.start("/usr/bin/python3", PYTHON_CLIENT, "https://127.0.0.1:8443", "--name", "till-4", tty=None)
    host.wait_line(r"^\d{3} \d{3}$")
    picture = panel.screen_when(lambda picture: areas(picture, ACCEPT, LEAST), within=60)
    # Earlier touches would not be meant for this page.
    panel.sleep(1)
    touch.tap(*map(round, areas(picture, ACCEPT, LEAST)[0].centre))
    assert host.wait(60) == 0, host.log
    token, key = re.search(r"^token (ipt_\S+)\nkey (\S+)$", host.log, re.M).groups()
    assert key == panel.read_file(f"{STATE}/spki").strip()
    assert get(panel, token=token)[0] == 200
    assert "till-4" in panel.run("/usr/bin/inkpanel-gateway", "token", "list")
    assert opened.wait(20) == 0 and "till-4 is paired" in opened.log, opened.log
    touch.unplug()


def test_the_administrator_s_files_are_served_after_a_reload(panel, token):
    before = process(panel, WEB)
    own = get(panel)[2]
    panel.make_folder(GIVEN)
    panel.run(
        "/usr/bin/openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-addext",
        "subjectAltName=IP:127.0.0.1", "-days", "30", "-keyout", f"{GIVEN}/key.pem", "-out", f"{GIVEN}/certificate.pem")
    panel.run("/usr/bin/systemctl", "start", RENEW)
    for _ in range(30):
        try_one = panel.start(
            "/usr/bin/python3", "-c", CLIENT, "/v1/panel", token, f"{GIVEN}/certificate.pem", tty=None)
        if try_one.wait(60) == 0:
            break
        panel.sleep(1)
    answer = json.loads(try_one.log)
    assert answer[0] == 200 and answer[2] != own
    # The same process: no connection was lost.
    assert process(panel, WEB) == before


def test_a_mistake_in_them_is_named_and_changes_nothing(panel, token):
    served = get(panel, ca=f"{GIVEN}/certificate.pem")[2]
    panel.write_file(f"{GIVEN}/key.pem", "nonsense\n")
    assert panel.start("/usr/bin/systemctl", "start", RENEW, tty=None).wait() != 0
    assert f"{GIVEN}/key.pem is not a private key in PEM" in journal(panel, RENEW)
    # Not even a restart.
    panel.run("/usr/bin/systemctl", "restart", WEB)
    assert get(panel, ca=f"{GIVEN}/certificate.pem")[2] == served
    panel.run("/bin/rm", "-r", GIVEN)
    panel.run("/usr/bin/systemctl", "start", RENEW)
    panel.run("/usr/bin/systemctl", "reload", WEB)
    assert get_when(panel, 200, token=token)[0] == 200


def test_without_the_gateway_nginx_says_so(panel, token):
    panel.run("/usr/bin/systemctl", "stop", GATEWAY)
    status, problem, _ = get(panel, token=token)
    assert (status, problem["type"]) == (502, "urn:inkpanel:problem:gateway-not-running")
    panel.run("/usr/bin/systemctl", "start", GATEWAY)
    get_when(panel, 200, token=token)


def test_without_the_panel_the_gateway_says_so(panel, token):
    panel.run("/usr/bin/systemctl", "stop", "inkpanel.socket", "inkpanel.service")
    status, problem, _ = get(panel, token=token)
    assert (status, problem["type"]) == (503, "urn:inkpanel:problem:panel-not-running")
    panel.run("/usr/bin/systemctl", "start", "inkpanel.socket", "inkpanel.service")
    panel.working()
    get_when(panel, 200, token=token)


def test_killed_processes_are_restarted(panel, token):
    kept = panel.working()["MainPID"]
    for unit in (GATEWAY, WEB):
        before = process(panel, unit)
        panel.run("/bin/sh", "-c", f"kill -KILL {before}")
        get_when(panel, 200, token=token)
        assert process(panel, unit) != before
    assert panel.working()["MainPID"] == kept


def test_an_update_of_nginx_restarts_it(panel, token):
    before = process(panel, WEB)
    panel.run("/usr/bin/dpkg-trigger", "--by-package=nginx", "/usr/sbin/nginx")
    panel.run("/usr/bin/dpkg", "--triggers-only", "--pending", env=QUIET, within=DPKG_SECONDS)
    get_when(panel, 200, token=token)
    assert process(panel, WEB) != before


def test_an_upgrade_keeps_tokens_and_keys(panel, token, gateway_deb):
    before = panel.read_file(f"{STATE}/spki"), process(panel, GATEWAY)
    panel.run("/usr/bin/dpkg", "--install", f"/run/host{gateway_deb}", env=QUIET, within=DPKG_SECONDS)
    get_when(panel, 200, token=token)
    assert panel.read_file(f"{STATE}/spki") == before[0] and process(panel, GATEWAY) != before[1]


def test_removal_keeps_tokens_and_keys_and_a_purge_does_not(panel, token):
    panel.run("/usr/bin/dpkg", "--remove", "inkpanel-gateway", within=DPKG_SECONDS)
    for unit in (GATEWAY, WEB):
        assert panel.properties(unit, "LoadState", "ActiveState") == {
            "LoadState": "not-found", "ActiveState": "inactive"}
    assert panel.glob(f"{STATE}/private/ca-key.pem") and panel.glob("/var/lib/inkpanel-gateway/tokens.json")
    panel.run("/usr/bin/dpkg", "--purge", "inkpanel-gateway", within=DPKG_SECONDS)
    assert [path for path in left(panel) if "gateway" in path or "web" in path] == []
    panel.working()
