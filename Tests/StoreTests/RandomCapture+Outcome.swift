// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import Record

extension RandomCapture {
    /// One with an end of the outcome, or none.
    mutating func record(_ outcome: CaptureEnd.Outcome?, startedAt: Int64? = nil) -> CaptureRecord {
        var record = record()
        record.end = outcome.map { end($0) }
        if let startedAt { record.header.startedAt = startedAt }
        return record
    }
}
