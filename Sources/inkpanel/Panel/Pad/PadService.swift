// SPDX-License-Identifier: Apache-2.0
import Capture
import Control
import Geometry
import Ink
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
    ///   - pen: that signatures are drawn with.
    ///   - screen: as hosts are told of it.
    ///   - statedDensity: nil where nobody says how large the screen is.
    ///   - devices: as records describe them.
    ///   - deviceNames: as hosts are told of them.
    init(
        _ plan: PadPlan, pen: Pen, screen: PanelStatus.Screen, statedDensity: PixelDensity?, devices: [CaptureDevice],
        deviceNames: [String],
        render: RenderLink, log: Log
    ) throws {
        let recordLink = try RecordLink()
        let sketch = try plan.sketch.map { try Self.sketch($0, plan, screen, statedDensity) }
        first = sketch?.view ?? plan.idle
        let controller = PadController(
            PadSetting(
                messages: plan.messages, pen: pen, policy: plan.policy, times: plan.times, idle: plan.idle,
                sketch: sketch,
                program: Inkpanel.program, screen: screen, devices: devices, now: { WallClock.microseconds },
                date: { plan.dateFormat.today }, random: { UInt64.random(in: .min ... .max) }),
            devices: deviceNames)
        let controlLink = try plan.control.map { _ in try ControlLink() }
        desk = try PadDesk(
            controller, render: render, record: recordLink, control: controlLink, observer: plan.observer)
        self.recordLink = recordLink
        recordThread = try RecordThread(
            RecordKeeper(
                store: plan.records, retention: plan.retention,
                sketch: plan.sketch.flatMap { chosen in
                    sketch.map {
                        // In the density that ink is drawn with, which is not that of a page laid out for a screen of
                        // unknown size.
                        SketchKeeper(
                            page: SketchPage(size: $0.layout.pad.page.size, density: screen.density),
                            folder: chosen.folder, background: plan.theme.paper)
                    }
                }, log: log), link: recordLink)
        guard let control = plan.control, let controlLink else { return }
        do throws(Errno) {
            server = try ControlServer(
                socket: control.socket, link: controlLink, access: control.access, store: plan.records,
                info: ServiceInfo(version: Inkpanel.version),
                captions: RecordCaptions(messages: plan.messages, dateFormat: plan.dateFormat), log: log)
        } catch {
            stop()
            throw error
        }
    }

    private static func sketch(
        _ chosen: SketchPlan, _ plan: PadPlan, _ screen: PanelStatus.Screen, _ density: PixelDensity?
    ) throws(CommandError) -> PadSketch {
        guard
            let layout = SketchLayout(
                size: screen.size, density: density, direction: plan.messages.direction, tools: chosen.tools)
        else { throw .unusableInput("the sketch page does not fit on a screen of \(screen.size) pixels") }
        return PadSketch(layout: layout, tools: chosen.tools, clearsOnDoubleTap: chosen.clearsOnDoubleTap)
    }

    /// Waits until everything that was told is on the medium, and hosts have been told as far as they listen.
    func stop() {
        recordLink.finish()
        recordThread.take()?.join()
        server.take()?.stop()
    }
}
