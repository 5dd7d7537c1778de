// SPDX-License-Identifier: Apache-2.0
public import ArgumentParser
public import Geometry
import Glibc
import Linux
import Raster
import Touch

/// `inkpanel-bench panel`: latency, cost, idle wakeups, start and size of the program, run with a display in memory.
struct PanelBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "panel", abstract: "Measure latency, idling, start and size of inkpanel on a display in memory.")

    @Option(help: ArgumentHelp("Display in memory.", valueName: "WxH"))
    var size = PixelSize(width: 1920, height: 1080)

    @Option(help: ArgumentHelp("Duration of 1000 reports a second, 1 to 600.", valueName: "seconds"))
    var seconds = 60

    @Option(
        help: ArgumentHelp(
            "Program to measure (default: inkpanel in the folder of inkpanel-bench).", valueName: "path"))
    var inkpanel: String?

    private static let startCount = 5
    private static let idleSeconds = 5

    func validate() throws {
        if !(1...600 ~= seconds) { throw ValidationError("--seconds is 1 to 600") }
    }

    private var program: String { ChildPanel.program(inkpanel) }

    func run() throws {
        try reportingErrors {
            let starts = try (0..<Self.startCount).map { _ in try startMilliseconds() }.sorted()
            show("start of process to first frame, median of \(starts.count)", "\(starts[starts.count / 2]) ms")
            let idle = try measureIdle()
            show("wakeups a second while idle", "\(Double(idle.switches) / Double(Self.idleSeconds))")
            show("resident memory, \(size)", "\(idle.residentKibibytes / 1024) MiB")
            show("page and two buffers of that", "\(size.width * size.height * 4 * 3 / (1 << 20)) MiB")

            let real = try replay(Recording.handwritingPath)
            show("report to back buffer, a real recording", real.latency)
            show("processor time a report, modelled and drawn", real.cost)
            let folder = try temporaryFolder()
            let file = folder.path + "/stress.events"
            let text = StressRecording.text(seconds: seconds)
            try writeFile(Array(text.utf8), to: file, option: "TMPDIR")
            let full = try replay(file)
            show("report to back buffer, 1000 reports/s for \(seconds) s", full.latency)
            show("processor time a report, at that rate", full.cost)
            let sent = StressRecording.reportCount(seconds: seconds)
            show("reports played, reports not drawn", "\(sent), \(sent - full.sampleCount)")

            var status = stat()
            if stat(program, &status) == 0 { show("this program's file", "\(status.st_size / 1024) KiB") }
        }
    }

    private func show(_ name: String, _ value: String) {
        print(name + String(repeating: " ", count: max(1, 52 - name.count)) + value)
    }

    /// Figures of a replay on a display in memory, from the lines that it logs.
    private struct Replay {
        var latency = "not measured"
        var cost = "not measured"
        var sampleCount = 0

        init(_ lines: [String]) {
            for line in lines {
                if let figures = line.figures(after: "report to pixels ") { latency = figures }
                if let range = line.firstRange(of: "render thread: ") {
                    cost = String(line[range.upperBound...].split(separator: " a report")[0])
                }
                if let range = line.firstRange(of: " samples ") {
                    sampleCount = Int(line[range.upperBound...].prefix { $0.isNumber }) ?? 0
                }
            }
        }
    }

    private func replay(_ path: String) throws -> Replay {
        let child = try ChildPanel(program, ["replay", path, "--display", "headless:\(size)"])
        var lines: [String] = []
        while let line = try child.nextLine() { lines.append(line) }
        guard child.wait() == 0 else {
            throw BenchError("inkpanel replay failed: \(lines.last ?? "")", status: EX_SOFTWARE)
        }
        return Replay(lines)
    }

    /// Starts a panel on a recording of one tap, and waits for its first frame.
    private func startPanel(in folder: TemporaryFolder) throws -> ChildPanel {
        let path = folder.path + "/tap.events"
        try writeFile(Array(Self.tap.utf8), to: path, option: "TMPDIR")
        let child = try ChildPanel(
            program,
            [
                "run", "--touch", "replay:" + path, "--display", "headless:\(size)",
                "--store", folder.path + "/records", "--socket", folder.path + "/panel.sock",
            ])
        var last = ""
        while let line = try child.nextLine() {
            if line.split(separator: " ").contains(where: { $0.hasSuffix("ready:") }) { return child }
            last = line
        }
        throw BenchError("the panel ended early: \(last)", status: EX_SOFTWARE)
    }

    private func temporaryFolder() throws -> TemporaryFolder {
        do throws(Errno) { return try TemporaryFolder(prefix: "inkpanel-bench") } catch {
            throw BenchError.cannotWrite(TemporaryFolder.parent, error, option: "TMPDIR")
        }
    }

    private func startMilliseconds() throws -> Int64 {
        let folder = try temporaryFolder()
        let started = MonotonicClock.now
        let child = try startPanel(in: folder)
        let elapsed = MonotonicClock.now - started
        child.stop()
        return elapsed.microseconds / 1000
    }

    private func measureIdle() throws -> (switches: Int, residentKibibytes: Int) {
        let folder = try temporaryFolder()
        let child = try startPanel(in: folder)
        defer { child.stop() }
        // The recording ends within milliseconds.
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

extension String {
    /// The part of a log line after `name`, up to a comma.
    func figures(after name: String) -> String? {
        firstRange(of: name).map { String(self[$0.upperBound...].prefix { $0 != "," }) }
    }
}

/// A recording of a finger that never rests: 1000 reports a second on a panel of 4096 x 4096 units, in wide loops over
/// the whole page, lifted for 10 ms once a second.
enum StressRecording {
    static func text(seconds: Int) -> String {
        var text = """
            N: 1000 reports a second
            P: 02 00 00 00 00 00 00 00
            A: 2f 0 9 0 0
            A: 35 0 4095 0 0
            A: 36 0 4095 0 0
            A: 39 0 65535 0 0

            """
        for millisecond in 0..<seconds * 1000 {
            let thousandths = String(millisecond % 1000)
            let time = "\(millisecond / 1000)." + String(repeating: "0", count: 3 - thousandths.count) + thousandths
            func add(_ event: String, _ value: Int) { text += "E: \(time)000 \(event) \(value)\n" }
            let phase = millisecond % 1000
            if phase == 990 { add("0003 0039", -1) }
            if phase < 990 {
                if phase == 0 { add("0003 0039", millisecond / 1000) }
                // Two triangle waves whose periods share no factor cover the page before they repeat.
                add("0003 0035", triangle(millisecond, period: 1613))
                add("0003 0036", triangle(millisecond, period: 1021))
            }
            add("0000 0000", 0)
        }
        return text
    }

    /// Number of reports with a finger on the panel.
    static func reportCount(seconds: Int) -> Int { seconds * 990 }

    private static func triangle(_ time: Int, period: Int) -> Int {
        let phase = time % period * 2
        return (phase < period ? phase : 2 * period - phase) * 4095 / period
    }
}

/// An `inkpanel` process whose standard error is read.
final class ChildPanel {
    /// The program to measure: as named, or `inkpanel` in the folder of this program.
    static func program(_ named: String?) -> String {
        if let named { return named }
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &bytes, bytes.count)
        let own = String(decoding: bytes.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return own.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/inkpanel"
    }

    private let pid: pid_t
    private let output: FileDescriptor
    private var received: [UInt8] = []
    private var isRunning = true

    init(_ program: String, _ arguments: [String]) throws {
        var ends: [CInt] = [0, 0]
        try retryingOnInterrupt { pipe(&ends) }
        let readEnd = FileDescriptor(owning: ends[0])
        let writeEnd = FileDescriptor(owning: ends[1])
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, writeEnd.number, STDERR_FILENO)
        posix_spawn_file_actions_addclose(&actions, readEnd.number)
        var argv: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
        defer { for argument in argv { free(argument) } }
        argv.append(nil)
        var pid = pid_t()
        let error = posix_spawn(&pid, program, &actions, nil, argv, environ)
        guard error == 0 else {
            throw BenchError(
                "cannot run \(program): \(Errno(code: error)); name it with --inkpanel", status: EX_NOINPUT)
        }
        self.pid = pid
        output = readEnd
    }

    deinit { stop() }

    /// Waits for the next line of standard error; nil at its end.
    func nextLine() throws -> String? {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                defer { received.removeSubrange(...end) }
                return String(decoding: received[..<end], as: UTF8.self)
            }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = try retryingOnInterrupt { read(output.number, &bytes, bytes.count) }
            if count == 0 { return nil }
            received += bytes[..<count]
        }
    }

    /// Waits for the end of the process.
    /// - Returns: its exit status, or -1 after a signal.
    func wait() -> Int32 {
        guard isRunning else { return -1 }
        isRunning = false
        var status: CInt = 0
        waitpid(pid, &status, 0)
        return status & 0x7F == 0 ? status >> 8 & 0xFF : -1
    }

    /// Ends the process.
    func stop() {
        guard isRunning else { return }
        kill(pid, SIGTERM)
        _ = wait()
    }

    /// Number of times that its threads were switched in or out: each is a wakeup.
    func contextSwitches() -> Int {
        var sum = 0
        for thread in (try? Directory.names(of: "/proc/\(pid)/task")) ?? [] {
            let status = "/proc/\(pid)/task/\(thread)/status"
            sum += Self.value(of: "voluntary_ctxt_switches", in: status) ?? 0
            sum += Self.value(of: "nonvoluntary_ctxt_switches", in: status) ?? 0
        }
        return sum
    }

    func residentKibibytes() -> Int { Self.value(of: "VmRSS", in: "/proc/\(pid)/status") ?? 0 }

    private static func value(of key: String, in path: String) -> Int? {
        guard let bytes = try? InputFile.read(path, maximumByteCount: 1 << 16) else { return nil }
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") where line.hasPrefix(key + ":") {
            return line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }
        }
        return nil
    }
}

extension PixelSize: ExpressibleByArgument {
    public init?(argument: String) {
        guard let size = PixelSize(argument), size.isDrawable else { return nil }
        self = size
    }
}
