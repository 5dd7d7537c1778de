// SPDX-License-Identifier: Apache-2.0
public import Text

/// Why pages cannot be drawn.
public enum PageError: Error, Equatable, CustomStringConvertible {
    case noFonts(TextError)

    public var description: String {
        switch self {
        case .noFonts(let error): "the pad's pages need a font: \(error)"
        }
    }
}
