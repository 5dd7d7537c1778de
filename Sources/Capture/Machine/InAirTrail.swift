// SPDX-License-Identifier: Apache-2.0
import Record
import Touch

/// What pens have done above the page, as far as the record does not have it.
struct InAirTrail {
    /// Samples of one entry of the record: ten seconds of a pen at 200 reports a second. So much a kill may take of a
    /// long movement, and so long is a line of the journal.
    static let entryLimit = 2000

    private let start: Int64
    private var waiting: CaptureInAir?
    private var count = 0

    /// - Parameter start: what the times of the record's samples count from.
    init(start: Int64) { self.start = start }

    /// Takes a report.
    /// - Returns: what the record is to have first: the movement is as long as an entry gets, or another pen's.
    mutating func add(_ hover: PenHover, device: Int, microseconds: Int64) -> CaptureEntry? {
        guard count < CaptureLimits.inAirSampleCount else { return nil }
        count += 1
        let isFull = waiting.map { $0.device != device || $0.samples.count >= Self.entryLimit } ?? false
        let entry = isFull ? take() : nil
        if waiting == nil { waiting = CaptureInAir(device: device, samples: []) }
        waiting?.samples.append(
            CaptureInAir.Sample(microseconds: microseconds &- start, x: hover.x, y: hover.y, distance: hover.distance))
        return entry
    }

    /// What waits, for the record, before anything that has come after it; nil when nothing does.
    mutating func take() -> CaptureEntry? {
        defer { waiting = nil }
        return waiting.map { .inAir($0) }
    }
}
