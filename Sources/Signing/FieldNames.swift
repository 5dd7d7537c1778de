// SPDX-License-Identifier: Apache-2.0
import Document

/// Names for the signature fields that a document gets.
struct FieldNames {
    /// Those that the document has already.
    private let taken: Set<String>
    /// The beginnings of all names, of up to 8 characters: the names that are tried are not longer.
    private let beginnings: Set<String>
    private var chosen: [String] = []

    init(of facts: DocumentFacts) {
        let names = facts.names + facts.fields.map(\.name)
        taken = Set(names)
        beginnings = Set(names.flatMap { name in (1...8).map { String(name.prefix($0)) } })
    }

    /// A new name. It begins no other name, and no other name begins it: readers have taken a prefix for the name
    /// (pyHanko#633). If all such names are taken, the new name is only different from all others.
    mutating func next() -> String {
        let name = free()
        chosen.append(name)
        return name
    }

    private func free() -> String {
        for stem in "STUVWXYZ" {
            for number in 1...999 {
                let name = number < 10 ? "\(stem)0\(number)" : "\(stem)\(number)"
                if isFree(name) { return name }
            }
        }
        var number = 1
        while taken.contains("Signature\(number)") || chosen.contains("Signature\(number)") { number += 1 }
        return "Signature\(number)"
    }

    private func isFree(_ name: String) -> Bool {
        !beginnings.contains(name) && !(1...name.count).contains { taken.contains(String(name.prefix($0))) }
            && !chosen.contains { $0.hasPrefix(name) || name.hasPrefix($0) }
    }
}
