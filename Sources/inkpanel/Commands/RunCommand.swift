// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Geometry
import Glibc
import Linux
import Screen

/// `inkpanel run`: the kiosk program.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Draw what is written on the touch panel.",
        discussion: """
            Runs until SIGTERM or SIGINT and leaves console, CRTC and buffers as they were. It needs /dev/input and \
            /dev/dri, that is: a user in the groups input and video, or root.
            """)

    @Option(help: ArgumentHelp(
        "A device's path, or replay:FILE for a recording; may be repeated. By default the best touch device and the "
            + "pen of its screen.",
        valueName: "path"))
    var touch: [TouchChoice] = []

    @Option(help: ArgumentHelp("kms, kms:CONNECTOR or headless:WxH.", valueName: "display"))
    var display = DisplayChoice.kms(connector: nil)

    @OptionGroup var screen: ScreenOptions
    @OptionGroup var pen: PenOption
    @OptionGroup var picture: PictureOptions

    func validate() throws { try picture.validate(for: [pen.pen]) }

    func run() throws {
        let log = Log()
        try reportingErrors(log) {
            // Before any thread, which inherits them blocked, and before anything is taken that must be put back.
            try SignalSet.block(SignalSet.ending)
            let inputs = try (touch.isEmpty ? [.best] : touch).flatMap { try $0.open(log: log) }
            var session = PanelSession(look: picture.look(pen: pen.pen, rotation: screen.rotate), log: log)
            session.predicts = screen.prediction == .on
            try session.runToSignal(inputs: inputs, display: display)
        }
    }
}
