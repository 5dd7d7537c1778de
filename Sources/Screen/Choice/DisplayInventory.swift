// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// Every card and connector, what would be used, and why the others would not: what `inkpanel devices` prints.
public struct DisplayInventory: Equatable, Sendable {
    public var cards: [CardReport]

    /// The card and the connector that would be used.
    public var chosen: (card: CardReport, connector: ConnectorReport)? {
        for card in cards {
            if let connector = card.connectors.first(where: { $0.verdict == .chosen }) { return (card, connector) }
        }
        return nil
    }

    /// One line for each card and connector that is not used.
    public var reasons: [String] {
        cards.flatMap { card in
            if let passedOver = card.passedOver { return ["\(card.path): \(passedOver)"] }
            return card.connectors.compactMap { connector in
                guard case .passedOver(let reason) = connector.verdict else { return nil }
                return "\(connector.name) on \(card.path): \(reason)"
            }
        }
    }
}

/// One `/dev/dri/card*`.
public struct CardReport: Equatable, Sendable {
    public let path: String
    /// The kernel driver's name; empty when the card could not be opened.
    public var driver = ""
    /// Whether nobody else was master while we looked.
    public var isMaster = false
    public var isAtomic = false
    /// Why none of its connectors could be used; nil for a card that sets modes.
    public var passedOver: PassedOver?
    public var connectors: [ConnectorReport] = []
    public var planes: [PlaneReport] = []
}

/// One connector of a card.
public struct ConnectorReport: Equatable, Sendable {
    public enum Verdict: Equatable, Sendable {
        case chosen
        case passedOver(PassedOver)
    }

    /// e.g. `DSI-1`
    public let name: String
    public let status: Connector.Status
    public let modes: [DisplayMode]
    /// The mode that is or would be set.
    public let bestMode: DisplayMode?
    public let millimetres: PixelSize?
    /// See ``DisplayDetails/orientation``.
    public let orientation: Rotation?
    public var verdict: Verdict
}

/// One plane of a card.
public struct PlaneReport: Equatable, Sendable {
    public let id: UInt32
    /// `Primary`, `Overlay` or `Cursor`.
    public let type: String
    /// As four characters, e.g. `XR24`.
    public let formats: [String]
}
