// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Configuration
import Geometry
import Glibc
import HostAPI
import Linux
import Pad
import Panel
import Record
import Store
import Touch

/// `inkpanel self-test`: how well a digitizer measures, for records.
struct SelfTestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "self-test", abstract: "Test a touch device, for its records.",
        discussion: """
            Shows six lines, one after the other, to draw along with a ruler. Prints what was measured, with the \
            limits, and adds it to self-tests.jsonl beside the captures: later records have the last test of their \
            device. Without --json, also prints this machine's times for the work of a capture, with their budgets. \
            Exit status 1 if a limit is not kept; the result is kept all the same. It needs exclusive access to \
            screen and touch device: stop the service first. Nothing is written if it is aborted (Ctrl-C, exit status \
            \(CaptureEnding.cancelled)) or times out (\(CaptureEnding.timedOut)), or for a recording.
            """)

    @Option(help: ArgumentHelp(Setting["record.directory"].help(""), valueName: "directory"))
    var store: String?

    @Flag(help: "Print the result as JSON, as in records.")
    var json = false

    @OptionGroup var panel: SetupOptions

    func run() throws {
        let log = Log()
        try reportingErrors(log) {
            let settings = try panel.file.read()
            // Fails before the person starts to draw.
            var tests = try DigitizerTestLog(store: store ?? settings.record.directory)
            try OutputFile.check(tests.path, option: "--store")
            if let warning = tests.warning { log.warning(warning) }
            var mapping: PanelMapping?
            var isRecording = false
            var measure: (() throws -> MachineTimes)?
            let (result, device) = try panel.carryOut(settings, log) { input, screen in
                guard
                    let found = PanelMapping(
                        input.description, panel: screen.panelSize, rotation: screen.rotation,
                        calibration: settings.touch.calibration ?? input.calibration ?? .identity)
                else { throw CommandError.unusableInput("\(input.name) has no axes to map to the screen") }
                (mapping, isRecording) = (found, input.path == nil)
                let task = LineTask(mapping: found, density: screen.density)
                measure = { try MachineTimes(page: task.page, size: screen.size, density: screen.density) }
                return task
            }
            if let mapping, !isRecording, let device = CaptureDevice(device, mapping: mapping) {
                try tests.add(result, of: device)
                log.notice("\(tests.path) is written; records name the test from the next start of inkpanel run")
            }
            // Without them, for example without fonts, the result is as good.
            let times = json ? nil : try? measure?()
            try OutputFile.print(
                json ? JSONText.encode(result) : text(of: result, device.name, times: times?.rows ?? []))
            if !result.passed { throw ExitCode(1) }
        }
    }

    private func text(of test: DigitizerTest, _ device: String, times: [MachineTimes.Row]) -> String {
        var rows = [
            ("device", device), ("date", TimestampText.second(microseconds: test.at)),
            ("result", test.passed ? "passed" : "failed"),
        ]
        rows += test.measures.map { ($0.name, "\($0.value) (\($0.limit))" + ($0.isKept ? "" : " - not kept")) }
        rows += times.map { ($0.name, $0.text) }
        let width = rows.reduce(0) { max($0, $1.0.count) } + 2
        return rows.map { $0 + String(repeating: " ", count: width - $0.count) + $1.printable + "\n" }.joined()
    }
}
