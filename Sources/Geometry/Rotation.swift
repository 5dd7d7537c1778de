// SPDX-License-Identifier: Apache-2.0

/// How far the picture is turned clockwise to stand on the panel. The one switch for screen and touch.
public enum Rotation: Int, CaseIterable, Sendable {
    case none = 0
    case clockwise90 = 90
    case half = 180
    case clockwise270 = 270

    /// Whether the picture lies across the panel, so that its width runs along the panel's height.
    public var isTransposed: Bool { self == .clockwise90 || self == .clockwise270 }

    /// The picture's size on a panel of size `panel`.
    public func pictureSize(onPanel panel: PixelSize) -> PixelSize { isTransposed ? panel.transposed : panel }

    /// From picture to panel, both in coordinates 0...1 of their own width and height.
    public var pictureToPanel: Transform {
        switch self {
        case .none: .identity
        case .clockwise90: Transform(a: 0, b: -1, tx: 1, c: 1, d: 0, ty: 0)
        case .half: Transform(a: -1, b: 0, tx: 1, c: 0, d: -1, ty: 1)
        case .clockwise270: Transform(a: 0, b: 1, tx: 0, c: -1, d: 0, ty: 1)
        }
    }

    /// From panel to picture, both in coordinates 0...1; what touch goes through.
    public var panelToPicture: Transform {
        switch self {
        case .none: .identity
        case .clockwise90: Rotation.clockwise270.pictureToPanel
        case .half: Rotation.half.pictureToPanel
        case .clockwise270: Rotation.clockwise90.pictureToPanel
        }
    }

    /// The panel pixels that a rectangle of the picture lands on.
    public func panelRect(of rect: PixelRect, picture: PixelSize) -> PixelRect {
        switch self {
        case .none: rect
        case .clockwise90:
            PixelRect(
                minX: picture.height - rect.maxY, minY: rect.minX,
                maxX: picture.height - rect.minY, maxY: rect.maxX)
        case .half:
            PixelRect(
                minX: picture.width - rect.maxX, minY: picture.height - rect.maxY,
                maxX: picture.width - rect.minX, maxY: picture.height - rect.minY)
        case .clockwise270:
            PixelRect(
                minX: rect.minY, minY: picture.width - rect.maxX,
                maxX: rect.maxY, maxY: picture.width - rect.minX)
        }
    }
}
