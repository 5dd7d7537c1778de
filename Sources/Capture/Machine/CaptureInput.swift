// SPDX-License-Identifier: Apache-2.0
public import Touch

/// What the machine is told.
public enum CaptureInput: Equatable, Sendable {
    case request(CaptureOrder)
    case command(HostCommand)
    /// What a contact did. `contact` names it as long as it lasts; nil where one only is ever told of.
    case touch(TouchEvent, contact: Int32?)
    /// Where a pen hovers: above any part of the page, and with no meaning but to be recorded. `device` is the device's
    /// number, `microseconds` the time of its report.
    case hover(PenHover, device: Int, microseconds: Int64)
    /// The contact that uses the page is nobody's any more, as its device or the screen goes: ink that it draws stays,
    /// and a button that it presses is not pressed any more, but not chosen either.
    case letGo
    /// Nothing but time has passed.
    case time
    /// The record of an accepted capture is on the disk and stays there.
    case recordDurable(RequestID)
    /// The writer cannot go on with that record; the reason is for people who look after the panel.
    case recordFailed(RequestID, reason: String)
}
