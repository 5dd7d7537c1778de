// SPDX-License-Identifier: Apache-2.0

/// The pens by the names that the configuration and the command line have for them.
public enum PenName: String, CaseIterable, Sendable {
    case linear
    case bezier
    case smoothedBezier = "smoothed-bezier"
    case quadratic
    case speedQuadratic = "speed-quadratic"
    case naiveWidth = "naive-width"
    case offset
    case ink

    /// The pen for whoever names none.
    public static let `default` = PenName.ink
}
