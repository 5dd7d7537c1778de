// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Configuration
import Formats
import Geometry
import Glibc
import Linux
import Record
import Screen
import Touch

/// `inkpanel replay`: a recording through the whole panel, to a screen or to a picture.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Play an evemu recording as if its device were here.",
        discussion: """
            The device's description is in the recording or in a .desc or .device file beside it. On a KMS display the \
            picture stays until SIGINT or SIGTERM; without one, replay ends with the recording.
            """)

    @Argument(help: "A recording made by evemu-record.")
    var recording: String

    @Flag(help: "All at once instead of at the pace of the recording.")
    var fast = false

    @Option(help: ArgumentHelp("kms, kms:CONNECTOR, fb, fb:PATH or headless:WxH.", valueName: "display"))
    var display = DisplayChoice.headless(PixelSize(width: 1280, height: 800))

    @Option(help: ArgumentHelp("Write what a headless display shows at the end as PNG.", valueName: "file"))
    var output: String?

    @OptionGroup var screen: ScreenOptions
    @OptionGroup var pen: PenOption
    @OptionGroup var picture: PictureOptions

    func validate() throws {
        try picture.validate(for: [pen.pen])
        if let output { try OutputFile.checkSuffix(of: output, among: ["png"], hasFormat: false) }
        if output != nil, !display.isInMemory {
            throw ValidationError("--output needs a headless display: the pixels of a screen are not read back")
        }
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
                let playback = HeadlessPlayback(size: size, look: look, pace: pace, log: log)
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
                session.waitsForDisplay = false
                try session.runToSignal(sources: [], inputs: [input], display: display)
            }
        }
    }
}
