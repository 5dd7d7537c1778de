// SPDX-License-Identifier: Apache-2.0
public import ArgumentParser
public import Ink

/// Which pen draws.
struct PenOption: ParsableArguments {
    @Option(help: "The pen: \(PenName.allCases.map(\.rawValue).joined(separator: ", ")).")
    var pen: PenName = .default
}

extension PenName: ExpressibleByArgument {}
