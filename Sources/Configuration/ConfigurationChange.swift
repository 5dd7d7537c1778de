// SPDX-License-Identifier: Apache-2.0

extension Configuration {
    /// A setting that differs between two configurations.
    public struct Change: Equatable, Sendable {
        /// The path of the setting, such as `capture.undo`.
        public let key: String
        /// The program that reads it only at its start; nil if a running panel applies it.
        public let needsRestart: String?
    }

    /// Settings that a running panel applies. The others are built into threads, pages or sockets at the start.
    private static let applied = [
        "pad.slide-seconds", "pad.clock", "record.maximum-age-days", "record.maximum-count", "control.pairing",
    ]

    /// Settings that the panel itself does not read, by their tables.
    fileprivate static let others = ["gateway": "inkpanel-gateway", "fleet": "inkpanel-fleet"]

    /// The settings that differ from those of another configuration, in the order of the sample.
    public func changes(to next: Configuration) -> [Change] {
        Setting.all.compactMap { setting in
            guard setting.write(self) != setting.write(next) else { return nil }
            let key = setting.path.joined(separator: ".")
            let isApplied = setting.path[0] == "capture" || Self.applied.contains(key)
            return Change(key: key, needsRestart: isApplied ? nil : Self.others[setting.path[0]] ?? "inkpanel")
        }
    }

    /// This configuration with those settings of another one that need no restart of the panel.
    public func reloaded(from next: Configuration) -> Configuration {
        let changes = changes(to: next).filter { $0.needsRestart != "inkpanel" }
        var result = self
        for setting in Setting.all where changes.contains(where: { $0.key == setting.path.joined(separator: ".") }) {
            // Its own text is never refused.
            _ = setting.read(setting.write(next), &result)
        }
        return result
    }
}

extension Setting {
    /// Whether the panel itself does not read it.
    var isOfAnotherProgram: Bool { Configuration.others[path[0]] != nil }
}
