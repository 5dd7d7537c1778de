// SPDX-License-Identifier: Apache-2.0
import Configuration
import Foundation
import HTTP
import JSON
package import Linux

/// How the webhooks do, in a file that the gateway reads, too. All users may read it: it has neither
/// addresses nor secrets.
package struct WebhookStatus: Codable, Equatable, Sendable {
    package static let usualPath = "/run/inkpanel-webhooks/status.json"

    package var webhooks: [WebhookSender.State]
    /// Why nothing is heard from the panel, for people.
    package var fault: String?
    /// Name and version of the program that runs.
    package var program: String?

    /// - Returns: nil if the program does not run.
    package static func read(_ path: String) -> WebhookStatus? {
        let bytes = (try? InputFile.read(path, maximumByteCount: 64 << 10)).flatMap { $0 }
        return bytes.flatMap { try? JSONValue($0).decode(WebhookStatus.self) }
    }

    /// Figures in the text format of Prometheus. https://prometheus.io/docs/instrumenting/exposition_formats
    package var metrics: String {
        var text = ""
        func add(_ name: String, _ help: String, _ type: String, _ value: (WebhookSender.State) -> Int) {
            text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
            for webhook in webhooks { text += "\(name){webhook=\"\(webhook.name)\"} \(value(webhook))\n" }
        }
        if webhooks.isEmpty { return "" }
        add("inkpanel_webhook_waiting", "Messages that wait.", "gauge") { $0.waiting }
        add("inkpanel_webhook_delivered_total", "Messages that have arrived.", "counter") { $0.delivered }
        add("inkpanel_webhook_given_up_total", "Messages that were given up.", "counter") { $0.givenUp }
        add("inkpanel_webhook_failing", "Whether the last attempt failed.", "gauge") { $0.fault == nil ? 0 : 1 }
        return text
    }

    /// Lines for people.
    package var text: String {
        let lines = webhooks.map { webhook -> String in
            let last = webhook.deliveredAt.map {
                ", last at " + Date(timeIntervalSince1970: Double($0 / 1_000_000)).formatted(.iso8601)
            }
            return "\(webhook.name)\t\(webhook.waiting) wait, \(webhook.delivered) delivered\(last ?? ""), "
                + "\(webhook.givenUp) given up"
                + (webhook.disabled ? "; disabled: inkpanel-gateway webhooks enable \(webhook.name)" : "")
                + (webhook.fault.map { "; \($0.printable)" } ?? "")
        }
        return (lines + [fault.map { "panel\t\($0.printable)" }].compactMap(\.self)).joined(separator: "\n")
    }
}

/// A command for the program that runs: a file in a folder that it watches. It is carried out at the next start if the
/// program does not run.
package struct WebhookRequest {
    /// The message to send again; nil to use a webhook again.
    package var id: String?
    /// nil for all.
    package var webhook: String?

    package static func folder(in state: String) -> String { state + "/requests" }

    /// `send.ID`, `send.ID.WEBHOOK` or `enable.WEBHOOK`.
    private var name: String {
        (id.map { ["send", $0] } ?? ["enable"] + []).joined(separator: ".") + (webhook.map { "." + $0 } ?? "")
    }

    package init(id: String?, webhook: String?) { (self.id, self.webhook) = (id, webhook) }

    private init?(_ name: String) {
        let parts = name.split(separator: ".").map(String.init)
        switch (parts.first, parts.count) {
        case ("send", 2) where WebhookMessage.isID(parts[1]): self.init(id: parts[1], webhook: nil)
        case ("send", 3) where WebhookMessage.isID(parts[1]) && WebhookFile.isName(parts[2]):
            self.init(id: parts[1], webhook: parts[2])
        case ("enable", 2) where WebhookFile.isName(parts[1]): self.init(id: nil, webhook: parts[1])
        default: return nil
        }
    }

    package func put(in state: String) throws(Errno) {
        try AtomicFile.replace([], at: Self.folder(in: state) + "/" + name)
    }

    /// Takes all requests out of the folder.
    package static func take(in state: String) -> [WebhookRequest] {
        let folder = folder(in: state)
        return ((try? Directory.names(of: folder)) ?? []).sorted().compactMap { name in
            guard let request = WebhookRequest(name) else { return nil }
            try? Directory.remove(folder + "/" + name)
            return request
        }
    }
}
