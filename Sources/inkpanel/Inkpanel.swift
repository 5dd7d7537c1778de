// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

@main
struct Inkpanel: ParsableCommand {
    static let version = "0.1.0"
    /// Name and version, as records and hosts are told.
    static let program = "inkpanel \(version)"

    static let configuration = CommandConfiguration(
        commandName: "inkpanel", abstract: "Signature capture and freehand ink on a bare Linux panel.",
        version: version,
        subcommands: [
            RunCommand.self, CaptureCommand.self, ListCommand.self, ShowCommand.self, ExportCommand.self,
            DeleteCommand.self, StatusCommand.self, ConfigCommand.self, DevicesCommand.self, CalibrateCommand.self,
            DemoCommand.self, ReplayCommand.self, RenderCommand.self, BenchCommand.self,
        ])
}
