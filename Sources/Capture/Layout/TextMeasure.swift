// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// The place that a text takes on one line, in pixels, with an em of so many pixels. A larger em must not take less.
public typealias TextMeasure = (_ text: String, _ em: Double) -> PixelSize
