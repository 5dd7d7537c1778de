// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux
import Testing

@testable import Fleet

@Suite("Why there is no connection to the broker")
struct BrokerFaultTests {
    private static let address = BrokerAddress(host: "broker", port: 8883, keepAlive: 60, credentials: "/state")
    // MOSQ_ERR_CONN_LOST, MOSQ_ERR_TLS and MOSQ_ERR_ERRNO of mosquitto.h.
    private static let (lost, tls, system): (CInt, CInt, CInt) = (7, 8, 14)

    private func fault(_ result: CInt, _ code: CInt, log: String = "") -> BrokerFault {
        BrokerFault(result: result, system: code, log: log, address: Self.address)
    }

    @Test("a certificate that is refused after the handshake is a fault of TLS, whether or not the log says so")
    func refusedCertificate() {
        let words = "OpenSSL Error: certificate revoked, SSL alert number 44"
        #expect(fault(Self.lost, 0, log: words) == .tls(words))
        #expect(fault(Self.tls, EPROTO) == .tls("\(Errno(code: EPROTO))"))
        #expect(fault(Self.system, EPROTO) == .tls("\(Errno(code: EPROTO))"))
        #expect(fault(Self.system, EPROTO, log: words).description.contains("revoked"))
    }

    @Test("other errors of the system and lost connections keep their names")
    func others() {
        #expect(fault(Self.system, ECONNREFUSED) == .unreachable("broker:8883", Errno(code: ECONNREFUSED)))
        // errno is of something else then.
        #expect(fault(Self.lost, EPROTO) == .ended)
    }
}
