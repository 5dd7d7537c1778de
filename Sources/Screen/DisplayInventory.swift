// SPDX-License-Identifier: Apache-2.0
import Geometry
import Linux

/// All cards and connectors, which one would be used, and why the others would not. `inkpanel devices` prints it.
public struct DisplayInventory: Equatable, Sendable {
    var cards: [CardReport]

    /// The card and the connector that would be used.
    public var chosen: (card: CardReport, connector: ConnectorReport)? {
        for card in cards {
            if let connector = card.connectors.first(where: { $0.verdict == .chosen }) { return (card, connector) }
        }
        return nil
    }

    /// Whether the screen that would be used is wired to the board; nil if no screen is usable or this is unknown.
    public var isBuiltIn: Bool? { chosen?.connector.isBuiltIn }

    /// A line for each card and connector that is not used.
    var reasons: [String] {
        cards.flatMap { card in
            if let rejection = card.rejection { return ["\(card.path): \(rejection)"] }
            return card.connectors.compactMap { connector in
                guard case .rejected(let reason) = connector.verdict else { return nil }
                return "\(connector.name) on \(card.path): \(reason)"
            }
        }
    }
}

/// A connector, or a card that cannot be used, for `inkpanel devices --json`.
public struct ScreenSummary: Encodable, Equatable, Sendable {
    var card: String
    /// Missing if unknown.
    var driver: String?
    /// Missing if the whole card cannot be used.
    var connector: String?
    /// Whether `run` would use it.
    var used: Bool
    /// Why it cannot be used, or what is preferred.
    var reason: String?
    /// The mode that is or would be set.
    var mode: String?
    /// The size in millimetres.
    var size: String?
    /// Whether another program uses the card.
    var busy: Bool
}

extension DisplayInventory {
    public var screens: [ScreenSummary] {
        cards.flatMap { card in
            let driver = card.driver.isEmpty ? nil : card.driver
            if let rejection = card.rejection {
                return [
                    ScreenSummary(
                        card: card.path, driver: driver, used: false, reason: rejection.description, busy: false)
                ]
            }
            return card.connectors.map { connector in
                var reason: String?
                if case .rejected(let rejection) = connector.verdict { reason = rejection.description }
                return ScreenSummary(
                    card: card.path, driver: driver, connector: connector.name, used: connector.verdict == .chosen,
                    reason: reason, mode: connector.bestMode?.description,
                    size: connector.millimetres.map { "\($0)" }, busy: !card.isMaster)
            }
        }
    }
}

/// One `/dev/dri/card*`.
public struct CardReport: Equatable, Sendable {
    let path: String
    /// The kernel driver's name; empty if the card could not be opened.
    var driver = ""
    /// False if another program was master while we looked.
    public internal(set) var isMaster = false
    var isAtomic = false
    /// Why the whole card cannot be used; nil if it can set modes.
    var rejection: Rejection?
    var connectors: [ConnectorReport] = []
    var planes: [PlaneReport] = []
}

public struct ConnectorReport: Equatable, Sendable {
    enum Verdict: Equatable, Sendable {
        case chosen
        case rejected(Rejection)
    }

    /// e.g. `DSI-1`
    let name: String
    var modes: [DisplayMode] = []
    /// The mode that is or would be set.
    var bestMode: DisplayMode?
    var millimetres: PixelSize?
    /// See ``DisplayDetails/orientation``.
    var orientation: Rotation?
    /// ``DisplayDetails/isBuiltIn`` of the connector.
    var isBuiltIn: Bool?
    var verdict: Verdict
}

struct PlaneReport: Equatable, Sendable {
    let id: UInt32
    /// `Primary`, `Overlay` or `Cursor`.
    let type: String
    /// Four-character codes, e.g. `XR24`.
    let formats: [String]
}

/// Why a card or a connector is not used.
enum Rejection: Error, Equatable, Sendable {
    // Cards
    case refused(NodeRefusal)
    case cannotOpen(Errno)
    /// A GPU without display outputs, such as v3d on a Raspberry Pi.
    case onlyRenders
    case noDumbBuffers
    case noOutputs
    // Connectors
    case disconnected
    /// A screen is connected but has not reported what it can show.
    case noModes
    /// A headset or another device that is not a desktop screen.
    case notDesktop
    case writeback
    case noCRTC
    /// No primary plane accepts XRGB8888; the formats they do accept.
    case noPlane(formats: [String])
    case notRequested
    /// It could be used, but this one is better.
    case outranked(by: String)
    // Both
    case unreadable(call: String, Errno)
}

// MARK: Text for people

extension Rejection: CustomStringConvertible {
    var description: String {
        switch self {
        case .refused(let refusal): refusal.description
        case .cannotOpen(let error): "cannot open: \(error)"
        case .onlyRenders: "renders only, has no display outputs"
        case .noDumbBuffers: "the driver has no dumb buffers"
        case .noOutputs: "no connector or no CRTC"
        case .disconnected: "nothing connected"
        case .noModes: "connected, but reports no modes"
        case .notDesktop: "not a desktop screen (non-desktop is set)"
        case .writeback: "writes to memory, not to a screen"
        case .noCRTC: "no CRTC can drive it"
        case .noPlane(let formats):
            "no primary plane takes XRGB8888 (XR24)"
                + (formats.isEmpty ? "" : "; they take " + formats.joined(separator: ", "))
        case .notRequested: "not the requested one"
        case .outranked(let other): "\(other) is preferred"
        case .unreadable(let call, let error): "\(call): \(error)"
        }
    }
}

extension DisplayInventory: CustomStringConvertible {
    /// A paragraph for each card; `*` marks the display that would be used.
    public var description: String {
        if cards.isEmpty { return ScreenError.noCard.description }
        return cards.map(\.lines).joined(separator: "\n")
    }
}

extension CardReport {
    fileprivate var lines: String {
        var line = path
        if !driver.isEmpty { line += " (\(driver)\(isAtomic ? ", atomic" : ""))" }
        if let rejection { return "\(line): \(rejection)" }
        if !isMaster { line += ", in use by another program" }
        var lines = [line]
        for connector in connectors {
            lines.append("  " + connector.line)
            // Each mode once: monitors list the same one with several timings.
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

extension ConnectorReport {
    fileprivate var line: String {
        var facts: [String] = []
        if let bestMode { facts.append(bestMode.description) }
        if let millimetres { facts.append("\(millimetres) mm") }
        if let orientation, orientation != .none {
            facts.append("mounted rotated, picture \(orientation.rawValue) degrees clockwise")
        }
        if case .rejected(let reason) = verdict { facts.append("not used: \(reason)") }
        return (verdict == .chosen ? "* " : "  ") + name + (facts.isEmpty ? "" : ": " + facts.joined(separator: ", "))
    }
}
