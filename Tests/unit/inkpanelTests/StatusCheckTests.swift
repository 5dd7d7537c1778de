// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import Linux
import TestSupport
import Testing

@testable import inkpanel

@Suite("Whether all is well with a panel")
struct StatusCheckTests {
    /// 2026-11-20 12:00:00 UTC.
    private static let now: Int64 = 1_795_176_000
    private static let key = PanelStatus.Seals(key: "k", head: nil, faults: [])

    private static var status: PanelStatus {
        var status = PanelStatus(
            program: Inkpanel.program, page: .idle, touchDevices: ["touch"],
            screen: .init(name: "DSI-1", size: PixelSize(width: 800, height: 480), pixelsPerMillimetre: 5),
            store: .init(fault: nil))
        status.store.freeBytes = 1 << 30
        status.store.seals = key
        return status
    }

    /// The lines of a panel with changes.
    private func lines(
        _ change: (inout PanelStatus, inout PanelHealth) -> Void = { _, _ in }
    ) throws -> StatusCheck {
        var status = Self.status
        var health = PanelHealth(status)
        health.clock = .init(synchronized: true, maximumError: 12_000)
        health.display.pictureFits = true
        change(&status, &health)
        let directory = try TemporaryDirectory()
        var check = StatusCheck(StatusFiles(root: directory.path), now: Self.now)
        check.checkPanel(status, health)
        return check
    }

    @Test("a panel without faults is well")
    func well() throws {
        let check = try lines()
        #expect(check.isWell && Set(check.lines.map(\.verdict.rawValue)) == ["ok", "-"])
        #expect(check.lines.contains(.init(verdict: .ok, name: "clock", text: "synchronized, within 12 ms")))
    }

    @Test("each fault is a line of its own, with what to do")
    func faults() throws {
        typealias Change = (inout PanelStatus, inout PanelHealth) -> Void
        let faults: [(String, String, Change)] = [
            ("panel", "ask again", { status, _ in status.page = .starting }),
            ("screen", "unplugged: inkpanel devices", { status, _ in status.screen.fault = "unplugged" }),
            ("screen", "systemctl restart inkpanel", { _, health in health.display.pictureFits = false }),
            ("touch", "inkpanel devices", { status, _ in status.touchDevices = [] }),
            (
                "store", "is it mounted",
                { status, _ in status.store.fault = "cannot write /s: Read-only file system" }
            ),
            ("store", "maximum-count", { status, _ in status.store.freeBytes = 63 << 20 }),
            ("store", "seal 7 is missing", { status, _ in status.store.seals?.faults = ["seal 7 is missing"] }),
            ("clock", "timedatectl", { _, health in health.clock.synchronized = false }),
            ("clock", "timedatectl", { _, health in health.clock.maximumError = 2_000_000 }),
            (
                "delivery", "systemctl start inkpanel-deliver",
                { status, _ in
                    status.store.delivery = .init(waiting: 2, oldest: (Self.now - 90_000) * 1_000_000, fault: nil)
                }
            ),
            ("version", "is installed: systemctl restart", { status, _ in status.program = "inkpanel 0.0.9" }),
        ]
        for (name, remedy, change) in faults {
            let wrong = try lines(change).lines.filter { $0.verdict == .wrong }
            #expect(wrong.count == 1 && wrong[0].name == name, "\(wrong)")
            #expect(wrong.first?.text.contains(remedy) == true, "\(wrong)")
        }
    }

    @Test("all faults together are all named")
    func together() throws {
        let check = try lines { status, health in
            status.screen.fault = "unplugged"
            status.touchDevices = []
            health.clock.synchronized = false
        }
        #expect(!check.isWell)
        #expect(check.lines.filter { $0.verdict == .wrong }.map(\.name) == ["screen", "touch", "clock"])
    }

    @Test("of rclone's log, the last error counts")
    func rclone() {
        let log = """
            2026/11/28 21:05:45 ERROR : a.seal: Failed to copy: first
            2026/11/28 21:05:46 ERROR : b.seal: Failed to copy: AccessDenied
            2026/11/28 21:05:47 NOTICE: nothing
            """
        #expect(StatusFiles.lastError(in: log)?.hasSuffix("AccessDenied") == true)
        #expect(StatusFiles.lastError(in: "2026/11/28 21:05:47 NOTICE: nothing\n") == nil)
    }
}
