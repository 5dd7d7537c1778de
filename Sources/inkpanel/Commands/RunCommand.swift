// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Configuration
import Geometry
import Glibc
import Linux
import Screen

/// `inkpanel run`: the kiosk program.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Be the pad: take signatures that hosts ask for, and ink.",
        discussion: """
            Runs until SIGTERM or SIGINT and leaves console, CRTC and buffers as they were. It needs /dev/input and \
            /dev/dri, that is: a user in the groups input and video, or root. What the options do not say, the \
            configuration does.
            """)

    @OptionGroup var file: ConfigurationOption
    @OptionGroup var options: RunOptions

    func run() throws {
        let log = Log()
        try reportingErrors(log) {
            let settings = try RunSettings(try file.read(), overriddenBy: options)
            // Before any thread, which inherits them blocked, and before anything is taken that must be put back.
            try SignalSet.block(SignalSet.ending)
            let inputs = try (settings.touch.isEmpty ? [.best] : settings.touch).flatMap { try $0.open(log: log) }
            let pad = try settings.padPlan(log)
            var session = PanelSession(look: pad == nil ? settings.look : settings.padLook, log: log)
            session.predicts = settings.predicts
            session.palmLimit = settings.palmLimit ?? .infinity
            session.pad = pad
            try session.runToSignal(inputs: inputs, display: settings.display)
        }
    }
}
