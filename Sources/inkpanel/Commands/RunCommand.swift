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
            Runs until SIGTERM or SIGINT and leaves console, CRTC and buffers as they were. A display or a touch \
            device that is not there is waited for, and may come and go. It needs /dev/input and /dev/dri, that is: a user in \
            the groups input and video, or root. What the options do not say, the configuration does.
            """)

    @OptionGroup var file: ConfigurationOption
    @OptionGroup var options: RunOptions

    func run() throws {
        let log = Log()
        Heap.keepNoLargeBlocks()
        try reportingErrors(log) {
            let settings = try RunSettings(try file.read(), overriddenBy: options)
            // Before any thread, which inherits them blocked, and before anything is taken that must be put back.
            try SignalSet.block(SignalSet.ending + PanelConsole.signals)
            let choices = settings.touch.isEmpty ? [.best] : settings.touch
            let inputs = try choices.compactMap { try $0.recording() }
            let sources = try choices.compactMap { try $0.source(log: log) }
            let pad = try settings.padSetup(log)
            var session = PanelSession(look: pad == nil ? settings.look : settings.padLook, log: log)
            session.predicts = settings.predicts
            session.palmLimit = settings.palmLimit ?? .infinity
            session.filters = settings.filters
            session.calibration = settings.calibration
            session.switching = settings.allowsSwitching ? .allowed : .refused
            session.power = settings.power
            session.pad = pad
            try session.runToSignal(sources: sources, inputs: inputs, display: settings.display)
        }
    }
}
