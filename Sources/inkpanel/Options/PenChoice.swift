// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Ink

/// What `render` draws with: a pen, or every pen in turn on one sheet.
enum PenChoice: Equatable {
    case one(PenName)
    case all
}

extension PenChoice: ExpressibleByArgument {
    /// A pen's name or `all`.
    init?(argument: String) {
        if argument == "all" {
            self = .all
        } else if let name = PenName(rawValue: argument) {
            self = .one(name)
        } else {
            return nil
        }
    }

    var names: [PenName] {
        switch self {
        case .one(let name): [name]
        case .all: PenName.allCases
        }
    }

    var defaultValueDescription: String {
        switch self {
        case .one(let name): name.rawValue
        case .all: "all"
        }
    }

    static var allValueStrings: [String] { PenName.allCases.map(\.rawValue) + ["all"] }
}
