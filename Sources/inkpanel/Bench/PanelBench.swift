// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Geometry
import Glibc
import Ink
import Linux
import Raster
import Screen
import Touch

/// `inkpanel bench panel`: the numbers of the README, measured on this machine.
struct PanelBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "panel", abstract: "The whole way of a report, idling, start and size, on a display in memory.")

    @Option(help: ArgumentHelp("The display in memory.", valueName: "WxH"))
    var size = PixelSize(width: 1920, height: 1080)

    @Option(help: ArgumentHelp("How long 1000 reports a second are sent.", valueName: "seconds"))
    var seconds = 60

    private static let startCount = 5
    private static let idleSeconds = 5

    func validate() throws {
        if !(1...600 ~= seconds) { throw ValidationError("--seconds is 1 to 600") }
    }

    func run() throws {
        let log = Log(threshold: .warning)
        try reportingErrors(log) {
            let recording = try Recording.demonstration()
            let starts = try (0..<Self.startCount).map { _ in try startMilliseconds() }.sorted()
            show("start of process to first frame, median of \(starts.count)", "\(starts[starts.count / 2]) ms")
            let idle = try measureIdle()
            show("wakeups a second while idle", "\(Double(idle.switches) / Double(Self.idleSeconds))")
            show("resident memory, \(size)", "\(idle.residentKibibytes / 1024) MiB")
            show("paper and three buffers of that", "\(size.width * size.height * 4 * 4 / (1 << 20)) MiB")

            let real = try play(recording, name: "demo.events", log)
            show("report to back buffer, a real recording", real.latency.summary)
            show("processor time a report, modelled and drawn", real.costOfReport)
            let stress = Recording.stress(seconds: seconds)
            let sent = stress.frames().reduce(0) { $0 + $1.contacts.filter { $0.phase != .ended }.count }
            let full = try play(stress, name: "stress", log)
            show("report to back buffer, 1000 reports/s for \(seconds) s", full.latency.summary)
            show("processor time a report, at that rate", full.costOfReport)
            show("reports played, reports not drawn", "\(sent), \(sent - full.sampleCount)")

            var status = stat()
            if stat("/proc/self/exe", &status) == 0 { show("this program's file", "\(status.st_size / 1024) KiB") }
        }
    }

    private func show(_ name: String, _ value: String) {
        print(name + String(repeating: " ", count: max(1, 52 - name.count)) + value)
    }

    private func play(_ recording: Recording, name: String, _ log: Log) throws -> RenderThread.Result {
        let playback = HeadlessPlayback(size: size, look: Look(), pace: .recorded, log: log)
        let outcome = try playback.run(recording, name: name)
        outcome.display.close()
        return outcome.rendering
    }

    /// A panel of its own process on a recording of a moment, which then idles.
    private func startChild() throws -> ChildPanel {
        let folder = try TemporaryFolder(for: "bench")
        let path = folder.path + "/tap.events"
        try AtomicFile.write(Array(Self.tap.utf8), to: path)
        let child = try ChildPanel(
            arguments: [
                "run", "--touch", "replay:" + path, "--display", "headless:\(size)",
                "--store", folder.path + "/records", "--socket", folder.path + "/panel.sock",
            ], in: folder)
        if let complaint = try child.waitUntilReady() {
            throw CommandError(message: "the panel under measurement ended early: \(complaint)", status: EX_SOFTWARE)
        }
        return child
    }

    private func startMilliseconds() throws -> Int64 {
        let started = MonotonicClock.microseconds
        let child = try startChild()
        let elapsed = MonotonicClock.microseconds - started
        _ = consume child
        return elapsed / 1000
    }

    private func measureIdle() throws -> (switches: Int, residentKibibytes: Int) {
        let child = try startChild()
        // The recording is over within milliseconds; a second more lets everything settle.
        sleep(1)
        let before = child.contextSwitches()
        sleep(UInt32(Self.idleSeconds))
        return (child.contextSwitches() - before, child.residentKibibytes())
    }

    /// One tap in the middle of a touchscreen.
    private static let tap = """
        N: tap
        P: 02 00 00 00 00 00 00 00
        A: 2f 0 4 0 0
        A: 35 0 1000 0 0
        A: 36 0 1000 0 0
        A: 39 0 65535 0 0
        E: 0.000000 0003 0039 1
        E: 0.000000 0003 0035 500
        E: 0.000000 0003 0036 500
        E: 0.000000 0000 0000 0
        E: 0.010000 0003 0039 -1
        E: 0.010000 0000 0000 0

        """
}

extension RenderThread.Result {
    /// Mean processor time of the render thread for one report, in microseconds.
    fileprivate var costOfReport: String {
        sampleCount == 0 ? "not measured" : "\(processorNanoseconds / 1000 / Int64(sampleCount)) us"
    }
}
