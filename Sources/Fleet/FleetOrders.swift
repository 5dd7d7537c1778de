// SPDX-License-Identifier: Apache-2.0
import Evidence
import HostAPI
import Linux

/// The requests of the last 24 hours and where they stand, in memory and in the ``RequestFile``.
struct FleetOrders {
    /// A request, and where it stands.
    struct Order {
        struct Cancellation { var correlation: [UInt8]? }

        enum State: Equatable {
            /// The panel was asked and has not answered.
            case asking
            case running(CaptureReply)
            /// The connection has ended: the panel's records will tell how the capture ended.
            case lost(CaptureID)
            /// The payload of the last answer.
            case ended([UInt8])
        }

        let digest: SHA256Digest
        /// Wall clock, microseconds since 1970-01-01 UTC; nil if it was not synchronized.
        let askedAt: Int64?
        /// When the key is forgotten, by the clock since boot.
        let expires: Int64
        var state: State
        /// When its page may not be shown any more; nil if this is not known after a restart.
        var until: Int64?
        /// That of the last request with this key.
        var correlation: [UInt8]?
        /// The last request to cancel it, which is answered when it has ended.
        var cancellation: Cancellation?

        /// Whether its key may be used again.
        func hasExpired(_ now: WallClock.Reading) -> Bool { hasEnded && expires <= now.sinceBoot }

        var hasEnded: Bool { if case .ended = state { true } else { false } }
        var capture: CaptureID? {
            switch state {
            case .running(let reply): reply.id
            case .lost(let id): id
            case .asking, .ended: nil
            }
        }
    }

    /// Microseconds.
    static let lifetime: Int64 = 86_400_000_000
    /// Wall clock, microseconds since 1970-01-01 UTC. Sums of these cannot overflow.
    static let times: ClosedRange<Int64> = 0...1 << 53

    private let limit: Int
    private var file: RequestFile
    private var orders: [RequestKey: Order] = [:]
    /// Those that take a place: all but requests that have ended without a person, whose keys are kept while there is
    /// room.
    private var held: Set<RequestKey> = []
    /// When to forget old ones, by the clock since boot.
    private var forgetsAt: Int64 = 0

    /// Reads the requests. Whatever this program was doing when it ended is lost or interrupted now. Blocks.
    init(directory: String, now: WallClock.Reading, log: Log, limit: Int = RequestFile.limit) {
        self.limit = limit
        let (file, notes) = RequestFile.read(in: directory, log: log)
        self.file = file
        for (key, note) in notes {
            switch note {
            case .asked(let digest, let time):
                // Clocks that nothing keeps, or that were set back, make no key older.
                let age = now.isSynchronized ? max(0, now.microseconds - (time ?? now.microseconds)) : 0
                orders[key] = Order(
                    digest: digest, askedAt: time, expires: now.sinceBoot + Self.lifetime - age,
                    state: .ended(FleetAnswer.refusal(.interrupted, to: key)))
            case .began(let capture): orders[key]?.state = .lost(capture)
            case .ended(let answer): orders[key]?.state = .ended(answer)
            case .freed: orders[key] = nil
            }
        }
        for (key, order) in orders {
            if case .ended(let answer) = order.state, FleetAnswer.isVoid(answer) { continue }
            held.insert(key)
        }
    }

    subscript(key: RequestKey) -> Order? { orders[key] }

    /// Changes an order in memory only.
    mutating func change(_ key: RequestKey, _ change: (inout Order) -> Void) {
        guard var order = orders[key] else { return }
        change(&order)
        orders[key] = order
    }

    /// The orders that have not ended.
    var open: [(key: RequestKey, order: Order)] {
        orders.lazy.filter { !$1.hasEnded }.map { (key: $0, order: $1) }.sorted { $0.order.expires < $1.order.expires }
    }

    /// Notes a new request, before the panel is asked.
    mutating func ask(
        _ request: FleetRequest, correlation: [UInt8]?, now: WallClock.Reading
    ) throws(RequestFile.NotKept) {
        forgetOld(now)
        // Requests under invented names that are cancelled at once must not keep other hosts out.
        let own = held.count { $0.host == request.key.host }
        guard Share.isFree(own, of: held.count, limit) else {
            throw .init(reason: "too many requests of this host in a day; try again later")
        }
        if orders.count >= limit {
            let void = orders.filter { !held.contains($0.key) && $0.key != request.key }
            if let oldest = void.min(by: { $0.value.expires < $1.value.expires }) { free(oldest.key) }
        }
        let time = now.isSynchronized ? now.microseconds : nil
        try file.note(.asked(digest: request.digest, at: time), of: request.key)
        held.insert(request.key)
        orders[request.key] = Order(
            digest: request.digest, askedAt: time, expires: now.sinceBoot + Self.lifetime, state: .asking,
            until: request.until, correlation: correlation)
    }

    /// Notes the first reply, and those after it.
    mutating func run(_ key: RequestKey, _ reply: CaptureReply) {
        if orders[key]?.state == .asking {
            // Unwritten, the order is interrupted after a restart.
            try? file.note(.began(reply.id), of: key)
        }
        orders[key]?.state = .running(reply)
    }

    mutating func lose(_ key: RequestKey, _ capture: CaptureID) { orders[key]?.state = .lost(capture) }

    mutating func end(_ key: RequestKey, _ answer: [UInt8]) {
        orders[key]?.state = .ended(answer)
        if FleetAnswer.isVoid(answer) { held.remove(key) }
        try? file.note(.ended(answer), of: key)
    }

    /// The panel has refused the request.
    mutating func free(_ key: RequestKey) {
        orders[key] = nil
        held.remove(key)
        try? file.note(.freed, of: key)
    }

    /// Forgets requests of more than a day ago, and writes the file anew when most of its lines say nothing any more.
    private mutating func forgetOld(_ now: WallClock.Reading) {
        // Not for each request: an hour more does no harm. Refused requests leave lines, too.
        guard now.sinceBoot >= forgetsAt || file.lineCount > 4 * orders.count + 2000 else { return }
        forgetsAt = now.sinceBoot + 3_600_000_000
        orders = orders.filter { !$1.hasExpired(now) }
        held = held.filter { orders[$0] != nil }
        guard file.lineCount > 4 * orders.count + 100 else { return }
        file.replace(
            with: orders.flatMap { key, order in
                let asked = (key, RequestFile.Note.asked(digest: order.digest, at: order.askedAt))
                return switch order.state {
                case .ended(let answer): [asked, (key, .ended(answer))]
                case .asking: [asked]
                case .running(let reply): [asked, (key, .began(reply.id))]
                case .lost(let capture): [asked, (key, .began(capture))]
                }
            })
    }
}
