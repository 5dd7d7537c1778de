// SPDX-License-Identifier: Apache-2.0
import Configuration
import Foundation
import HTTP
import HostAPI
import Linux

/// Turns events of the panel into messages in the queues. It remembers over restarts which events it has reported:
///
/// - an accepted or interrupted capture by its record, in a list of ids. What the panel stored while this program was
///   away is found in the panel's list of records;
/// - the end of another capture by the number of the panel's last event. The panel keeps some of those in memory;
/// - whether the panel is faulty.
///
/// A message is on the medium before this is noted, and has the same id when it is made again. So each event is
/// reported at least once, even if the program is killed.
///
/// If a queue cannot be written, the others get all events, once, and at most 30 s later. That queue gets the ends of
/// captures when it can be written again, as far as the panel knows them then; of faults only the later ones.
struct WebhookEvents {
    /// The notes in the file, besides the ids of records.
    private struct Notes: Codable, Equatable {
        /// The random name of this directory, for ids of messages.
        var instance: String
        /// ``EventsReply/run``, and the number of the last event of it.
        var run: String?
        var number: Int64 = 0
        /// The number of faults and recoveries.
        var changes = 0
        var isFaulty = false
    }

    /// Why nothing can be kept; for people.
    struct NotKept: Error, CustomStringConvertible { let description: String }

    private static let byteLimit = 64 << 20
    /// Marks, in place of an id, that the panel's list was read before: from then on, records that are new in it are
    /// reported.
    private static let mark = "*"
    /// Ids of records that are kept beside those in the list.
    private static let kept = 100_000

    private let path: String
    private let senders: [WebhookSender]
    private let clock: WebhookClock
    private let log: Log
    private var notes: Notes
    private var file: LineFile
    /// Ids of the records that were reported, or must not be, and ``mark``.
    private var records: Set<String>
    /// Records of the first list. A record here that an event names was just stored.
    private var first: Set<String> = []
    private var panel: String?
    /// The last messages of each sender.
    private var added: [Added]
    /// The last event that was reported, also if a queue has not got all before it.
    private var reached: Int64 = 0

    /// Ids of the last messages that a queue has got: an event is reported again if another queue has not got it.
    private struct Added {
        /// More than may wait.
        private static let kept = 20_000
        private var ids: Set<String>
        private var order: [String] = []

        init(_ earlier: Set<String>) { ids = earlier }

        func contains(_ id: String) -> Bool { ids.contains(id) }

        mutating func insert(_ id: String) {
            ids.insert(id)
            order.append(id)
            if order.count < 2 * Self.kept { return }
            ids.subtract(order.prefix(Self.kept))
            order.removeFirst(Self.kept)
        }
    }

    /// Reads which events were reported. Blocks.
    /// - Parameter state: the state directory.
    init(state: String, senders: [WebhookSender], clock: WebhookClock, log: Log) throws(NotKept) {
        path = state
        self.senders = senders
        self.clock = clock
        self.log = log
        added = senders.map { Added($0.earlier) }
        let bytes = (try? InputFile.read(state + "/notes.json", maximumByteCount: 4096)).flatMap { $0 }
        notes =
            bytes.flatMap { try? JSONDecoder().decode(Notes.self, from: Data($0)) }
            ?? Notes(instance: String(UInt64.random(in: .min ... .max), radix: 36))
        let list = state + "/records"
        do throws(PrivateFileError) {
            guard let read = try LineFile.read(list, maximumByteCount: Self.byteLimit) else {
                throw .refused(list, "is too long; remove it")
            }
            (file, records) = (read.file, Set(read.lines))
        } catch {
            throw NotKept(description: "\(error)")
        }
    }

    /// The last event that was reported.
    var known: EventsCall { EventsCall(run: notes.run, after: notes.run == nil ? nil : notes.number) }

    // MARK: events

    /// - Returns: whether records of before may have appeared, so that the list must be read.
    /// - Throws: if a queue has not got all, after the others have. The panel must be asked for the events again.
    mutating func receive(_ reply: EventsReply) throws(NotKept) -> Bool {
        panel = reply.panel
        // Whoever sets up webhooks does not want the past: neither captures with records nor those without.
        let isPast = notes.run == nil && !records.contains(Self.mark)
        if reply.missed == true, !isPast {
            log.error("the panel does not know any more which captures without a record have ended meanwhile")
        }
        if notes.run != reply.run { (notes.run, notes.number, reached) = (reply.run, 0, 0) }
        if isPast {
            notes.number = reply.events.map(\.number).max() ?? 0
            reached = notes.number
        }
        var readsList = false
        var failure: NotKept?
        for event in reply.events where event.number > notes.number {
            do throws(NotKept) {
                switch event.kind {
                case .ended: try addMessages(of: event)
                case .fault, .recovered:
                    readsList = readsList || event.kind == .recovered
                    if event.number > reached {
                        try note(fault: event.kind == .fault ? event.fault ?? "" : nil, at: event.time)
                    }
                }
                reached = max(reached, event.number)
                if failure == nil {
                    notes.number = event.number
                    try keep()
                }
            } catch {
                failure = failure ?? error
            }
        }
        if !reply.starting {
            do throws(NotKept) { try note(fault: reply.fault, at: WallClock.microseconds) } catch {
                failure = failure ?? error
            }
        }
        try keep()
        if let failure { throw failure }
        return readsList
    }

    private mutating func addMessages(of event: PanelEvent) throws(NotKept) {
        guard event.outcome == .accepted, let id = event.id else {
            return try add(WebhookMessage.messages(of: event, panel: panel))
        }
        if !first.contains(id.description), records.contains(id.description) { return }
        try add(WebhookMessage.messages(of: event, panel: panel))
        first.remove(id.description)
        try note(record: id.description)
    }

    /// Tells a fault, or its end, if that is new.
    /// - Parameters:
    ///   - fault: nil for none.
    ///   - time: microseconds since 1970-01-01 UTC.
    mutating func note(fault: String?, at time: Int64) throws(NotKept) {
        if (fault != nil) == notes.isFaulty { return }
        let id = "\(notes.instance)-\(notes.changes + 1)"
        let message = WebhookMessage.message(fault: fault, id: id, panel: panel, time: time)
        do throws(NotKept) { try add([message]) } catch {
            guard added.contains(where: { $0.contains(message.id) }) else { throw error }
            // Whoever knows of a fault must hear of its end: what follows does not wait for the other queue.
            log.error("message \(message.id) is missing in a queue: \(error)")
        }
        notes.changes += 1
        notes.isFaulty = fault != nil
        try keep()
    }

    // MARK: records

    /// Tells the records that were not told. The list is given piece by piece.
    /// - Parameter list: calls its argument with each record, the newest first.
    mutating func receive(list: ((RecordSummary) -> Void) throws -> Void) throws {
        var untold: [RecordSummary] = []
        var all: Set = [Self.mark]
        try list { record in
            all.insert(record.id.description)
            if !records.contains(record.id.description) { untold.append(record) }
        }
        if !records.contains(Self.mark) {
            // Whoever sets up webhooks does not want the past.
            first = all.subtracting(records)
            all.formUnion(records)
            do throws(Errno) { try file.replace(with: all.sorted()) } catch { throw Self.notKept(path, error) }
            records = all
            return
        }
        var failure: NotKept?
        for record in untold.reversed() {
            do throws(NotKept) {
                try add(WebhookMessage.messages(of: record, panel: panel))
                try note(record: record.id.description)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        // A record that is not in the list may come back with its medium. Ids sort by time.
        guard records.count > Self.kept + 2 * all.count else { return }
        records = all.union(records.sorted().suffix(Self.kept / 2))
        try? file.replace(with: records.sorted())
    }

    private mutating func note(record id: String) throws(NotKept) {
        // Lost with the power, the record is reported again, with the same ids.
        do throws(Errno) { try file.append(id, synchronizes: false) } catch { throw Self.notKept(file.path, error) }
        records.insert(id)
    }

    // MARK: queues

    /// Adds messages of an event to each queue that has not got them.
    /// - Throws: if a queue cannot be written, after the others were.
    private mutating func add(_ messages: [WebhookMessage]) throws(NotKept) {
        var failure: NotKept?
        for (place, sender) in senders.enumerated() where !sender.state.disabled {
            for message in messages
            where sender.endpoint.events.contains(message.event) && !added[place].contains(message.id) {
                let body = sender.endpoint.tellsRequest ? message.fullBody : message.body
                let item = WebhookQueue.Item(
                    number: sender.nextNumber(), queuedAt: clock.seconds, id: message.id)
                do throws(Errno) { try sender.queue.add(item, body) } catch {
                    failure = failure ?? Self.notKept(sender.queue.folder(.waiting), error)
                    // The next message of the capture must not come before this one.
                    break
                }
                added[place].insert(message.id)
                sender.put(.queued(item, byteCount: body.count))
            }
        }
        if let failure { throw failure }
    }

    private mutating func keep() throws(NotKept) {
        do throws(Errno) { try AtomicFile.replace(Array(notes.json), at: path + "/notes.json") } catch {
            throw Self.notKept(path, error)
        }
    }

    private static func notKept(_ path: String, _ error: Errno) -> NotKept {
        NotKept(description: "\(path): \(error); events wait at the panel, and in its records")
    }
}
