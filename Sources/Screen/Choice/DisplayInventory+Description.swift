// SPDX-License-Identifier: Apache-2.0
import Geometry

extension DisplayInventory: CustomStringConvertible {
    /// For people: a paragraph for each card, the display that would be used marked with `*`.
    public var description: String {
        if cards.isEmpty { return ScreenError.noCard.description }
        return cards.map(\.description).joined(separator: "\n")
    }
}

extension CardReport: CustomStringConvertible {
    public var description: String {
        var line = path
        if !driver.isEmpty { line += " (\(driver)\(isAtomic ? ", atomic" : ""))" }
        if let passedOver { return "\(line): \(passedOver)" }
        if !isMaster { line += ", in use by another program" }
        var lines = [line]
        for connector in connectors {
            lines.append("  " + connector.description)
            // Every mode once: monitors list the same one with several timings.
            var seen = Set<String>()
            let modes = connector.modes.map { mode in
                mode.description + (mode.isUserDefined ? " (command line)" : mode.isPreferred ? " (preferred)" : "")
            }
            lines += modes.filter { seen.insert($0).inserted }.map { "      \($0)" }
        }
        for plane in planes {
            lines.append("    plane \(plane.id) (\(plane.type)): \(plane.formats.joined(separator: " "))")
        }
        return lines.joined(separator: "\n")
    }
}

extension ConnectorReport: CustomStringConvertible {
    public var description: String {
        var facts: [String] = []
        if let bestMode { facts.append(bestMode.description) }
        if let millimetres { facts.append("\(millimetres) mm") }
        if let orientation, orientation != .none {
            facts.append("built in turned, picture \(orientation.rawValue) degrees clockwise")
        }
        if case .passedOver(let reason) = verdict { facts.append("not used: \(reason)") }
        return (verdict == .chosen ? "* " : "  ") + name + (facts.isEmpty ? "" : ": " + facts.joined(separator: ", "))
    }
}
