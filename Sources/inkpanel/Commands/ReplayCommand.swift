// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Configuration
import Geometry
import Glibc
import Linux
import PNG
import Panel
import Record
import Screen
import Touch

/// `inkpanel replay`: plays a recording through the whole panel, to a screen or to a picture.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Play an evemu recording in place of a touch device.",
        discussion: """
            The description of the device is in the recording or in a .desc or .device file beside it. On a screen the \
            picture stays until SIGINT or SIGTERM; on a headless display replay ends with the recording.
            """)

    @Argument(help: "Recording made by evemu-record.")
    var recording: String

    @Flag(help: "Play everything at once instead of at the pace of the recording.")
    var fast = false

    @Option(help: ArgumentHelp("Display: \(Setting["display.output"].values).", valueName: "display"))
    var display = DisplayChoice.headless(PixelSize(width: 1280, height: 800))

    @Option(help: ArgumentHelp("PNG file for the final picture of a headless display.", valueName: "file"))
    var output: String?

    @Option(
        help: ArgumentHelp(
            "Refresh rate of a headless display, 1 to 1000 Hz; without it, frames are shown at once.",
            valueName: "hertz"))
    var refresh: Double?

    @OptionGroup var screen: ScreenOptions
    @OptionGroup var pen: PenOption
    @OptionGroup var picture: PictureOptions

    func validate() throws {
        try picture.validate(for: [pen.pen])
        if let output { try OutputFile.checkSuffix(of: output, among: ["png"], hasFormat: false) }
        if output != nil, !display.isInMemory {
            throw ValidationError("--output needs a headless display")
        }
        guard let refresh else { return }
        if !(1...1000 ~= refresh) { throw ValidationError("--refresh is 1 to 1000 Hz") }
        if !display.isInMemory { throw ValidationError("--refresh needs a headless display") }
    }

    func run() throws {
        let log = Log()
        try reportingErrors(log) {
            if let output { try OutputFile.check(output) }
            let recorded = try Recording(path: recording)
            let look = picture.look(pen: pen.pen, rotation: screen.rotate)
            let pace: RecordingPlayer.Pace = fast ? .immediate : .recorded
            switch display {
            case .headless(let size):
                var playback = HeadlessPlayback(size: size, look: look, pace: pace, log: log)
                if let refresh { playback.refresh = .hertz(refresh) }
                playback.predicts = screen.predicts
                playback.latency = screen.latency ?? .flip
                let outcome = try playback.run(recorded, name: recording)
                defer { outcome.display.close() }
                if let output { try OutputFile.write(try PNGEncoder.encode(outcome.pixels), to: output) }
                let result = outcome.rendering
                log.notice(outcome.summary.line(result))
                if result.sampleCount > 0 {
                    let cost = result.processorNanoseconds / 1000 / Int64(result.sampleCount)
                    log.notice("render thread: \(cost) us a report")
                }
            case .kms, .framebuffer:
                try SignalSet.block(SignalSet.ending + PanelConsole.signals)
                let input = try RecordingInput(recorded, name: recording, pace: pace)
                var session = PanelSession(look: look, log: log)
                session.predicts = screen.predicts
                session.latency = screen.latency ?? .flip
                session.waitsForDisplay = false
                try session.runToSignal(sources: [], inputs: [input], display: display)
            }
        }
    }
}
