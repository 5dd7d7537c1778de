// SPDX-License-Identifier: Apache-2.0
import Capture
import Configuration
import Linux
import Pages
import Record
import Store

/// How the pad is to be: what its owner chooses.
struct PadPlan {
    var messages: MessageTable
    var theme = PageTheme.light
    /// Shown while nobody signs.
    var idle: PageView
    /// A sketch page instead of that.
    var sketch: SketchPlan?
    var policy: CapturePolicy
    var times = PadTimes()
    var dateFormat = DateFormat.iso8601
    var records: CaptureStore
    /// What records call this panel.
    var panelName: String?
    /// How long records are kept.
    var retention = CaptureRetention()
    /// Nil where no host has a way in.
    var control: ControlPlan?
    /// Held weakly while the pad is there.
    var observer: (any PadObserver)?
}

extension DateFormat {
    /// The date where the machine stands, as it is now.
    /// - Parameter zone: as ``LocalTime/zoneName``.
    func today(zone: String?) -> CaptureHeader.LocalDate {
        let time = LocalTime(microseconds: WallClock.microseconds)
        return CaptureHeader.LocalDate(text: text(time), offsetSeconds: time.offsetSeconds, zone: zone)
    }
}
