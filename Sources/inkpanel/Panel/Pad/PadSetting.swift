// SPDX-License-Identifier: Apache-2.0
import Capture
import Ink
import Raster
import Record

/// What a pad is made with.
struct PadSetting {
    var messages: MessageTable
    /// That signatures are drawn with.
    var pen: Pen
    /// Of that ink, and of the paper that signatures are drawn on.
    var color: Color
    var paper: Color
    /// What hosts' wishes are applied to.
    var policy: CapturePolicy
    var times = PadTimes()
    /// Shown while nobody signs.
    var idle: PageView
    /// A sketch page is shown instead of that, where it fits.
    var sketch: SketchStyle?
    /// Name and version.
    var program: String
    /// What records call this panel.
    var panel: String?
    /// To begin with.
    var screen: PadScreen
    /// Wall clock, microseconds since 1970-01-01 UTC.
    var now: () -> Int64
    /// That of now, as it is written on pages.
    var date: () -> CaptureHeader.LocalDate
    /// 64 bits that nobody can guess.
    var random: () -> UInt64
}
