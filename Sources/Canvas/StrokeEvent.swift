// SPDX-License-Identifier: Apache-2.0
public import Ink

/// What the contact that owns the paper does.
public enum StrokeEvent: Equatable, Sendable {
    case begin(Sample)
    case move(Sample)
    /// Lifted, or lost with its device: the stroke ends at its last sample and stays.
    case end
    /// It was no pen after all (a palm): the stroke is taken back.
    case cancel
}
