// SPDX-License-Identifier: Apache-2.0
import Evidence
import Glibc
import HostAPI
import JSON
import Linux

/// The files in which the other programs of a panel say how they are, certificates, and the time of the last backup.
struct StatusFiles {
    /// Empty, or the directory of a copy.
    var root = ""

    /// The state of `inkpanel-fleet`, which ``FleetState`` there declares.
    struct Fleet: Decodable {
        var broker: String
        var connectedSince: Int64?
        var fault: String?
        /// Seconds since 1970-01-01 UTC.
        var certificateEnds: Int64
        var brokerCertificateEnds: Int64?
        var program: String?
    }

    /// The state of `inkpanel-gateway webhooks run`, which ``WebhookStatus`` there declares.
    struct Webhooks: Decodable {
        struct Webhook: Decodable {
            var name: String
            var waiting: Int
            /// Microseconds since 1970-01-01 UTC.
            var deliveredAt: Int64?
            var disabled: Bool
            var fault: String?
        }

        var webhooks: [Webhook]
        var fault: String?
        var program: String?
    }

    /// The last run of `inkpanel-deliver`.
    struct Delivery {
        /// Seconds since 1970-01-01 UTC.
        var delivered: Int64?
        var failed: Int64?
    }

    enum Found<Value> {
        case value(Value)
        case missing
        /// It is there, and this user may not read it, or it is damaged.
        case unreadable(String)
    }

    private static let longest = 64 << 10

    func exists(_ path: String) -> Bool { (try? Directory.contains(root + path)) == true }

    func fleet() -> Found<Fleet> { decoded("/run/inkpanel-fleet/state.json") }
    func webhooks() -> Found<Webhooks> { decoded("/run/inkpanel-webhooks/status.json") }

    func delivery() -> Delivery {
        func time(_ name: String) -> Int64? {
            (try? Directory.timeOfChange(root + "/run/inkpanel-deliver/" + name)).map { $0 / 1_000_000 }
        }
        return Delivery(delivered: time("delivered"), failed: time("failed"))
    }

    /// When the certificate ends that the gateway's nginx shows.
    func gatewayCertificate() -> Found<CertificateTimes> {
        found("/var/lib/inkpanel-web/tls/certificate.pem") { CertificateTimes(pem: $0) }
    }

    /// The last backup, or that none was made since a time.
    func backup() -> Found<(isDone: Bool, at: Int64)> {
        found("/var/lib/inkpanel-backup/last") { bytes in
            let words = String(decoding: bytes, as: UTF8.self).split { $0.isWhitespace }
            guard words.count == 2, ["done", "since"].contains(words[0]), let time = Int64(words[1]) else { return nil }
            return (words[0] == "done", time)
        }
    }

    private func decoded<Value: Decodable>(_ path: String) -> Found<Value> {
        found(path) { try? JSONValue($0).decode(Value.self) }
    }

    private func found<Value>(_ path: String, _ read: ([UInt8]) -> Value?) -> Found<Value> {
        let path = root + path
        do throws(Errno) {
            guard let bytes = try InputFile.read(path, maximumByteCount: Self.longest), let value = read(bytes) else {
                return .unreadable("\(path) is damaged")
            }
            return .value(value)
        } catch {
            if error == .noSuchFile || error == .notADirectory { return .missing }
            let remedy = error == .permissionDenied ? "; run this as root" : ""
            return .unreadable("cannot read \(path): \(error)\(remedy)")
        }
    }
}

extension StatusFiles {
    /// Figures in the text format of Prometheus, beside those of ``PanelHealth``.
    /// - Parameter now: seconds since 1970-01-01 UTC.
    func metrics(now: Int64) -> String {
        var text = ""
        func add(_ name: String, _ labels: String, _ help: String, _ value: Int64) {
            text += "# HELP \(name) \(help)\n# TYPE \(name) gauge\n\(name)\(labels) \(value)\n"
        }
        if case .value(let times) = gatewayCertificate() {
            add(
                "inkpanel_certificate_seconds", "{certificate=\"gateway\"}", "Time until the certificate ends.",
                times.ends - now)
        }
        if case .value(let backup) = backup() {
            add("inkpanel_backup_seconds", "", "Time since the last backup, or the first that failed.", now - backup.at)
        }
        return text
    }
}
