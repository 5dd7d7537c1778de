// SPDX-License-Identifier: Apache-2.0
public import Geometry

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

/// How new ink reaches the screen.
public enum InkLatency: String, Sendable, CaseIterable {
    /// Ink appears with the next frame.
    case flip
    /// Ink appears at once, in the frame that is on screen, and again with the next one.
    case front
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
    case highContrast = "high-contrast"
}
