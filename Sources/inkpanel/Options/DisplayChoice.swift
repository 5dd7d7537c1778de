// SPDX-License-Identifier: Apache-2.0
public import ArgumentParser
public import Geometry

/// Where the picture goes: `kms`, `kms:CONNECTOR` or `headless:WxH`.
enum DisplayChoice: Equatable {
    /// The best connected screen, or the one with this connector name.
    case kms(connector: String?)
    /// Memory only, for tests, demonstrations and servers.
    case headless(PixelSize)
}

extension DisplayChoice: ExpressibleByArgument {
    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        switch (parts[0], parts.count) {
        case ("kms", 1): self = .kms(connector: nil)
        case ("kms", 2) where !parts[1].isEmpty: self = .kms(connector: String(parts[1]))
        case ("headless", 2):
            guard let size = PixelSize(argument: String(parts[1])) else { return nil }
            self = .headless(size)
        default: return nil
        }
    }

    var defaultValueDescription: String {
        switch self {
        case .kms(let connector): connector.map { "kms:\($0)" } ?? "kms"
        case .headless(let size): "headless:\(size)"
        }
    }
}

extension PixelSize: ExpressibleByArgument {
    /// The largest side of a picture: twice an 8K screen's.
    private static let maximumSide = 16384
    /// Twice an 8K screen's pixels: paper and three buffers of it are a gigabyte.
    private static let maximumArea = 1 << 26

    /// Whether a picture of this size can be drawn in reasonable memory.
    var isDrawable: Bool {
        1...Self.maximumSide ~= width && 1...Self.maximumSide ~= height && width * height <= Self.maximumArea
    }

    /// `WxH` in pixels; nil also for a size that is not ``isDrawable``.
    public init?(argument: String) {
        let parts = argument.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let width = parts[0], let height = parts[1],
            case let size = PixelSize(width: width, height: height), size.isDrawable
        else { return nil }
        self = size
    }
}
