// SPDX-License-Identifier: Apache-2.0

/// Changes to a pen that its author proposed. All are off unless asked for; ``PenName/switches`` says which pen has
/// which.
public enum PenSwitch: String, CaseIterable, Sendable {
    /// Neighbouring pieces of ink meet without a corner in their edges.
    case smoothEdge = "smooth-edge"
    /// The ink stays as wide in a sharp turn as beside it.
    case noPinch = "no-pinch"
    /// The faster, the lighter.
    case varyingColor = "varying-color"
}

extension PenName {
    /// The changes that this pen has.
    public var switches: Set<PenSwitch> { self == .offset ? Set(PenSwitch.allCases) : [] }
}
