// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// `inkpanel bench`, which earlier versions had: says where benchmarks are now.
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "bench", shouldDisplay: false)

    @Argument(parsing: .captureForPassthrough)
    var arguments: [String] = []

    func run() throws {
        throw CommandError.wrongUsage("benchmarks are in inkpanel-bench, which make bench builds and runs")
    }
}
