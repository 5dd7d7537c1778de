// SPDX-License-Identifier: Apache-2.0
import HTTP
import HostAPI

/// The documents that the panel holds for captures of this gateway, those that wait included. The panel sees one user,
/// so the gateway divides that user's room: no token gets more than it leaves to others.
struct DocumentShares {
    private var taken: [Int: (owner: String, byteCount: Int)] = [:]
    private var nextNumber = 0
    private let limit: Int

    /// - Parameter limit: bytes of all documents.
    init(limit: Int = PanelLimits.gatewayDocumentBytes) { self.limit = limit }

    /// Takes room for a document. A document alone always has room.
    /// - Returns: a number for ``giveBack(_:)``.
    /// - Throws: ``Problem`` with status 429.
    mutating func take(_ byteCount: Int, for owner: String) throws -> Int {
        let all = taken.values.reduce(0) { $0 + $1.byteCount }
        let own = taken.values.reduce(0) { $0 + ($1.owner == owner ? $1.byteCount : 0) }
        guard own + byteCount <= limit - all else {
            throw Problem(
                name: .tooManyDocuments, status: 429,
                detail: own > 0
                    ? "The panel holds \(own) bytes of documents for captures of this token, and must leave room for "
                        + "others: try again when one has ended."
                    : "The panel has no room for this document beside those of other captures: try again when one has "
                        + "ended.",
                headers: ["Retry-After": "10"])
        }
        nextNumber += 1
        taken[nextNumber] = (owner, byteCount)
        return nextNumber
    }

    mutating func giveBack(_ number: Int) { taken[number] = nil }
}
