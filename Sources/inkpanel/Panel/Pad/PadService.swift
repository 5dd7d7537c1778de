// SPDX-License-Identifier: Apache-2.0
import Capture
import Control
import Geometry
import Linux
import Record
import Touch

/// The threads that the pad needs besides main and render, and the desk on the main thread that they report to.
final class PadService {
    let desk: PadDesk
    private let recordLink: RecordLink
    private var recordThread: RecordThread?

    /// - Parameters:
    ///   - screen: as hosts are told of it.
    ///   - device: as records describe it.
    init(
        _ plan: PadPlan, screen: PanelStatus.Screen, device: CaptureDevice, mapping: PanelMapping, deviceName: String,
        render: RenderLink
    ) throws {
        let recordLink = try RecordLink()
        let transform = mapping.transform
        let controller = PadController(
            PadSetting(
                messages: plan.messages, policy: plan.policy, times: plan.times, idle: plan.firstPage,
                program: Inkpanel.program, screen: screen, device: device,
                recordScreen: CaptureScreen(
                    width: screen.size.width, height: screen.size.height,
                    pixelsPerMillimetre: screen.density.pixelsPerMillimetre,
                    transform: [
                        transform.a, transform.c, transform.b, transform.d, transform.tx, transform.ty,
                    ], signingArea: []),
                now: { WallClock.microseconds }, date: { WallClock.localText(plan.datePattern) },
                random: { UInt64.random(in: .min ... .max) }),
            devices: [deviceName])
        let desk = try PadDesk(controller, render: render, record: recordLink, control: nil)
        let recordThread = try RecordThread(plan.records, link: recordLink)
        self.recordLink = recordLink
        self.desk = desk
        self.recordThread = consume recordThread
    }

    /// Waits until everything that was told is on the medium.
    func stop() {
        recordLink.finish()
        recordThread.take()?.join()
    }
}

extension PadPlan {
    /// Shown while nobody signs.
    var firstPage: PageView { idle ?? .words(messages[.idle]) }
}
