// SPDX-License-Identifier: Apache-2.0
public import ArgumentParser
public import Ink

/// Which pen draws.
struct PenOption: ParsableArguments {
    @Option(
        name: .customLong("pen"),
        help: ArgumentHelp(
            "The pen: \(PenName.allCases.map(\.rawValue).joined(separator: ", ")) "
                + "(default: \(PenName.default.rawValue)).", valueName: "pen"))
    var given: PenName?

    var pen: PenName { given ?? .default }
}

extension PenName: ExpressibleByArgument {}
