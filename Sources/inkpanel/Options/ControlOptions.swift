// SPDX-License-Identifier: Apache-2.0
public import ArgumentParser
import Control
public import Record

/// Which panel is asked.
struct ControlOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The panel's socket.", valueName: "path"))
    var socket = ControlSocket.defaultPath

    func connect() throws(ControlClientError) -> ControlClient { try ControlClient(path: socket) }
}

extension CaptureID: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}
