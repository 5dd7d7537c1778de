// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

@main
struct Inkpanel: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inkpanel", abstract: "Signature capture and freehand ink on a bare Linux panel.",
        version: "0.1.0",
        subcommands: [
            RunCommand.self, CaptureCommand.self, ListCommand.self, ShowCommand.self, ExportCommand.self,
            DeleteCommand.self, StatusCommand.self, DevicesCommand.self, DemoCommand.self, ReplayCommand.self,
            RenderCommand.self, BenchCommand.self,
        ])
}
