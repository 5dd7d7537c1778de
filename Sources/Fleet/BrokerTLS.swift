// SPDX-License-Identifier: Apache-2.0
import CLibcrypto
import CLibssl
import CMosquitto
import Glibc

/// The TLS of a connection, which libmosquitto frees when a handshake fails: this keeps it, because only it says what
/// is wrong with the broker's certificate. Used as ``BrokerConnection``.
final class BrokerTLS {
    private let connection: OpaquePointer

    /// - Parameter client: libmosquitto's.
    /// - Returns: nil before it has connected.
    init?(_ client: OpaquePointer) {
        guard let pointer = mosquitto_ssl_get(client) else { return nil }
        connection = OpaquePointer(pointer)
        SSL_up_ref(connection)
    }

    deinit { SSL_free(connection) }

    /// Why the broker's certificate is refused: an X509_V_ERR, or X509_V_OK.
    var refusal: Int { SSL_get_verify_result(connection) }

    /// When the broker's certificate ends, in seconds since 1970-01-01 UTC; nil before the handshake.
    var certificateEnds: Int64? {
        guard let certificate = SSL_get1_peer_certificate(connection) else { return nil }
        defer { X509_free(certificate) }
        var end = tm()
        guard ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &end) == 1 else { return nil }
        return Int64(timegm(&end))
    }
}
