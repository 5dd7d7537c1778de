// SPDX-License-Identifier: Apache-2.0

/// Which points are inside a path, by their winding number.
public enum FillRule: Sendable {
    /// Winding number not zero: overlaps stay ink. What strokes use.
    case nonZero
    /// Winding number odd.
    case evenOdd
}
