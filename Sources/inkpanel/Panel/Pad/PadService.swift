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
    private var server: ControlServer?

    /// - Parameters:
    ///   - screen: as hosts are told of it.
    ///   - devices: as records describe them.
    ///   - deviceNames: as hosts are told of them.
    init(
        _ plan: PadPlan, screen: PanelStatus.Screen, devices: [CaptureDevice], deviceNames: [String],
        render: RenderLink, log: Log
    ) throws {
        let recordLink = try RecordLink()
        let controller = PadController(
            PadSetting(
                messages: plan.messages, policy: plan.policy, times: plan.times, idle: plan.idle,
                program: Inkpanel.program, screen: screen, devices: devices, now: { WallClock.microseconds },
                date: { plan.dateFormat.today }, random: { UInt64.random(in: .min ... .max) }),
            devices: deviceNames)
        let controlLink = try plan.control.map { _ in try ControlLink() }
        desk = try PadDesk(controller, render: render, record: recordLink, control: controlLink, observer: plan.observer)
        self.recordLink = recordLink
        recordThread = try RecordThread(
            RecordKeeper(store: plan.records, retention: plan.retention, log: log), link: recordLink)
        guard let control = plan.control, let controlLink else { return }
        do throws(Errno) {
            server = try ControlServer(
                socket: control.socket, link: controlLink, access: control.access, store: plan.records,
                info: ServiceInfo(version: Inkpanel.version), captions: control.captions, log: log)
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
