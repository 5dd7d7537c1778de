// SPDX-License-Identifier: Apache-2.0

/// Which strokes of a record go into a file.
public enum StrokeSelection: Sendable, CaseIterable {
    /// Those that stand on the pad at the end.
    case visible
    /// Also those that were taken back or cleared, in the order they were drawn.
    case all
}

extension CaptureRecord {
    func strokes(_ selection: StrokeSelection) -> [CaptureStroke] {
        switch selection {
        case .visible: visibleStrokes
        case .all:
            entries.compactMap { entry -> CaptureStroke? in
                guard case .stroke(let stroke) = entry else { return nil }
                return stroke
            }
        }
    }
}

extension CaptureDevice {
    /// The pressure axis, where `strokes` have a sample that it measured. Nil also where the device never said what it
    /// measured: a channel without a value is none.
    func measuredPressure(in strokes: [CaptureStroke]) -> Axis? {
        guard let pressure, pressure.minimum < pressure.maximum else { return nil }
        return strokes.contains { $0.samples.contains { $0.pressure != nil } } ? pressure : nil
    }
}
