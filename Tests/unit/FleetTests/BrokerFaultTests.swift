// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux
import TestSupport
import Testing

@testable import Fleet

@Suite("Why there is no connection to the broker")
struct BrokerFaultTests {
    private static let address = BrokerAddress(host: "broker", port: 8883, keepAlive: 60, credentials: "/state")
    // MOSQ_ERR_CONN_LOST, MOSQ_ERR_TLS and MOSQ_ERR_ERRNO of mosquitto.h.
    private static let (lost, tls, system): (CInt, CInt, CInt) = (7, 8, 14)

    private func fault(_ result: CInt, _ code: CInt, log: String = "", refusal: Int = 0) -> BrokerFault {
        BrokerFault(result: result, system: code, log: log, refusal: refusal, address: Self.address)
    }

    @Test("a certificate that is refused after the handshake is a fault of TLS, whether or not the log says so")
    func refusedCertificate() {
        let words = "OpenSSL Error: certificate revoked, SSL number 44"
        #expect(fault(Self.lost, 0, log: words) == .tls(words))
        #expect(fault(Self.tls, EPROTO) == .tls("\(Errno(code: EPROTO))"))
        #expect(fault(Self.system, EPROTO) == .tls("\(Errno(code: EPROTO))"))
        #expect(fault(Self.system, EPROTO, log: words).description.contains("revoked"))
    }

    @Test(
        "the broker's alert says what is wrong with the panel's certificate",
        arguments: [
            ("error:0A000415:SSL routines::sslv3 alert certificate expired", "this panel's certificate has ended"),
            ("error:0A000414:SSL routines::sslv3 alert certificate revoked", "was revoked"),
            ("error:0A000418:SSL routines::tlsv1 alert unknown ca", "does not know the authority of this panel's"),
        ])
    func ownCertificate(log: String, words: String) {
        let said = fault(Self.lost, 0, log: "OpenSSL Error[0]: " + log)
        #expect(said.isOfTLS && said.description.contains(words), "\(said)")
    }

    // X509_V_ERR_CERT_HAS_EXPIRED, _NOT_YET_VALID, _UNABLE_TO_GET_ISSUER_CERT_LOCALLY and _UNSPECIFIED.
    @Test(
        "the verification says what is wrong with the broker's",
        arguments: [
            (10, "of the broker, or of its authority, has ended"), (9, "is not valid yet"), (20, "local issuer"),
            (1, "it is for another name"),
        ])
    func brokersCertificate(refusal: Int, words: String) {
        let log = "OpenSSL Error[0]: error:0A000086:SSL routines::certificate verify failed"
        let said = fault(Self.tls, 0, log: log, refusal: refusal)
        #expect(said.isOfTLS && said.description.contains(words), "\(said)")
        #expect(said.description.contains("this panel's certificate") == false)
    }

    @Test("a file that is missing is named")
    func credentials() throws {
        let directory = try TemporaryDirectory()
        var address = Self.address
        address.credentials = directory.path
        // MOSQ_ERR_INVAL.
        func said() -> String { BrokerFault(result: 3, system: 0, log: "", address: address).description }
        #expect(said().contains("panel.crt: No such file or directory: inkpanel-fleet-certificate makes"))
        for name in ["panel.crt", "ca.crt"] { try AtomicFile.write([], to: "\(directory.path)/\(name)") }
        #expect(said().contains("panel.key: No such file"))
        try AtomicFile.write([], to: "\(directory.path)/panel.key")
        #expect(said().contains("do not fit each other"))
    }

    @Test("other errors of the system and lost connections keep their names")
    func others() {
        #expect(fault(Self.system, ECONNREFUSED) == .unreachable("broker:8883", Errno(code: ECONNREFUSED)))
        // errno is of something else then.
        #expect(fault(Self.lost, EPROTO) == .ended)
    }
}
