# SPDX-License-Identifier: Apache-2.0
"""deploy/nginx/certificate: the local authority, its certificate, the administrator's files."""

import base64
import hashlib
import os
import shutil
import socket
import ssl
import stat
import subprocess
import threading
from pathlib import Path

import pytest
from support import breadth

HOST = socket.gethostname().lower()


def openssl(*arguments, **options) -> subprocess.CompletedProcess:
    return subprocess.run(["openssl", *map(str, arguments)], capture_output=True, text=True, **options)


def make_given(folder: Path, name: str = "pad.example", key: str = "EC", days: int = 90):
    """An administrator's files."""
    options = ["-pkeyopt", "ec_paramgen_curve:P-256"] if key == "EC" else ["-pkeyopt", "rsa_keygen_bits:" + key[3:]]
    openssl("genpkey", "-algorithm", key[:3], *options, "-out", folder / "key.pem", check=True)
    openssl("req", "-x509", "-key", folder / "key.pem", "-subj", "/CN=" + name, "-addext", "subjectAltName=DNS:" + name,
            "-days", days, "-out", folder / "certificate.pem", check=True)


def is_valid(certificate, *arguments, leaf: Path | None = None) -> bool:
    return openssl("verify", "-CAfile", certificate.ca, *arguments, leaf or certificate.served).returncode == 0


def text(path: Path, *arguments) -> str:
    return openssl("x509", "-in", path, "-noout", *arguments, check=True).stdout


def days_left(path: Path) -> int:
    end = ssl.cert_time_to_seconds(text(path, "-enddate").strip().removeprefix("notAfter="))
    return round((end - ssl.cert_time_to_seconds(text(path, "-startdate").strip().removeprefix("notBefore="))) / 86400)


def test_the_first_run_makes_an_authority_and_a_certificate(certificate):
    certificate.addresses = "192.0.2.7 2001:db8::7 fe80::1"
    said = certificate.make()
    short = HOST.split(".")[0]
    for name in (HOST, short, short + ".local", "localhost"):
        assert is_valid(certificate, "-verify_hostname", name, "-purpose", "sslserver"), name
    for address in ("127.0.0.1", "::1", "192.0.2.7", "2001:db8::7"):
        assert is_valid(certificate, "-verify_ip", address), address
    assert not is_valid(certificate, "-verify_hostname", "example.com")
    assert not is_valid(certificate, "-verify_ip", "192.0.2.8")
    assert days_left(certificate.served) == 397 and days_left(certificate.ca) == 3650
    assert "prime256v1" in text(certificate.served, "-text")
    assert certificate.spki in said and str(certificate.ca) in said
    der = openssl("pkey", "-in", certificate.state / "tls" / "key.pem", "-pubout").stdout
    der = base64.b64decode("".join(der.splitlines()[1:-1]))
    assert certificate.spki == base64.b64encode(hashlib.sha256(der).digest()).decode()


def test_the_authority_is_valid_for_this_machine_only(certificate, tmp_path):
    """Whoever steals its key cannot pass for other sites, with clients that check the constraints."""
    certificate.make()
    private = certificate.state / "private"
    for names, allowed in (
        ("DNS:localhost", True), ("IP:127.0.0.1", True), ("DNS:bank.example", False), ("IP:192.0.2.99", False),
        ("DNS:localhost,DNS:bank.example", False), ("IP:2001:db8::1", False),
    ):
        leaf = tmp_path / "leaf.pem"
        extension = tmp_path / "extension"
        extension.write_text("subjectAltName=" + names)
        openssl("req", "-new", "-key", private / "key.pem", "-subj", "/CN=leaf", "-out", tmp_path / "request", check=True)
        openssl("x509", "-req", "-in", tmp_path / "request", "-CA", private / "ca.pem", "-CAkey", private / "ca-key.pem",
                "-set_serial", "7", "-extfile", extension, "-out", leaf, check=True)
        assert is_valid(certificate, leaf=leaf) == allowed, names
    # Nor make an authority below it.
    assert "CA:TRUE, pathlen:0" in text(certificate.ca, "-text")


def shake(certificate, context: ssl.SSLContext, name: str):
    """A handshake with a server that has the certificate."""
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(certificate.served, certificate.state / "tls" / "key.pem")
    ours, theirs = socket.socketpair()
    thread = threading.Thread(target=lambda: _serve(server, theirs))
    thread.start()
    try:
        context.wrap_socket(ours, server_hostname=name).close()
    finally:
        ours.close()
        thread.join()


def test_python_accepts_it_with_the_authority_and_refuses_it_without(certificate):
    certificate.make()
    trusting = ssl.create_default_context(cafile=str(certificate.ca))
    trusting.verify_flags |= ssl.VERIFY_X509_STRICT
    shake(certificate, trusting, "localhost")
    shake(certificate, trusting, "127.0.0.1")
    with pytest.raises(ssl.SSLCertVerificationError, match="Hostname mismatch"):
        shake(certificate, trusting, "other.example")
    with pytest.raises(ssl.SSLCertVerificationError, match="unable to get local issuer"):
        shake(certificate, ssl.create_default_context(), "localhost")


def _serve(context, connection):
    try:
        context.wrap_socket(connection, server_side=True).close()
    except (ssl.SSLError, OSError):
        connection.close()


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_only_root_reads_the_keys_of_the_authority(certificate):
    certificate.make()
    assert mode(certificate.state / "private") == 0o700
    assert {mode(path) for path in (certificate.state / "private").iterdir()} == {0o600}
    tls = certificate.state / "tls"
    public = (tls / "certificate.pem", certificate.ca, certificate.state / "spki")
    assert mode(tls / "key.pem") == 0o640 and {mode(path) for path in public} == {0o644}
    assert mode(tls) == 0o755


def test_a_second_run_changes_nothing(certificate):
    certificate.make()
    before = {path: path.read_bytes() for path in certificate.state.rglob("*.pem")}
    certificate.make()
    assert before == {path: path.read_bytes() for path in certificate.state.rglob("*.pem")}


def test_renewal_30_days_before_the_end_keeps_the_key(certificate):
    certificate.make(clock="-366d")
    first, spki, ca = certificate.served.read_bytes(), certificate.spki, certificate.ca.read_bytes()
    # 31 days are left.
    certificate.make()
    assert certificate.served.read_bytes() == first
    certificate.make(clock="+2d")
    assert certificate.served.read_bytes() != first
    assert certificate.spki == spki and certificate.ca.read_bytes() == ca


def test_the_authority_is_renewed_while_certificates_fit_in(certificate):
    certificate.make(clock="-3260d")
    ca, spki = certificate.ca.read_bytes(), certificate.spki
    certificate.make()
    assert certificate.ca.read_bytes() != ca and certificate.spki == spki
    assert is_valid(certificate)


def test_a_clock_that_is_behind_changes_nothing(certificate):
    certificate.make()
    before = certificate.served.read_bytes(), certificate.ca.read_bytes()
    assert "the clock is before" in certificate.make(clock="-20000d")
    assert before == (certificate.served.read_bytes(), certificate.ca.read_bytes())


def test_new_names_of_the_configuration(certificate):
    certificate.make()
    ca, spki = certificate.ca.read_bytes(), certificate.spki
    certificate.configure("pad.shop.example", "pad.local")
    certificate.make()
    assert is_valid(certificate, "-verify_hostname", "pad.shop.example") and certificate.spki == spki
    assert is_valid(certificate, "-verify_hostname", "pad.local") and "DNS:none" not in text(certificate.ca, "-text")
    # The old authority was not for this name.
    assert certificate.ca.read_bytes() != ca
    ca = certificate.ca.read_bytes()
    certificate.configure()
    certificate.make()
    assert not is_valid(certificate, "-verify_hostname", "pad.shop.example") and certificate.ca.read_bytes() == ca


def test_addresses_of_the_configuration(certificate):
    certificate.make()
    ca = certificate.ca.read_bytes()
    certificate.configure("192.0.2.20", "pad.shop.example", "2001:db8::20")
    certificate.make()
    # The old authority was not for them.
    assert certificate.ca.read_bytes() != ca
    trusting = ssl.create_default_context(cafile=str(certificate.ca))
    trusting.verify_flags |= ssl.VERIFY_X509_STRICT
    for name in ("192.0.2.20", "2001:db8::20", "pad.shop.example"):
        shake(certificate, trusting, name)
    for name in ("192.0.2.21", "2001:db8::21"):
        with pytest.raises(ssl.SSLCertVerificationError):
            shake(certificate, trusting, name)
    assert "DNS:192" not in text(certificate.ca, "-text") + text(certificate.served, "-text")
    ca, served = certificate.ca.read_bytes(), certificate.served.read_bytes()
    certificate.make()
    assert (certificate.ca.read_bytes(), certificate.served.read_bytes()) == (ca, served)
    # An address that the machine has as well is no other one.
    certificate.addresses = "127.0.0.1 192.0.2.20"
    certificate.make()
    assert (certificate.ca.read_bytes(), certificate.served.read_bytes()) == (ca, served)
    certificate.configure()
    certificate.addresses = "127.0.0.1"
    certificate.make()
    assert certificate.ca.read_bytes() == ca and not is_valid(certificate, "-verify_ip", "192.0.2.20")


def test_curl_accepts_addresses_of_the_configuration(certificate):
    certificate.configure("192.0.2.20", "2001:db8::20")
    certificate.make()
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate.served, certificate.state / "tls" / "key.pem")
        while True:
            try:
                with context.wrap_socket(listener.accept()[0], server_side=True) as connection:
                    connection.recv(65536)
                    connection.sendall(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
            except ssl.SSLError:
                continue
            except OSError:
                return

    threading.Thread(target=serve, daemon=True).start()

    def ask(host: str) -> int:
        return subprocess.run(
            ["curl", "-sS", "--cacert", certificate.ca, "--connect-to", f"{host}:443:127.0.0.1:{listener.getsockname()[1]}",
             f"https://{host}/"], capture_output=True, timeout=30).returncode

    assert [ask(host) for host in ("192.0.2.20", "[2001:db8::20]", "192.0.2.21", "[2001:db8::21]")] == [0, 0, 60, 60]
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()


def test_a_configuration_with_mistakes_changes_nothing(certificate):
    certificate.make()
    before = certificate.served.read_bytes()
    certificate.configure("pad.shop.example", status=78)
    done = certificate.run()
    assert done.returncode == 1 and "inkpanel config check" in done.stderr
    assert certificate.served.read_bytes() == before


def test_the_program_reads_the_configuration(tmp_path):
    """The real program prints the names as expected above."""
    path = tmp_path / "inkpanel.toml"
    path.write_text('[gateway]\nnames = ["pad.shop.example", "pad.local", "192.0.2.20", "[2001:DB8::20]"]\n')
    shown = subprocess.run(
        [os.environ["INKPANEL"], "config", "show", "--config", path], capture_output=True, text=True, check=True).stdout
    assert '\n[gateway]\nnames = ["pad.shop.example", "pad.local", "192.0.2.20", "2001:db8::20"]\n' in shown


def test_new_addresses_keep_the_authority(certificate):
    certificate.addresses = "192.0.2.7 192.0.2.8"
    certificate.make()
    ca = certificate.ca.read_bytes()
    certificate.addresses = "192.0.2.8 192.0.2.9"
    said = certificate.make()
    assert "192.0.2.9 is new" in said and certificate.ca.read_bytes() == ca
    assert is_valid(certificate, "-verify_ip", "192.0.2.8") and not is_valid(certificate, "-verify_ip", "192.0.2.7")
    assert is_valid(certificate, "-verify_hostname", "localhost")
    # As docs/web.md says.
    shutil.rmtree(certificate.state / "private")
    certificate.make()
    assert is_valid(certificate, "-verify_ip", "192.0.2.9")


def test_an_authority_from_before_the_network_is_replaced(certificate):
    certificate.addresses = ""
    certificate.make()
    ca = certificate.ca.read_bytes()
    certificate.make()
    assert certificate.ca.read_bytes() == ca
    certificate.addresses = "192.0.2.7"
    certificate.make()
    assert is_valid(certificate, "-verify_ip", "192.0.2.7")


@pytest.mark.parametrize("name, content", breadth.pairs(
    ["ca.pem", "ca-key.pem", "key.pem", "certificate.pem", "ca-names", "names"], [None, "", "damaged"]))
def test_lost_and_damaged_files_are_made_anew(certificate, name, content):
    certificate.make()
    path = certificate.state / "private" / name
    if content is None:
        path.unlink()
    else:
        path.write_text(content)
    certificate.make()
    assert is_valid(certificate, "-verify_hostname", "localhost")
    assert openssl("x509", "-in", certificate.served, "-noout", "-pubkey").stdout == openssl(
        "pkey", "-in", certificate.state / "tls" / "key.pem", "-pubout").stdout


@pytest.mark.parametrize("key", ["EC", "RSA2048"])
def test_the_administrators_files_come_first(certificate, key):
    certificate.make()
    make_given(certificate.given, key=key)
    said = certificate.make()
    assert str(certificate.given / "certificate.pem") in said and certificate.spki in said
    assert certificate.served.read_bytes() == (certificate.given / "certificate.pem").read_bytes()
    assert mode(certificate.state / "tls" / "key.pem") == 0o640
    # Renewed ones are noticed; without them, its own come back.
    make_given(certificate.given)
    certificate.make()
    assert certificate.served.read_bytes() == (certificate.given / "certificate.pem").read_bytes()
    for path in certificate.given.iterdir():
        path.unlink()
    certificate.make()
    assert is_valid(certificate, "-verify_hostname", "localhost")


def swap_keys(given: Path):
    openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", given / "key.pem", check=True)


def encrypt(given: Path):
    openssl("pkey", "-in", given / "key.pem", "-aes256", "-passout", "pass:secret", "-out", given / "new", check=True)
    (given / "new").rename(given / "key.pem")


def issuer_first(given: Path):
    leaf = (given / "certificate.pem").read_bytes()
    key = (given / "key.pem").read_bytes()
    make_given(given, "issuer.example")
    (given / "certificate.pem").write_bytes((given / "certificate.pem").read_bytes() + leaf)
    (given / "key.pem").write_bytes(key)


def hard_link(given: Path):
    os.link(given / "key.pem", given / "other")


BAD = {
    "key for others": (lambda given: (given / "key.pem").chmod(0o640), "chmod 600 "),
    "certificate for others": (lambda given: (given / "certificate.pem").chmod(0o666), "chmod go-w "),
    "directory for others": (lambda given: given.chmod(0o777), "chmod go-w "),
    "hard link": (hard_link, "is not a file with one name"),
    "directory": (lambda given: ((given / "key.pem").unlink(), (given / "key.pem").mkdir()), "is not a file with one name"),
    "no key": (lambda given: (given / "key.pem").unlink(), "key.pem is missing"),
    "no certificate": (lambda given: (given / "certificate.pem").unlink(), "certificate.pem is missing"),
    "another key": (swap_keys, "is not the key of the first certificate"),
    "issuer first": (issuer_first, "the server's comes first"),
    "damaged certificate": (lambda given: (given / "certificate.pem").write_text("x"), "is not a certificate in PEM"),
    "damaged key": (lambda given: (given / "key.pem").write_text("x"), "is not a private key in PEM"),
    "passphrase": (encrypt, "has a passphrase"),
    "short key": (lambda given: make_given(given, key="RSA1024"), "RSA key of 1024 bits"),
}


@pytest.mark.parametrize("name", breadth.share(BAD, 2))
def test_bad_files_are_named_and_what_was_served_stays(certificate, name):
    certificate.make()
    before = certificate.served.read_bytes(), certificate.spki
    make_given(certificate.given)
    damage, expected = BAD[name]
    damage(certificate.given)
    done = certificate.run()
    assert done.returncode == 1 and expected in done.stderr and done.stderr.count("\n") == 1, done.stderr
    assert before == (certificate.served.read_bytes(), certificate.spki)


def test_links_of_the_administrator_are_followed_and_keys_of_other_users_refused(certificate):
    make_given(certificate.given)
    (certificate.given / "key.pem").rename(certificate.given.parent / "live.pem")
    (certificate.given / "key.pem").symlink_to(certificate.given.parent / "live.pem")
    certificate.make()
    assert certificate.served.read_bytes() == (certificate.given / "certificate.pem").read_bytes()
    if os.geteuid() != 0:
        return
    os.chown(certificate.given.parent / "live.pem", 65534, 65534)
    done = certificate.run()
    assert done.returncode == 1 and "belongs to the user" in done.stderr and "chown root " in done.stderr, done.stderr


def test_a_link_in_its_own_directory_is_refused(certificate):
    certificate.make()
    key = certificate.state / "private" / "key.pem"
    key.rename(certificate.state / "elsewhere")
    key.symlink_to(certificate.state / "elsewhere")
    done = certificate.run()
    assert done.returncode == 1 and f"{key} is a link: remove it" in done.stderr, done.stderr


def test_expired_files_are_served_with_a_warning(certificate):
    make_given(certificate.given, days=1)
    assert "has expired" in certificate.make(clock="+2d")


def test_a_full_disk_keeps_what_was_served(certificate):
    if os.geteuid() != 0:
        pytest.skip("needs root, to mount a small file system")
    certificate.state.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", certificate.state], check=True)
    try:
        certificate.make(clock="-380d")
        before = certificate.served.read_bytes(), (certificate.state / "tls" / "key.pem").read_bytes()
        with (certificate.state / "filler").open("wb", buffering=0) as filler:
            try:
                while True:
                    filler.write(b"a" * 512)
            except OSError:
                pass
        done = certificate.run()
        assert done.returncode != 0 and done.stderr
        assert before == (certificate.served.read_bytes(), (certificate.state / "tls" / "key.pem").read_bytes())
        (certificate.state / "filler").unlink()
        certificate.make()
        assert is_valid(certificate) and certificate.served.read_bytes() != before[0]
    finally:
        subprocess.run(["umount", certificate.state], check=True)
