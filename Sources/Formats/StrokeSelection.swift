// SPDX-License-Identifier: Apache-2.0
public import Record

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

extension CaptureRecord {
    /// - Throws: ``ExportError/notAccepted(outcome:)``.
    public func checkAccepted() throws(ExportError) {
        if !isAccepted { throw .notAccepted(outcome: outcome) }
    }
}

/// What a pen did, on the page or above it.
enum CaptureTrace {
    case stroke(CaptureStroke)
    case inAir(CaptureInAir)
}

extension CaptureRecord {
    /// The strokes of ``strokes(_:)`` and the movement in the air, in the order of the record: all of it, or that
    /// between the first and the last of the strokes that stand.
    func traces(_ selection: StrokeSelection) -> [CaptureTrace] {
        let visible = visibleEntries
        let (range, wanted): (Range<Int>, Set<Int>?)
        switch selection {
        case .all: (range, wanted) = (entries.indices, nil)
        case .visible:
            guard let first = visible.first, let last = visible.last else { return [] }
            (range, wanted) = (first..<last + 1, Set(visible))
        }
        return range.compactMap { index in
            switch entries[index] {
            case .stroke(let stroke): wanted?.contains(index) ?? true ? .stroke(stroke) : nil
            case .inAir(let movement): .inAir(movement)
            case .action: nil
            }
        }
    }
}

extension CaptureRecord {
    /// The device that drew a stroke; nil where the header does not name it.
    func device(of stroke: CaptureStroke) -> CaptureDevice? {
        header.devices.indices.contains(stroke.device) ? header.devices[stroke.device] : nil
    }

    /// The pressure axis of a device, where one of its `strokes` has a sample that it measured. Nil also where the
    /// device never said what it measured: a channel without a value is none.
    /// - Parameter device: its place in the header.
    func measuredPressure(of device: Int, in strokes: [CaptureStroke]) -> CaptureDevice.Axis? {
        guard header.devices.indices.contains(device), let axis = header.devices[device].pressure,
            axis.minimum < axis.maximum
        else { return nil }
        return strokes.contains { $0.device == device && $0.samples.contains { $0.pressure != nil } } ? axis : nil
    }
}
