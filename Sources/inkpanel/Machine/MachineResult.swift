// SPDX-License-Identifier: Apache-2.0

/// The answer to the file: beside it, and on the glass.
struct MachineResult: Equatable {
    static let name = "inkpanel-result.txt"
    /// A small screen shows these with the headline.
    private static let mostLinesOnGlass = 6

    /// The bytes of the file that are overwritten once the machine has them.
    let secrets: [Range<Int>]
    /// The faults, with their lines; nil if there is no file.
    let lines: [String]?

    static func path(beside file: String) -> String {
        let end = file.lastIndex(of: "/").map { file.index(after: $0) } ?? file.startIndex
        return file[..<end] + name
    }

    /// The file's text.
    var text: String {
        let said: [String] =
            switch lines {
            case nil: ["There is no inkpanel.toml. The pad keeps the settings that it has."]
            case []?: ["The pad uses all settings of inkpanel.toml."]
            case let lines?:
                ["Not all settings of inkpanel.toml can be used. The pad keeps what it had for these:", ""] + lines
            }
        return said.map { $0 + "\n" }.joined()
    }

    /// The idle page's text; empty if all is well.
    var notice: String {
        guard let lines, !lines.isEmpty else { return "" }
        var shown = lines.prefix(Self.mostLinesOnGlass).map { $0 }
        if lines.count > shown.count { shown.append("… and \(lines.count - shown.count) more: see \(Self.name)") }
        return (["inkpanel.toml"] + shown).joined(separator: "\n") + "\n"
    }
}
