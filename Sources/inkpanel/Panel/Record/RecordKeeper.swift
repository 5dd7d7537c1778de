// SPDX-License-Identifier: Apache-2.0
import Linux
import Record
import Store

/// Where records are kept, and for how long.
struct RecordKeeper: Sendable {
    var store: CaptureStore
    var retention: CaptureRetention
    /// Nil where the pad has no sketch page.
    var sketch: SketchKeeper?
    var log: Log
    var clock: @Sendable () -> WallClock.Reading = { WallClock.read() }
}
