// SPDX-License-Identifier: Apache-2.0

/// How measured pressure becomes width: what the settings of pen tablets call a soft or a firm tip.
public enum PressureCurve: String, CaseIterable, Sendable {
    /// As measured.
    case linear
    /// A light hand already draws a wide line.
    case soft
    /// Only a heavy hand draws a wide line.
    case firm
    /// Pressure does not count; the width comes from speed, as without a sensor.
    case off

    /// - Parameter pressure: 0...1.
    /// - Returns: 0...1, or nil when pressure does not count.
    func apply(_ pressure: Double) -> Double? {
        switch self {
        case .linear: pressure
        case .soft: pressure * (2 - pressure)
        case .firm: pressure * pressure
        case .off: nil
        }
    }
}
