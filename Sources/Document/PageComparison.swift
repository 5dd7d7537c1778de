// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import JSON

/// A page as two engines of different families draw it. People sign the picture of the first; everybody else may read
/// the file with another program.
public struct PageComparison: Codable, Equatable, Sendable {
    /// The most places, and the most complaints, that are listed.
    public static let most = 16

    /// The second engine with its version, such as `mupdf 1.21.1`; nil if none is installed.
    public var second: String?
    /// The places that the two engines draw differently.
    public var differences: [DocumentRectangle]
    /// The complaints of the first engine about parts that it could not draw, in its own words; printable.
    public var complaints: [String]

    public init(second: String?, differences: [DocumentRectangle] = [], complaints: [String] = []) {
        self.second = second
        self.differences = differences
        self.complaints = complaints
    }

    /// Whether one engine shows what the other one shows, and the first one has drawn everything.
    public var isClean: Bool { differences.isEmpty && complaints.isEmpty }
}

extension PageComparison {
    /// The comparison as JSON; nil if it is beyond the limits.
    public func json() -> [UInt8]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard fault == nil, let bytes = try? encoder.encode(self) else { return nil }
        return Array(bytes)
    }

    /// Reads what ``json()`` writes, within the limits.
    public init(json bytes: [UInt8]) throws(HelperResultFault) {
        self = try HelperJSON.decode(bytes)
        if let fault { throw HelperResultFault(fault) }
    }

    private var fault: String? {
        if let second, second.isEmpty || second.utf8.count > 64 || !second.utf8.allSatisfy({ 32...126 ~= $0 }) {
            return "the second engine's version is none"
        }
        guard differences.count <= Self.most, differences.allSatisfy(\.isPlausible) else {
            return "there are too many different places, or one has no size"
        }
        let texts = complaints.allSatisfy { !$0.isEmpty && $0.utf8.count <= HelperLimits.text }
        return complaints.count <= Self.most && texts ? nil : "there are too many complaints, or a long one"
    }
}
