// SPDX-License-Identifier: Apache-2.0
import Capture
import Control
import Ink
import Record

/// What a pad is made with.
struct PadSetting {
    var messages: MessageTable
    /// That signatures are drawn with.
    var pen: Pen
    /// What hosts' wishes are applied to.
    var policy: CapturePolicy
    var times = PadTimes()
    /// Shown while nobody signs.
    var idle: PageView
    /// Shown instead of that, if there is one.
    var sketch: PadSketch?
    /// Name and version.
    var program: String
    var screen: PanelStatus.Screen
    /// As records describe them.
    var devices: [CaptureDevice]
    /// Wall clock, microseconds since 1970-01-01 UTC.
    var now: () -> Int64
    /// As it is written on pages.
    var date: () -> String
    /// 64 bits that nobody can guess.
    var random: () -> UInt64
}
