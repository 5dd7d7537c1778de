// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// `inkpanel bench`: measurements that print numbers and judge nothing.
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Measure this machine's panel.",
        subcommands: [PanelBench.self, InkBench.self, RasterBench.self], defaultSubcommand: PanelBench.self)
}
