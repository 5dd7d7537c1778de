// SPDX-License-Identifier: Apache-2.0

/// The name of a panel or a host: the common name of its certificate, and a level of topics.
public struct FleetName: Hashable, Sendable, CustomStringConvertible {
    public static let expectation = "1 to 64 lower-case letters, digits and -"

    public let description: String

    /// nil unless it is as ``expectation`` says.
    public init?(_ text: some StringProtocol) {
        let isName = text.utf8.allSatisfy { 0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 || $0 == 0x2D }
        guard 1...64 ~= text.utf8.count, isName else { return nil }
        description = String(text)
    }
}

/// A topic that a panel publishes on (docs/fleet.md).
enum Topic: Equatable {
    case status, info
    /// The records that wait for delivery to the organisation's store.
    case delivery
    case response(FleetName)
    /// A capture of a host has ended.
    case captureEvent

    /// The text; `panel` is whose topic it is.
    func text(of panel: FleetName) -> String {
        let end =
            switch self {
            case .status: "status"
            case .info: "info"
            case .delivery: "delivery"
            case .response(let host): "response/\(host)"
            case .captureEvent: "event/capture"
            }
        return Self.root(of: panel) + end
    }

    /// Whether the broker keeps the last message for hosts that come later.
    var isRetained: Bool {
        switch self {
        case .status, .info, .delivery: true
        case .response, .captureEvent: false
        }
    }

    /// The filter of all requests to the panel.
    static func requests(to panel: FleetName) -> String { root(of: panel) + "request/+" }

    /// The method that a message on this topic asks for; nil if the panel's topics of requests have none of this name.
    static func method(_ topic: String, of panel: FleetName) -> FleetMethod? {
        let root = root(of: panel) + "request/"
        return topic.hasPrefix(root) ? FleetMethod(rawValue: String(topic.dropFirst(root.count))) : nil
    }

    /// The host that a response topic belongs to.
    /// - Returns: nil for any other topic: a host must not make the panel publish elsewhere.
    static func host(ofResponses topic: String, of panel: FleetName) -> FleetName? {
        let root = root(of: panel) + "response/"
        return topic.hasPrefix(root) ? FleetName(topic.dropFirst(root.count)) : nil
    }

    private static func root(of panel: FleetName) -> String { "inkpanel/v1/\(panel)/" }
}

/// The requests that a host can send through the broker. They give no access to records.
enum FleetMethod: String, CaseIterable {
    case capture, cancel, status
}
