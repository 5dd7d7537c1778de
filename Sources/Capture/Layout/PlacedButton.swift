// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// A button, which takes touches all over `rect`, and its label in the middle of it.
public struct PlacedButton: Equatable, Sendable {
    public var button: PageButton
    public var rect: PixelRect
    public var label: PlacedText
}
