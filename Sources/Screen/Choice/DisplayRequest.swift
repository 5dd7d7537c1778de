// SPDX-License-Identifier: Apache-2.0

/// Which display the configuration asks for.
public enum DisplayRequest: Equatable, Sendable {
    /// The best connected one.
    case best
    /// A connector by name: `DSI-1`, or `card1-HDMI-A-1` (the name in sysfs) when two cards have an `HDMI-A-1`.
    case connector(String)
    /// The best on one card, by path; `/dev/dri/by-path/…` is the name that survives a reboot.
    case card(String)

    /// What follows `kms:` on the command line; empty for the best.
    public init(_ text: String) {
        self = text.isEmpty ? .best : text.hasPrefix("/") ? .card(text) : .connector(text)
    }

    /// Whether `connector` of the card at `path` is one of those asked for.
    func admits(_ connector: String, onCard path: String) -> Bool {
        switch self {
        case .best, .card: true
        case .connector(let name):
            name == connector || name == "\(path.split(separator: "/").last ?? "")-\(connector)"
        }
    }
}
