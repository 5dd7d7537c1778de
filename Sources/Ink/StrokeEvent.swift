// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// A step in the life of the stroke that is being drawn.
public enum StrokeEvent: Equatable, Sendable {
    case begin(Sample)
    case move(Sample)
    /// The contact was lifted, or lost with its device: the stroke ends at its last sample and stays.
    case end
    /// The contact was no pen after all (a palm): the stroke is removed.
    case cancel
}
