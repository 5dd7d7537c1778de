// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Glibc
import Linux
import Screen
import Touch

/// `inkpanel devices`: what there is, what `run` would take, and why.
struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "List touch devices and screens, and which ones run would take.")

    @Flag(help: "Print nothing; exit with 0 if run would find a touch device and a screen, else with 69.")
    var check = false

    func run() throws {
        try reportingErrors {
            let inventory = DisplayFinder().inventory()
            if check {
                // Without a device directory there is no device; that is an answer here, not an error.
                let candidates = (try? DeviceFinder.list()) ?? []
                // A screen that another program holds, such as a desktop, is none for us.
                guard !DeviceFinder.choose(from: candidates).paths.isEmpty,
                    inventory.chosen?.card.isMaster == true
                else {
                    throw ExitCode(EX_UNAVAILABLE)
                }
                return
            }
            var lines = ["touch devices (* is taken by run):"]
            do throws(TouchError) {
                let candidates = try DeviceFinder.list()
                lines += DeviceReport.lines(candidates, DeviceFinder.choose(from: candidates))
            } catch {
                lines.append("  " + error.message)
            }
            lines.append("screens (* is taken by run):")
            lines += inventory.description.split(separator: "\n").map { "  " + $0 }
            let framebuffers = FramebufferList.descriptions()
            if !framebuffers.isEmpty {
                lines.append("framebuffer devices (taken when asked for with --display fb:PATH):")
                lines += framebuffers.map { "    " + $0 }
            }
            try OutputFile.print(lines.joined(separator: "\n") + "\n")
        }
    }
}
