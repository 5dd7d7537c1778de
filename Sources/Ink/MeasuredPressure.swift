// SPDX-License-Identifier: Apache-2.0

/// Whether the pressures of a device are measurements: the one rule for pens, records and files.
///
/// Only a pressure that varies is one. Without a sensor, drivers and browsers report a constant: none, full, or 0.5
/// while pressed and 0 otherwise (W3C Pointer Events). So a 0 beside equal values is a lift.
public struct MeasuredPressure: Equatable, Sendable {
    private var first: Double?
    /// Whether two pressures above 0 differ.
    public private(set) var isMeasured = false

    public init() {}

    /// - Parameter pressure: the pressure of a sample, on any scale where 0 means no pressure; nil if it has none.
    public mutating func add(_ pressure: Double?) {
        guard let pressure, pressure != 0, !isMeasured else { return }
        if let first { isMeasured = first != pressure } else { first = pressure }
    }
}
