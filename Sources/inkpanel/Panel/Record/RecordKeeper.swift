// SPDX-License-Identifier: Apache-2.0
import Linux
import Record

/// Where records are kept, and for how long.
struct RecordKeeper: Sendable {
    var store: CaptureStore
    var retention: CaptureRetention
    var log: Log
}
