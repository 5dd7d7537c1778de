// SPDX-License-Identifier: Apache-2.0
import Evidence
import Geometry
import Glibc
import HostAPI
import Linux

/// A document that a host hands over on its connection, in pieces. For the control thread.
package final class HostDocument {
    /// Why the document cannot be used: the parameters of ``PanelError/documentRefused(fault:reason:)``.
    private struct Fault {
        var name, reason: String
    }

    /// Its name on the connection.
    package let id: String
    /// The number of its bytes, as the host has announced it.
    private let announced: Int
    private let sha256: String
    /// The bytes that have come. Copies of the array share them: they are in memory once, also during captures.
    private var bytes: [UInt8] = []
    /// nil when all bytes have come.
    private var hash: SHA256Hash? = SHA256Hash()
    private var fault: Fault?
    private let openedAt: Timestamp
    /// When the last piece came, or when the last capture with it ended.
    private(set) var usedAt: Timestamp

    init(id: String, _ call: OpenDocumentCall, now: Timestamp) {
        self.id = id
        announced = call.byteCount
        sha256 = call.sha256
        openedAt = now
        usedAt = now
        bytes.reserveCapacity(call.byteCount)
    }

    /// The bytes that it takes of the room for documents.
    var byteCount: Int { fault == nil ? announced : 0 }

    /// When the document is discarded because its bytes come too slowly; never if all have come.
    func deadline(_ limits: ControlLimits) -> Timestamp {
        if hash == nil || fault != nil { return .distantFuture }
        return openedAt + limits.stall + .seconds(1) * bytes.count / limits.rate
    }

    func noteUse(now: Timestamp) { usedAt = now }

    /// - Throws: ``PanelError/documentRefused(fault:reason:)`` for bytes beyond the announced ones, and if the last
    ///   ones make another document than the announced one. It cannot be used any more then.
    func append(_ call: AppendCall, now: Timestamp) throws(PanelError) {
        try check()
        let piece = try call.checked()
        guard piece.count <= announced - bytes.count else {
            throw discard("size", "it has more than the \(announced) bytes of size; open it again")
        }
        usedAt = now
        bytes += piece
        hash?.update(piece)
        guard bytes.count == announced, let digest = hash.take()?.finish().description, digest != sha256 else { return }
        throw discard("digest", "the SHA-256 of its bytes is \(digest), not the one of OpenDocument; open it again")
    }

    /// The bytes and their digest.
    /// - Throws: ``PanelError/documentRefused(fault:reason:)`` if they are not all there.
    func whole() throws(PanelError) -> (bytes: [UInt8], sha256: String) {
        try check()
        guard hash == nil else {
            throw .documentRefused(
                fault: "incomplete", reason: "\(bytes.count) of its \(announced) bytes have come; append the others")
        }
        return (bytes, sha256)
    }

    private func check() throws(PanelError) {
        if let fault { throw .documentRefused(fault: fault.name, reason: fault.reason) }
    }

    /// Frees the bytes. Calls with its name get this error.
    @discardableResult
    func discard(_ name: String, _ reason: String) -> PanelError {
        fault = Fault(name: name, reason: reason)
        bytes = []
        hash = nil
        return .documentRefused(fault: name, reason: reason)
    }
}

/// Decides whether a host can hand over another document. No host can keep others from it: bytes that come too slowly
/// are discarded, documents that nobody uses make room, and no member of the group has more than its share.
struct DocumentRoom {
    /// A connection with a document.
    struct Holder: Equatable {
        var token: UInt64
        var user: uid_t
        /// It belongs to root or to the panel's own user.
        var isOwn: Bool
        var byteCount: Int
        /// The time since its last use; nil during a capture with it.
        var unused: Duration?
    }

    var limits: ControlLimits
    var holders: [Holder]

    /// - Parameter role: the gateway's user has several hosts.
    /// - Returns: the connections whose documents must be discarded before; nil if there is no room.
    func place(for byteCount: Int, of user: uid_t, role: HostRole? = .operator, isOwn: Bool) -> [UInt64]? {
        var left = holders
        var discarded: [UInt64] = []
        func taken(_ holders: [Holder]) -> Int { holders.reduce(0) { $0 + $1.byteCount } }
        /// Those not used for the longest time go first.
        func makeRoom(below limit: Int, _ counts: (Holder) -> Bool, _ mayGo: (Holder) -> Bool) -> Bool {
            while taken(left.filter(counts)) + byteCount > limit {
                let idle = left.filter { holder in
                    counts(holder) && mayGo(holder) && holder.unused.map { $0 >= limits.documentSpare } ?? false
                }
                guard let oldest = idle.max(by: { $0.unused ?? .zero < $1.unused ?? .zero }) else { return false }
                left.removeAll { $0 == oldest }
                discarded.append(oldest.token)
            }
            return true
        }
        let share = role == .gateway ? limits.gatewayDocumentBytes : limits.userDocumentBytes
        if !isOwn, !makeRoom(below: share, { $0.user == user }, { _ in true }) { return nil }
        return makeRoom(below: limits.allDocumentBytes, { _ in true }, { isOwn || !$0.isOwn }) ? discarded : nil
    }
}
