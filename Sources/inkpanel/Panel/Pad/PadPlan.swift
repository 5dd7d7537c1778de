// SPDX-License-Identifier: Apache-2.0
import Capture
import Pages
import Record

/// How the pad is to be: what its owner chooses.
struct PadPlan {
    var messages: MessageTable
    var theme = PageTheme.light
    /// Shown while nobody signs; nil is the message for that.
    var idle: PageView?
    var policy: CapturePolicy
    var times = PadTimes()
    /// As strftime(3).
    var datePattern = "%Y-%m-%d"
    var records: CaptureStore
    /// How long records are kept.
    var retention = CaptureRetention()
    /// Nil where no host has a way in.
    var control: ControlPlan?
}
