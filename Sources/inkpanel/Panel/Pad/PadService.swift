// SPDX-License-Identifier: Apache-2.0
import Capture
import Control
import Geometry
import Linux
import Pages
import Record
import Touch

/// The threads that the pad needs besides main and render, and the desk on the main thread that they report to.
final class PadService {
    let desk: PadDesk
    /// The page to begin with.
    let first: PageView
    private let recordLink: RecordLink
    private var recordThread: RecordThread?
    private var server: ControlServer?

    /// - Parameters:
    ///   - look: that signatures are drawn with.
    ///   - screen: to begin with.
    init(_ plan: PadPlan, look: Look, screen: PadScreen, render: RenderLink, log: Log) throws {
        let recordLink = try RecordLink()
        let zone = LocalTime.zoneName
        let controller = PadController(
            PadSetting(
                messages: plan.messages, pen: look.pen, color: look.color,
                paper: look.background, policy: plan.policy, times: plan.times, idle: plan.idle,
                sketch: plan.sketch.map {
                    SketchStyle(
                        tools: $0.tools, clearsOnDoubleTap: $0.clearsOnDoubleTap, direction: plan.messages.direction)
                },
                program: Inkpanel.program, panel: plan.panelName, screen: screen, now: { WallClock.microseconds },
                date: { plan.dateFormat.today(zone: zone) }, random: { UInt64.random(in: .min ... .max) }))
        if plan.sketch != nil, controller.sketch == nil {
            log.warning("the sketch page does not fit on a screen of \(screen.status.size) pixels; idle instead")
        }
        first = controller.sketch?.view ?? plan.idle
        let controlLink = try plan.control.map { _ in try ControlLink() }
        desk = try PadDesk(
            controller, render: render, record: recordLink, control: controlLink, observer: plan.observer)
        self.recordLink = recordLink
        recordThread = try RecordThread(
            RecordKeeper(
                store: plan.records, retention: plan.retention,
                sketch: plan.sketch.map {
                    SketchKeeper(page: controller.sketch?.page, folder: $0.folder, background: plan.theme.paper)
                }, log: log), link: recordLink)
        guard let control = plan.control, let controlLink else { return }
        do throws(Errno) {
            server = try ControlServer(
                socket: control.socket, link: controlLink, access: control.access, store: plan.records,
                info: ServiceInfo(version: Inkpanel.version),
                captions: RecordCaptions(messages: plan.messages), log: log)
        } catch {
            stop()
            throw error
        }
    }

    /// Waits until everything that was told is on the medium, and hosts have been told as far as they listen.
    func stop() {
        recordLink.finish()
        recordThread.take()?.join()
        server.take()?.stop()
    }
}
