// SPDX-License-Identifier: Apache-2.0
public import Geometry
public import Linux

/// The display to use: `kms`, `kms:CONNECTOR`, `fb`, `fb:PATH` or `headless:WxH`.
public enum DisplayChoice: Equatable, Sendable {
    /// The best connected screen, or the one with this connector name.
    case kms(connector: String?)
    /// A framebuffer device, by path. Never chosen automatically.
    case framebuffer(path: String)
    /// Memory only, for tests, demonstrations and servers.
    case headless(PixelSize)

    public var isInMemory: Bool {
        if case .headless = self { true } else { false }
    }

    private static let firstFramebuffer = "/dev/fb0"

    /// nil for a text that names no display.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        switch (parts[0], parts.count) {
        case ("kms", 1): self = .kms(connector: nil)
        case ("kms", 2) where !parts[1].isEmpty: self = .kms(connector: String(parts[1]))
        case ("fb", 1): self = .framebuffer(path: Self.firstFramebuffer)
        case ("fb", 2) where parts[1].hasPrefix("/"): self = .framebuffer(path: String(parts[1]))
        case ("headless", 2):
            guard let size = PixelSize(String(parts[1])), size.isDrawable else { return nil }
            self = .headless(size)
        default: return nil
        }
    }
}

extension DisplayChoice: CustomStringConvertible {
    public var description: String {
        switch self {
        case .kms(let connector): connector.map { "kms:\($0)" } ?? "kms"
        case .framebuffer(let path): path == Self.firstFramebuffer ? "fb" : "fb:\(path)"
        case .headless(let size): "headless:\(size)"
        }
    }
}

/// A date pattern as in strftime(3), with numeric fields only, which need no language.
public struct DateFormat: Equatable, Sendable {
    /// Maximum length in Unicode scalars.
    public static let longestPattern = 64
    public static let fields = ["%Y", "%m", "%d", "%H", "%M", "%%"]
    /// ISO 8601.
    public static let iso8601 = DateFormat("%Y-%m-%d")!

    public let pattern: String

    /// nil for a pattern that is empty, too long or has a `%` other than ``fields``.
    public init?(_ pattern: String) {
        guard 1...Self.longestPattern ~= pattern.unicodeScalars.count,
            Self.text(pattern, LocalTime(year: 0, month: 1, day: 1)) != nil
        else { return nil }
        self.pattern = pattern
    }

    public func text(_ time: LocalTime) -> String { Self.text(pattern, time) ?? pattern }

    private static func text(_ pattern: String, _ time: LocalTime) -> String? {
        var text = ""
        var rest = pattern.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "%" else {
                text.unicodeScalars.append(scalar)
                continue
            }
            switch rest.popFirst() {
            case "Y": text += padded(time.year, 4)
            case "m": text += padded(time.month, 2)
            case "d": text += padded(time.day, 2)
            case "H": text += padded(time.hour, 2)
            case "M": text += padded(time.minute, 2)
            case "%": text += "%"
            default: return nil
            }
        }
        return text
    }

    private static func padded(_ value: Int, _ digits: Int) -> String {
        let text = "\(value.magnitude)"
        return (value < 0 ? "-" : "") + String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}

/// How the screen is blanked.
public enum PowerBlanking: String, Sendable, CaseIterable {
    /// Switch the backlight off, or show black without one.
    case backlight
    case black
}

/// The page shown while no capture runs.
public enum PadPage: String, Sendable, CaseIterable {
    /// A text or a picture.
    case idle
    /// A drawing surface with tools.
    case sketch
    /// A bare sheet.
    case ink
}

/// Colours of the pages.
public enum PadTheme: String, Sendable, CaseIterable {
    case light, dark
}
