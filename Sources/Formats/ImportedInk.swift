// SPDX-License-Identifier: Apache-2.0
public import Ink

/// Strokes that another program wrote.
public struct ImportedInk: Equatable, Sendable {
    /// What the positions of samples count.
    public enum Unit: Equatable, Sendable {
        case millimetres, pixels
        /// Something of the device that wrote them; only proportions are known.
        case arbitrary
    }

    public var unit: Unit
    /// Strokes without samples are left out.
    public var strokes: [[Sample]]

    public init(unit: Unit, strokes: [[Sample]]) {
        self.unit = unit
        self.strokes = strokes
    }
}
