// SPDX-License-Identifier: Apache-2.0
public import ArgumentParser
public import Document

/// The place of a signature in a document, as words: `page=2 rect=300,100,460,150`.
extension SignaturePlace: ExpressibleByArgument {
    static let form = "page=N rect=X0,Y0,X1,Y1 or field=NAME or [size=W,H] [offset=X,Y] anchor=TEXT"

    public init?(argument: String) {
        var rest = argument.drop { $0 == " " }
        var words: [String: [Double]] = [:]
        while let equals = rest.firstIndex(of: "=") {
            let key = String(rest[..<equals])
            let value = rest[rest.index(after: equals)...]
            // Names and texts may have spaces, so they end the argument.
            if key == "field" || key == "anchor" {
                var text = value
                if value.count > 2, value.first == "\"", value.last == "\"" { text = value.dropFirst().dropLast() }
                guard !text.isEmpty, let place = Self.place(key, String(text), words) else { return nil }
                self = place
                return
            }
            let word = value.prefix { $0 != " " }
            let numbers = word.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) ?? .nan }
            guard numbers.allSatisfy(\.isFinite), words.updateValue(numbers, forKey: key) == nil else { return nil }
            rest = value[word.endIndex...].drop { $0 == " " }
        }
        guard rest.isEmpty, Set(words.keys) == ["page", "rect"], let numbers = words["rect"], numbers.count == 4,
            let page = words["page"].flatMap({ $0.count == 1 ? Int(exactly: $0[0]) : nil })
        else { return nil }
        self = .rectangle(
            page: page,
            DocumentRectangle(minX: numbers[0], minY: numbers[1], maxX: numbers[2], maxY: numbers[3]))
    }

    private static func place(_ key: String, _ text: String, _ words: [String: [Double]]) -> SignaturePlace? {
        if key == "field" { return words.isEmpty ? .field(name: text) : nil }
        let usual = SignaturePlace.usualSize
        let (size, offset) = (words["size"] ?? [usual.width, usual.height], words["offset"])
        guard Set(words.keys).isSubset(of: ["size", "offset"]), size.count == 2, (offset?.count ?? 2) == 2 else {
            return nil
        }
        return .anchor(
            text: text, width: size[0], height: size[1], offset: offset.map { Offset(right: $0[0], up: $0[1]) })
    }
}

/// A record and the place of its ink in a document: `ID page=2 rect=300,100,460,150`.
struct SignatureOption: ExpressibleByArgument, Equatable {
    var record: CaptureSource
    var place: SignaturePlace

    init?(argument: String) {
        guard let space = argument.firstIndex(of: " "),
            let record = CaptureSource(argument: String(argument[..<space])),
            let place = SignaturePlace(argument: String(argument[argument.index(after: space)...]))
        else { return nil }
        (self.record, self.place) = (record, place)
    }
}
