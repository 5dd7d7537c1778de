// SPDX-License-Identifier: Apache-2.0
import Configuration
import Foundation
import Geometry
import HTTP
import Ink
import JSON
import Linux
import Pad

/// The settings of a virtual panel that its page may change, in the panel's own configuration file. The program that
/// started the panel starts it anew when a line on standard output says that the file has changed.
package actor VirtualLook {
    /// Pixels of a side: what browsers' windows have. The panel shows them to one page, without compression.
    private static let sideRange = 240...2560
    /// A bare sheet takes no captures.
    private static let pages: [PadPage] = [.idle, .sketch]

    private let path: String?
    private let lacking: [String]

    /// - Parameters:
    ///   - path: of the configuration file; nil if the page may change nothing.
    ///   - lacking: the languages that no font of this machine has.
    package init(path: String?, lacking: [String] = []) { (self.path, self.lacking) = (path, lacking) }

    /// The settings, and the values that those of a few words may have. Empty without a file.
    /// - Throws: ``Problem`` if the file cannot be read.
    func document() throws -> [String: JSONValue] {
        guard let path else { return [:] }
        let configuration = try read(path)
        func list(_ words: [String]) -> JSONValue { .list(words.map { .text($0) }) }
        var document: [String: JSONValue] = [
            "theme": .text(configuration.pad.theme.rawValue), "language": .text(configuration.pad.language.rawValue),
            "pen": .text(configuration.ink.pen.rawValue),
            "dpi": .number((configuration.display.density ?? .standard).dotsPerInch),
            "themes": list(PadTheme.allCases.map(\.rawValue)),
            "languages": list(MessageTable.Language.allCases.map(\.rawValue)),
            "pens": list(PenName.allCases.map(\.rawValue)),
            "page": .text(configuration.pad.page.rawValue), "pages": list(Self.pages.map(\.rawValue)),
            "lacking": list(lacking),
        ]
        if case .headless(let size) = configuration.display.output { document["size"] = .text("\(size)") }
        return document
    }

    /// Writes the members that are given.
    /// - Throws: ``Problem`` for a member that is not a setting, or whose value the setting does not have.
    func change(_ members: [String: JSONValue]) throws {
        guard let path else {
            throw Problem.notFound("The look of this panel cannot be changed: run the gateway with --virtual-config.")
        }
        var configuration = try read(path)
        let before = configuration
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            switch name {
            case "theme": configuration.pad.theme = try word(value, name)
            case "pen":
                configuration.ink.pen = try word(value, name)
                // Those of the pen before.
                configuration.ink.switches = nil
            case "page":
                guard let page = value.text.flatMap(PadPage.init(rawValue:)), Self.pages.contains(page) else {
                    throw Problem.invalid("/page", Self.pages.map(\.rawValue).joined(separator: ", "))
                }
                configuration.pad.page = page
            case "language":
                guard let language = value.text.flatMap(MessageTable.Language.init(tag:)) else {
                    throw Problem.invalid("/language", "a language of \(MessageTable.Language.allTags)")
                }
                configuration.pad.language = language
            case "size":
                guard let size = value.text.flatMap({ PixelSize($0) }), Self.sideRange ~= size.width,
                    Self.sideRange ~= size.height
                else {
                    let (least, most) = (Self.sideRange.lowerBound, Self.sideRange.upperBound)
                    throw Problem.invalid("/size", "WIDTHxHEIGHT, \(least) to \(most) pixels each")
                }
                configuration.display.output = .headless(size)
            case "dpi":
                guard let number = value.number, PixelDensity.dotsPerInchRange.contains(number) else {
                    throw Problem.invalid("/dpi", Setting["display.dpi"].values)
                }
                configuration.display.density = PixelDensity(dotsPerInch: number)
            default: throw Problem.invalid("/" + name, "theme, language, pen, page, size and dpi only")
            }
        }
        if configuration == before { return }
        do throws(Errno) { try AtomicFile.write(Array(configuration.text.utf8), to: path) } catch {
            throw Problem(name: .internal, status: 500, detail: "cannot write \(path): \(error)")
        }
        print("changed \(path)")
        fflush(nil)
    }

    private func word<Word: RawRepresentable & CaseIterable>(
        _ value: JSONValue, _ name: String
    ) throws -> Word where Word.RawValue == String {
        guard let word = value.text.flatMap(Word.init(rawValue:)) else {
            throw Problem.invalid("/" + name, Word.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return word
    }

    private func read(_ path: String) throws -> Configuration {
        do throws(ConfigurationError) { return try Configuration(path: path) } catch {
            throw Problem(name: .internal, status: 500, detail: error.description)
        }
    }
}
