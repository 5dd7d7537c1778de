// SPDX-License-Identifier: Apache-2.0
import CMosquitto
import Glibc
import Linux

/// Why there is no connection to the broker, and what to do.
enum BrokerFault: Error, Equatable, CustomStringConvertible {
    case noSuchHost(String)
    case unreachable(String, Errno)
    /// The TLS library's words.
    case tls(String)
    /// The panel's certificate is not valid by its clock, which may be wrong.
    case certificateTime
    case credentials(folder: String)
    /// The broker's words.
    case refused(String)
    case ended
    case silent
    case other(String)

    /// - Parameters:
    ///   - result: of a function of libmosquitto.
    ///   - system: errno after it.
    ///   - log: what libmosquitto wrote last.
    init(result: CInt, system: CInt, log: String, address: BrokerAddress) {
        switch result {
        case MOSQ_ERR_EAI.code: self = .noSuchHost(address.host)
        case MOSQ_ERR_KEEPALIVE.code: self = .silent
        // A refused certificate ends the connection, and only the log says why. If the refusal comes after the
        // handshake, as in TLS 1.3, there may be no log: libmosquitto then sets errno.
        case _ where result == MOSQ_ERR_TLS.code || log.contains("SSL" as Substring),
            MOSQ_ERR_ERRNO.code where system == EPROTO:
            self = .tls(log.isEmpty ? "\(Errno(code: system))" : log)
        case MOSQ_ERR_INVAL.code: self = .credentials(folder: address.credentials)
        case MOSQ_ERR_CONN_LOST.code: self = .ended
        case MOSQ_ERR_ERRNO.code: self = .unreachable(address.text, Errno(code: system))
        default: self = .other(String(cString: mosquitto_strerror(result)))
        }
    }

    var description: String {
        switch self {
        case .noSuchHost(let host): "no address is known for \(host): look at fleet.broker and the name server"
        case .unreachable(let place, let error): "cannot connect to \(place): \(error)"
        case .tls(let words):
            "TLS failed (\(words)): this panel's clock must be right, ca.crt have the CA of the broker's certificate, "
                + "and the broker that of panel.crt, which may be revoked"
        case .certificateTime: "panel.crt is not valid by this panel's clock: look at the clock (date), then renew it"
        case .credentials(let folder):
            "panel.crt, panel.key or ca.crt in \(folder) cannot be read: make them with inkpanel-fleet-certificate"
        case .refused(let words): "the broker refuses the panel (\(words)): look at its access rules and its log"
        case .ended: "the broker has closed the connection"
        case .silent: "the broker does not answer any more"
        case .other(let words): words
        }
    }
}
