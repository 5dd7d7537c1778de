// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Control

/// `inkpanel status`: how the panel is.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Say how the panel is: page, devices, store.")

    @Flag(help: "As JSON.")
    var json = false

    @OptionGroup var control: ControlOptions

    func run() throws {
        try reportingErrors {
            var client = try control.connect()
            let status = try client.status()
            try OutputFile.print(json ? try JSONText.encode(status) : Self.text(status))
        }
    }

    static func text(_ status: StatusReport) -> String {
        let (screen, store) = (status.screen, status.store)
        var lines = ["program  \(status.program)", "page     \(status.page)"]
        if let running = status.running { lines.append("capture  \(running.id), \(running.strokes) strokes") }
        if status.waiting > 0 { lines.append("waiting  \(status.waiting) captures") }
        lines += status.touchDevices.isEmpty ? ["touch    none"] : status.touchDevices.map { "touch    \($0)" }
        lines += [
            screen.fault.map { "screen   none: \($0)" }
                ?? "screen   \(screen.name), \(screen.size.width)x\(screen.size.height)",
            "store    \(store.path): \(store.captures) captures, \(store.freeBytes >> 20) MiB free",
        ]
        if let fault = store.fault { lines.append("fault    \(fault)") }
        return lines.joined(separator: "\n") + "\n"
    }
}
