// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Demonstration
import Geometry
import Glibc
import Linux
import Raster
import Record
import Screen
import Touch

/// `inkpanel demo`: what the panel does, to be seen on a machine without one.
struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Play a real recording into a picture, at its own pace.",
        discussion: """
            A pen recording that is part of the program goes through the same touch, ink, raster and screen code as \
            on a panel, into a display in memory. The picture is written as PNG and SVG.
            """)

    @Option(help: ArgumentHelp("Where the pictures go: NAME.png and NAME.svg.", valueName: "name"))
    var output = "inkpanel-demo"

    @Option(help: ArgumentHelp("The display in memory.", valueName: "WxH"))
    var size = PixelSize(width: 1280, height: 720)

    @OptionGroup var pen: PenOption
    @OptionGroup var picture: PictureOptions

    func validate() throws { try picture.validate(for: [pen.pen]) }

    func run() throws {
        let log = Log()
        try reportingErrors(log) {
            try OutputFile.check(output + ".png")
            try OutputFile.check(output + ".svg")
            let recording = try Recording.demonstration()
            let playback = HeadlessPlayback(
                size: size, look: picture.look(pen: pen.pen), pace: .recorded, keepsStrokes: true, log: log)
            let outcome = try playback.run(recording, name: "demo.events")
            defer { outcome.display.close() }
            let drawing = Drawing(
                size: size, background: picture.background, color: picture.color, strokes: outcome.rendering.strokes)
            try OutputFile.write(try PNGEncoder.encode(outcome.pixels), to: output + ".png")
            try OutputFile.write(SVGEncoder.encode(drawing), to: output + ".svg")
            let rendering = outcome.rendering
            print(
                "\(rendering.strokeCount) strokes, \(rendering.sampleCount) reports of a real pen, drawn in "
                    + "\(output).png and \(output).svg")
            print("report to pixels: \(rendering.latency.summary)")
        }
    }
}

extension Recording {
    /// The recording that is part of the program; see Sources/Demonstration/README.md for where it comes from.
    static func demonstration() throws(RecordingError) -> Recording {
        try Recording(bytes: Demonstration.recording, name: "demo.events")
    }
}
