// SPDX-License-Identifier: Apache-2.0
package import Foundation
package import Linux

/// The day on which each token was last used, for `inkpanel-gateway token list`: lines of `TOKEN DAY`, in a file beside
/// the tokens. A day is written once, so that a busy host does not wear out a memory card.
package struct LastUses {
    private static let fileName = "last-uses"

    private let path: String
    /// Days such as 2026-11-25, in UTC, by ids of tokens.
    package private(set) var days: [String: String]

    /// - Parameter state: the gateway's state directory. Without a readable file, no token has been used.
    package init(state: String) {
        path = state + "/" + Self.fileName
        let bytes = (try? PrivateFile.read(path, maximumByteCount: 1 << 20)).flatMap { $0 } ?? []
        days = [:]
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 2 { days[String(words[0])] = String(words[1]) }
        }
    }

    /// Notes that a token is used. Writes the file if it is the first time on this day.
    /// - Parameter known: ids of the tokens that exist; others are forgotten.
    /// - Throws: if the file cannot be written. The day is kept in memory.
    package mutating func note(_ token: String, known: [String], now: Date) throws(Errno) {
        let day = now.formatted(.iso8601.year().month().day())
        guard days[token] != day else { return }
        days[token] = day
        let known = Set(known)
        days = days.filter { known.contains($0.key) }
        let text = days.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }.joined()
        try AtomicFile.write(Array(text.utf8), to: path)
    }
}
