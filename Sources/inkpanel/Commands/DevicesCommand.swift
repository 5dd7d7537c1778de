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
            let candidates: [DeviceFinder.Candidate]
            var listError: TouchError?
            do throws(TouchError) {
                candidates = try DeviceFinder.list()
            } catch {
                candidates = []
                listError = error
            }
            let choice = DeviceFinder.choose(from: candidates)
            if check {
                guard choice.path != nil, inventory.chosen != nil else { throw ExitCode(EX_UNAVAILABLE) }
                return
            }
            var report = DeviceReport()
            report.addTouch(candidates, choice, listError)
            report.addScreens(inventory)
            print(report.lines.joined(separator: "\n"))
        }
    }
}
