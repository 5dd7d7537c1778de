// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Geometry
import Glibc
import Ink
import Linux
import Synchronization
import Touch

/// `inkpanel-bench latency`: the time from a report to the scan-out of the frame that shows it, through the whole panel
/// with its threads, on a display in memory that flips like a panel.
struct LatencyBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "latency", abstract: "Measure the time from a report to the screen, on a display in memory.")

    @Option(help: ArgumentHelp("Display in memory.", valueName: "WxH"))
    var size = PixelSize(width: 1920, height: 1080)

    @Option(help: ArgumentHelp("Refresh rate of the display, 1 to 1000.", valueName: "hertz"))
    var refresh = 60.0

    @Option(help: ArgumentHelp("Reports a second, 1 to 1000.", valueName: "hertz"))
    var reports = 200.0

    @Option(help: ArgumentHelp("Duration of the writing, 1 to 600.", valueName: "seconds"))
    var seconds = 20

    @Flag(help: "Write new ink into the frame that is on screen, as with latency = \"front\".")
    var front = false

    @Option(help: ArgumentHelp("Threads that compute beside the panel all the time, 0 to 64.", valueName: "number"))
    var busy = 0

    @Option(
        help: ArgumentHelp(
            "Program to measure (default: inkpanel in the folder of inkpanel-bench).", valueName: "path"))
    var inkpanel: String?

    func validate() throws {
        if !(1...1000 ~= refresh) { throw ValidationError("--refresh is 1 to 1000") }
        if !(1...1000 ~= reports) { throw ValidationError("--reports is 1 to 1000") }
        if !(1...600 ~= seconds) { throw ValidationError("--seconds is 1 to 600") }
        if !(0...64 ~= busy) { throw ValidationError("--busy is 0 to 64") }
    }

    func run() throws {
        try reportingErrors {
            let folder: TemporaryFolder
            do throws(Errno) { folder = try TemporaryFolder(prefix: "inkpanel-bench") } catch {
                throw BenchError.cannotWrite(TemporaryFolder.parent, error, option: "TMPDIR")
            }
            let file = folder.path + "/writing.events"
            let text = WritingRecording(hertz: reports, seconds: seconds).text
            try writeFile(Array(text.utf8), to: file, option: "TMPDIR")
            let child = try ChildPanel(
                ChildPanel.program(inkpanel),
                [
                    "replay", file, "--display", "headless:\(size)", "--refresh", "\(refresh)",
                    "--latency", front ? "front" : "flip",
                ])
            let loops = try BusyLoops(count: busy)
            var figures: [String: String] = [:]
            var last = ""
            while let line = try child.nextLine() {
                last = line
                for name in Self.names { if let found = line.figures(after: name + " ") { figures[name] = found } }
            }
            let busyShare = loops.end()
            guard child.wait() == 0 else { throw BenchError("inkpanel replay failed: \(last)", status: EX_SOFTWARE) }
            for name in Self.names where name != "report to front buffer" || front {
                let padding = String(repeating: " ", count: max(1, 28 - name.count))
                try printResult(name + padding + (figures[name] ?? "not measured") + "\n")
            }
            if let busyShare {
                let percent = Int((busyShare * 100).rounded())
                try printResult("busy threads                \(busy), \(percent) % of a processor each\n")
            }
        }
    }

    /// Names of figures in the program's log.
    private static let names = [
        "report to pixels", "report to screen", "report to front buffer", "samples", "flips", "render thread:",
    ]
}

/// Threads that compute all the time, as other programs on a board do.
private final class BusyLoops: Sendable {
    private let isEnding = Atomic(false)
    /// The shares of a processor that threads had which have ended.
    private let shares = Mutex<[Double]>([])
    private let count: Int

    init(count: Int) throws {
        self.count = count
        for _ in 0..<count { _ = try Linux.Thread(name: "busy") { self.compute() } }
    }

    private func compute() {
        let start = MonotonicClock.now
        while !isEnding.load(ordering: .relaxed) {}
        let share = Double(Linux.Thread.processorNanoseconds) / 1e9 / (MonotonicClock.now - start).seconds
        shares.withLock { $0.append(share) }
    }

    /// Ends the threads.
    /// - Returns: the mean share of a processor that they had, 0...1; nil without threads.
    func end() -> Double? {
        isEnding.store(true, ordering: .relaxed)
        while shares.withLock({ $0.count }) < count { usleep(1000) }
        return count == 0 ? nil : shares.withLock { $0.reduce(0, +) } / Double(count)
    }
}

/// A recording of handwriting (``GeneratedWriting``) in words that take nine tenths of a second each, with a tenth of a
/// second between them.
struct WritingRecording {
    /// Reports a second.
    var hertz: Double
    var seconds: Int

    /// The clock of a device drifts against that of a screen, so that reports come at all times between two vblanks.
    /// A typical quartz is off by up to 50 ppm; ten times as much spreads the reports evenly within 20 seconds.
    private static let drift = 1.0005

    var text: String {
        let side = Int(GeneratedWriting.page.width)
        var text = """
            N: \(hertz) reports a second
            P: 02 00 00 00 00 00 00 00
            A: 2f 0 9 0 0
            A: 35 0 \(side * 16 - 1) 0 0
            A: 36 0 \(side * 16 - 1) 0 0
            A: 39 0 65535 0 0

            """
        let writing = GeneratedWriting(hertz: hertz)
        let count = Int(hertz * Double(seconds))
        let word = max(2, Int(hertz))
        for index in 0..<count {
            let microseconds = Int(Double(index) / hertz * 1e6 * Self.drift)
            let digits = String(microseconds % 1_000_000)
            let fraction = String(repeating: "0", count: 6 - digits.count) + digits
            let time = "\(microseconds / 1_000_000).\(fraction)"
            func add(_ event: String, _ value: Int) { text += "E: \(time) \(event) \(value)\n" }
            let place = index % word
            if place == word * 9 / 10 { add("0003 0039", -1) }
            if place < word * 9 / 10 {
                if place == 0 { add("0003 0039", index / word) }
                let position = writing.sample(index).position
                add("0003 0035", Int(position.x * 16))
                add("0003 0036", Int(position.y * 16))
            }
            add("0000 0000", 0)
        }
        return text
    }
}
