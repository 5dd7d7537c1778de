# SPDX-License-Identifier: Apache-2.0
"""Who may do what: tokens, scopes, sessions, and headers that browsers send."""

import os
import shlex
import subprocess
import time

import pytest
from conftest import ORIGIN
from gateway import Gateway


@pytest.fixture
def fresh(panel, tmp_path):
    """A gateway that has seen no wrong token."""
    gateway = Gateway(tmp_path, panel.socket, origins=[ORIGIN])
    yield gateway
    gateway.kill()


def test_a_request_needs_a_token(fresh):
    missing = fresh.request("GET", "/v1/panel")
    assert missing.status == 401 and missing.problem == "no-token"
    assert missing.headers["WWW-Authenticate"] == 'Bearer realm="inkpanel"'
    wrong = fresh.request("GET", "/v1/panel", "ipt_x_y")
    assert wrong.status == 401 and wrong.problem == "wrong-token"
    assert 'error="invalid_token"' in wrong.headers["WWW-Authenticate"]
    assert fresh.request("GET", "/v1/panel", Authorization="Basic eDp5").problem == "no-token"


def test_scopes_limit_a_token(fresh):
    token = fresh.token(scopes=["record"])
    for method, path in [("POST", "/v1/captures"), ("GET", "/v1/captures/x"), ("GET", "/v1/panel"),
                         ("POST", "/v1/simulator/sign")]:
        refused = fresh.request(method, path, token)
        assert refused.status == 403 and refused.problem == "missing-scope"
    assert fresh.request("GET", "/v1/captures", token).status == 200


@pytest.mark.parametrize("words, line", [
    (["token", "ad", "--name", "x"], 'there is no command "token ad"; did you mean token add?'),
    (["token", "add", "--nmae", "x"], "unknown option '--nmae'; did you mean '--name'?"),
    (["run", "--cnofig=x"], "unknown option '--cnofig'; did you mean '--config'?"),
    (["pair", "x", "--minuts", "9"], "unknown option '--minuts'; did you mean '--minutes'?"),
    (["pair", "x", "--minutes", "0"], "--minutes is 1 to 60; see inkpanel-gateway pair --help"),
])
def test_a_mistake_in_a_command_line_is_one_line(fresh, words, line):
    done = fresh.command(*words)
    assert (done.returncode, done.stdout, done.stderr) == (64, "", f"inkpanel-gateway: {line}\n")


def test_tokens_are_added_listed_and_removed_while_the_gateway_runs(fresh):
    token = fresh.token("till-3")
    assert fresh.request("GET", "/v1/panel", token).status == 200
    stored = (fresh.state / "tokens.json").read_text()
    assert token not in stored and token.split("_")[-1] not in stored
    assert (fresh.state / "tokens.json").stat().st_mode & 0o777 == 0o600
    listed = fresh.command("token", "list").stdout
    assert "till-3" in listed and token.split("_")[-1] not in listed
    assert fresh.command("token", "add", "--name", "till-3").returncode != 0
    assert fresh.command("token", "remove", "till-4").returncode != 0
    assert fresh.command("token", "remove", "till-3").returncode == 0
    assert fresh.request("GET", "/v1/panel", token).problem == "wrong-token"


def test_the_list_says_when_a_token_was_last_used(fresh):
    token = fresh.token("till-3")
    other = fresh.token("till-4")
    assert [line.split("\t")[4] for line in fresh.command("token", "list").stdout.splitlines()] == ["never used"] * 2
    today = time.strftime("%Y-%m-%d", time.gmtime())
    fresh.request("GET", "/v1/panel", token)
    assert [line.split("\t")[4] for line in fresh.command("token", "list").stdout.splitlines()] \
        == [f"used {today}", "never used"]
    written = (fresh.state / "last-uses").stat().st_mtime_ns
    fresh.request("GET", "/v1/panel", token)
    assert (fresh.state / "last-uses").stat().st_mtime_ns == written, "once a day"
    fresh.command("token", "remove", "till-3")
    fresh.request("POST", "/v1/sessions", other, {"origin": ORIGIN})
    uses = (fresh.state / "last-uses").read_text().split()
    assert uses == [other.split("_")[1], today], "removed tokens are forgotten"


def test_a_damaged_file_of_tokens_allows_nobody(fresh):
    token = fresh.token()
    (fresh.state / "tokens.json").write_text("[{")
    assert fresh.request("GET", "/v1/panel", token).problem == "wrong-token"
    assert "is damaged" in fresh.log.read_text()
    assert "is damaged" in fresh.command("token", "list").stderr


def test_wrong_tokens_are_counted_and_refuse_no_right_one(fresh):
    token = fresh.token()
    assert [fresh.request("GET", "/v1/panel", "ipt_no").problem for _ in range(7)] \
        == ["wrong-token"] * 5 + ["too-many-wrong-tokens"] * 2
    assert fresh.request("GET", "/v1/panel", token).status == 200
    limited = fresh.request("GET", "/v1/panel", "ipt_no")
    assert limited.status == 429 and 0 < int(limited.headers["Retry-After"]) <= 60
    assert fresh.request("GET", "/v1/panel").problem == "no-token", "no token is no wrong one"
    assert fresh.log.read_text().count("wrong token") == 6, "a flood does not fill the log"


def test_hosts_and_origins_are_checked(fresh):
    token = fresh.token()
    for host in ["evil.example", "127.0.0.1.evil.example", "", "pad.example.evil"]:
        answer = fresh.request("GET", "/v1/panel", token, Host=host)
        assert answer.status in (400, 421) and answer.problem in ("bad-host", "wrong-host"), host
    for host in ["pad.example", "PAD.example:8443", "localhost", "[::1]:80"]:
        assert fresh.request("GET", "/v1/panel", token, Host=host).status == 200, host
    for origin in ["https://evil.example", "null", ORIGIN + ".evil", ORIGIN.upper(), "http://till.example"]:
        answer = fresh.request("GET", "/v1/panel", token, Origin=origin)
        assert answer.status == 403 and answer.problem == "wrong-origin"
        assert "Access-Control-Allow-Origin" not in answer.headers
    allowed = fresh.request("GET", "/v1/panel", token, Origin=ORIGIN)
    assert allowed.status == 200 and allowed.headers["Access-Control-Allow-Origin"] == ORIGIN
    assert allowed.headers["Vary"] == "Origin" and "etag" in allowed.headers["Access-Control-Expose-Headers"]
    own = fresh.request("GET", "/v1/panel", token, Origin=f"http://127.0.0.1:{fresh.port}")
    assert own.status == 200
    assert fresh.request("GET", "/v1/panel", token, Sec_Fetch_Site="cross-site").problem == "wrong-origin"


def test_preflights_tell_other_origins_nothing(fresh):
    def preflight(origin):
        return fresh.request(
            "OPTIONS", "/v1/captures", Origin=origin, Access_Control_Request_Method="POST",
            Access_Control_Request_Headers="authorization,content-type")

    allowed = preflight(ORIGIN)
    assert allowed.status == 204 and allowed.headers["Access-Control-Allow-Origin"] == ORIGIN
    assert allowed.headers["Access-Control-Allow-Methods"] == "GET, POST"
    assert "authorization" in allowed.headers["Access-Control-Allow-Headers"]
    assert "Access-Control-Allow-Credentials" not in allowed.headers
    refused = preflight("https://evil.example")
    assert refused.status == 403 and not [name for name in refused.headers if name.startswith("Access-Control")]


def test_a_token_for_one_origin_is_not_for_another(panel, tmp_path):
    gateway = Gateway(tmp_path, panel.socket, origins=[ORIGIN, "https://other.example"])
    token = gateway.token("page", ["panel"], "--origin", ORIGIN)
    assert gateway.request("GET", "/v1/panel", token, Origin=ORIGIN).status == 200
    assert gateway.request("GET", "/v1/panel", token, Origin="https://other.example").problem == "wrong-origin"
    gateway.kill()


def test_a_session_is_for_one_page_and_one_capture(fresh):
    token = fresh.token()
    made = fresh.request("POST", "/v1/sessions", token, {"origin": ORIGIN, "lifetime": 10})
    assert made.status == 201
    session = made.json["token"]
    assert fresh.request("GET", "/v1/panel", session).problem == "missing-scope"
    fresh.act(token, "leave")
    capture = fresh.capture(session)["id"]
    assert fresh.request("GET", f"/v1/captures/{capture}", token).status == 200, "the back end follows it, too"
    fresh.request("POST", f"/v1/captures/{capture}/cancel", session)
    used = fresh.request("POST", "/v1/captures", session, {"prompt": ["Again"]})
    assert used.status == 403 and used.problem == "session-used"
    assert fresh.request("POST", "/v1/sessions", session, {"origin": ORIGIN}).problem == "permission-denied"
    fresh.act(token, "leave")
    other = fresh.capture(token)["id"]
    assert fresh.request("GET", f"/v1/captures/{other}", session).problem == "not-found"
    fresh.request("POST", f"/v1/captures/{other}/cancel", token)


def test_a_call_that_fails_uses_up_no_session(fresh):
    token = fresh.token()
    fresh.act(token, "leave")
    running = fresh.capture(token)["id"]
    session = fresh.request("POST", "/v1/sessions", token, {"origin": ORIGIN}).json["token"]
    assert fresh.request("POST", "/v1/captures", session, {"prompt": ["a"]}).problem == "busy"
    assert fresh.request("POST", "/v1/captures", session, {"promt": ["a"]}).problem == "invalid-parameter"
    fresh.request("POST", f"/v1/captures/{running}/cancel", token)
    fresh.act(token, "leave")
    capture = fresh.capture(session)["id"]
    assert fresh.request("POST", "/v1/captures", session, {"prompt": ["a"]}).problem == "session-used"
    fresh.request("POST", f"/v1/captures/{capture}/cancel", token)


@pytest.mark.parametrize("origin, reason", [
    (ORIGIN + "/", "no / at its end"), ("*", "without *"), ("https://other.example", "not in origins")])
def test_origins_that_no_request_can_have_are_refused_at_once(fresh, origin, reason):
    token = fresh.token()
    answer = fresh.request("POST", "/v1/sessions", token, {"origin": origin})
    assert answer.problem == "invalid-parameter" and answer.json["errors"][0]["pointer"] == "/origin"
    assert reason in answer.json["detail"]
    words = ["token", "add", "--name", "page", "--config", fresh.config, "--origin", origin]
    refused = fresh.command(*words)
    assert refused.returncode != 0 and reason in refused.stderr and fresh.command(*words[:-1], ORIGIN).returncode == 0


def test_sessions_are_for_pages_that_their_token_is_for(panel, tmp_path):
    gateway = Gateway(tmp_path, panel.socket, origins=[ORIGIN, "https://other.example"])
    token = gateway.token("page", ["capture"], "--origin", ORIGIN)
    wrong = gateway.request("POST", "/v1/sessions", token, {"origin": "https://other.example"})
    assert wrong.problem == "invalid-parameter" and "not for https://other.example" in wrong.json["detail"]
    assert gateway.request("POST", "/v1/sessions", token, {"origin": ORIGIN}).status == 201
    own = f"http://127.0.0.1:{gateway.port}"
    assert gateway.request("POST", "/v1/sessions", gateway.token(), {"origin": own}).status == 201, "the gateway's pages"
    gateway.kill()


def test_origins_with_a_name_of_the_gateway_are_those_of_its_pages(fresh, panel, tmp_path):
    """Pages have the scheme and the port of the gateway."""
    token, own = fresh.token(), f"127.0.0.1:{fresh.port}"

    def status(gateway, origin: str, **headers) -> int:
        return gateway.request("POST", "/v1/sessions", gateway.own, {"origin": origin}, **headers).status

    fresh.own = token
    assert status(fresh, "http://" + own) == status(fresh, f"http://pad.example:{fresh.port}") == 201
    for origin in ("https://pad.example", "https://pad.example:8443", "http://127.0.0.1", "http://127.0.0.1:9", "https://" + own):
        assert status(fresh, origin) == 400, origin
    behind = Gateway(tmp_path / "behind", panel.socket, unix=True)
    behind.own = behind.token()
    address = {"Host": "192.0.2.1:8443", "X_Inkpanel_Address": "192.0.2.1"}
    assert status(behind, "https://192.0.2.1:8443", **address) == status(behind, "https://pad.example:8443", **address) == 201
    for origin in ("https://pad.example", "http://pad.example:8443", "https://192.0.2.2:8443", "https://pad.example:443"):
        assert status(behind, origin, **address) == 400, origin
    behind.kill()
    for origin, code in (("https://pad.example:8443", 0), ("http://pad.example:8443", 64), ("https://pad.example", 64)):
        done = fresh.command("token", "add", "--name", origin, "--config", fresh.config, "--origin", origin)
        assert done.returncode == code and ("8443" in done.stderr) == (code != 0), done


@pytest.mark.parametrize("line, reason", [
    ('names = ["pad", "Pad:8443"]', 'element 2 is "Pad:8443", a string'),
    ('origins = ["https://a.example", "https://b.example/"]', 'element 2 is "https://b.example/", a string: it has no / at its end'),
    ('names = ["pad", 3]', "element 2 is 3, an integer")])
def test_a_wrong_element_of_the_configuration_is_named(fresh, line, reason):
    fresh.config.write_text(f"[gateway]\n{line}\n")
    refused = fresh.command("token", "add", "--name", "page", "--config", fresh.config, "--origin", ORIGIN)
    assert refused.returncode != 0 and reason in refused.stderr, refused


@pytest.mark.parametrize("name, removal", [
    ("O'Brien", r"remove 'O'\''Brien'"), ("-x", "remove -- -x")])
def test_commands_that_are_printed_can_be_copied(fresh, name, removal):
    assert fresh.command("token", "add", "--name=" + name).returncode == 0
    said = fresh.command("token", "add", "--name=" + name).stderr
    assert said.rstrip().endswith("inkpanel-gateway token " + removal), said
    words = shlex.split(said.split("it first: inkpanel-gateway ")[1])
    assert subprocess.run(
        [os.environ["GATEWAY"], *words[:2], "--state", fresh.state, *words[2:]]).returncode == 0


def test_headers_of_a_server_in_front_count_only_on_its_socket(panel, tmp_path):
    gateway = Gateway(tmp_path, panel.socket, unix=True)
    token = gateway.token()
    address = {"X_Inkpanel_Client": "192.0.2.9", "X_Inkpanel_Address": "192.0.2.1"}
    assert gateway.request("GET", "/v1/panel", token, Host="192.0.2.1:8443", **address).status == 200
    assert gateway.request("GET", "/v1/panel", token, Host="192.0.2.2", **address).problem == "wrong-host"
    for _ in range(5):
        gateway.request("GET", "/v1/panel", "ipt_no", X_Inkpanel_Client="192.0.2.66")
    assert gateway.request("GET", "/v1/panel", "ipt_no", X_Inkpanel_Client="192.0.2.66").status == 429
    assert gateway.request("GET", "/v1/panel", "ipt_no", X_Inkpanel_Client="192.0.2.67").status == 401
    gateway.kill()
