// SPDX-License-Identifier: Apache-2.0
import CLibcrypto
import CMosquitto
import Glibc
import Linux

/// Why there is no connection to the broker, and what to do.
enum BrokerFault: Error, Equatable, CustomStringConvertible {
    case noSuchHost(String)
    case unreachable(String, Errno)
    /// The TLS library's words.
    case tls(String)
    /// The certificate of the broker, or of its authority, is not valid by this panel's clock.
    case brokerTime(hasEnded: Bool)
    /// The broker's certificate is refused for another reason, in the TLS library's words.
    case brokerCertificate(host: String, String)
    /// The broker refuses the panel's certificate.
    case ownCertificate(Refusal)
    /// The panel's certificate is not valid by its clock, which may be wrong.
    case certificateTime
    /// The file that cannot be read, and why; nil if all can.
    case credentials(folder: String, String?)
    /// The broker's words.
    case refused(String)
    case ended
    case silent
    case other(String)

    /// Why a broker refuses a panel's certificate: alerts of TLS (RFC 8446, 6.2).
    enum Refusal: String, CaseIterable {
        case ended = "alert certificate expired"
        case revoked = "alert certificate revoked"
        case foreign = "alert unknown ca"
    }

    /// - Parameters:
    ///   - result: of a function of libmosquitto.
    ///   - system: errno after it.
    ///   - log: what libmosquitto wrote last.
    ///   - refusal: ``BrokerTLS/refusal``.
    init(result: CInt, system: CInt, log: String, refusal: Int = 0, address: BrokerAddress) {
        self.init(result, system, log, address)
        guard case .tls(let words) = self else { return }
        switch CInt(truncatingIfNeeded: refusal) {
        case X509_V_OK:
            if let refusal = Refusal.allCases.first(where: { words.contains(Substring($0.rawValue)) }) {
                self = .ownCertificate(refusal)
            }
        case X509_V_ERR_CERT_HAS_EXPIRED: self = .brokerTime(hasEnded: true)
        case X509_V_ERR_CERT_NOT_YET_VALID: self = .brokerTime(hasEnded: false)
        // libmosquitto compares the name, and gives no reason.
        case X509_V_ERR_UNSPECIFIED: self = .brokerCertificate(host: address.host, "it is for another name")
        default:
            self = .brokerCertificate(
                host: address.host, String(cString: X509_verify_cert_error_string(refusal)))
        }
    }

    private static func unreadable(in folder: String) -> String? {
        for name in ["panel.crt", "panel.key", "ca.crt"] where access("\(folder)/\(name)", R_OK) != 0 {
            return "\(name): \(Errno.current)"
        }
        return nil
    }

    private init(_ result: CInt, _ system: CInt, _ log: String, _ address: BrokerAddress) {
        switch result {
        case MOSQ_ERR_EAI.code: self = .noSuchHost(address.host)
        case MOSQ_ERR_KEEPALIVE.code: self = .silent
        // A refused certificate ends the connection, and only the log says why. If the refusal comes after the
        // handshake, as in TLS 1.3, there may be no log: libmosquitto then sets errno.
        case _ where result == MOSQ_ERR_TLS.code || log.contains("SSL" as Substring),
            MOSQ_ERR_ERRNO.code where system == EPROTO:
            self = .tls(log.isEmpty ? "\(Errno(code: system))" : log)
        case MOSQ_ERR_INVAL.code:
            self = .credentials(folder: address.credentials, Self.unreadable(in: address.credentials))
        case MOSQ_ERR_CONN_LOST.code: self = .ended
        case MOSQ_ERR_ERRNO.code: self = .unreachable(address.text, Errno(code: system))
        default: self = .other(String(cString: mosquitto_strerror(result)))
        }
    }

    /// Whether a certificate is refused, here or there.
    var isOfTLS: Bool {
        switch self {
        case .tls, .brokerTime, .brokerCertificate, .ownCertificate, .certificateTime: true
        default: false
        }
    }

    var description: String {
        switch self {
        case .noSuchHost(let host): "no address is known for \(host): look at fleet.broker and the name server"
        case .unreachable(let place, let error): "cannot connect to \(place): \(error)"
        case .tls(let words):
            "TLS failed (\(words)): this panel's clock must be right, ca.crt have the CA of the broker's certificate, "
                + "and the broker that of panel.crt, which may be revoked"
        case .brokerTime(let hasEnded):
            "TLS failed: the certificate of the broker, or of its authority, "
                + (hasEnded ? "has ended" : "is not valid yet")
                + " by this panel's clock: if the clock is right (timedatectl), the broker needs another one "
                + "(inkpanel-fleet-certificate broker)"
        case .brokerCertificate(let host, let words):
            "TLS failed: the broker's certificate is refused (\(words)): ca.crt must have its authority, and the "
                + "certificate must be for \(host), as in fleet.broker"
        case .ownCertificate(.ended):
            "TLS failed: the broker says that this panel's certificate has ended: inkpanel-fleet-certificate renew, or "
                + "look at the broker's clock"
        case .ownCertificate(.revoked):
            "TLS failed: the broker says that this panel's certificate was revoked: the administrator gives it another "
                + "one (inkpanel-fleet-certificate invite)"
        case .ownCertificate(.foreign):
            "TLS failed: the broker does not know the authority of this panel's certificate: is this the broker's "
                + "listener for panels, and its file panels-ca.crt that of fleet-ca?"
        case .certificateTime: "panel.crt is not valid by this panel's clock: look at the clock (date), then renew it"
        case .credentials(let folder, let file):
            "in \(folder), \(file ?? "panel.crt and panel.key do not fit each other"): inkpanel-fleet-certificate "
                + "makes them (docs/operate.md)"
        case .refused(let words): "the broker refuses the panel (\(words)): look at its access rules and its log"
        case .ended: "the broker has closed the connection"
        case .silent: "the broker does not answer any more"
        case .other(let words): words
        }
    }
}
