// SPDX-License-Identifier: Apache-2.0

/// Why a text cannot be drawn.
public enum TextError: Error, Equatable {
    /// fontconfig knows no font at all.
    case noFonts
    /// More than ``TextLine/maximumLength`` characters.
    case tooLong(scalarCount: Int)
}

extension TextError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noFonts: "there is no font to write with; install one, such as the package fonts-dejavu-core"
        case .tooLong(let count):
            "a text of \(count) characters is too long for a line, which has \(TextLine.maximumLength) at most"
        }
    }
}
