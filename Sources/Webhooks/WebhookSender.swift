// SPDX-License-Identifier: Apache-2.0
import Configuration
import Evidence
import Geometry
import Glibc
import HTTP
import JSON
import Linux
import Synchronization

/// Sends the messages of one webhook, on a thread of its own: a slow receiver delays no other.
///
/// Messages of a capture are sent in order. A message that fails keeps later ones of its capture waiting, and no
/// others. If several different messages in a row get no answer, all wait, the longer the more there are. So one
/// message that hangs the receiver delays others little, and a receiver that is away costs little.
package final class WebhookSender: Sendable {
    enum Instruction: Sendable {
        case queued(WebhookQueue.Item, byteCount: Int)
        /// A person wants a message again, or now.
        case redeliver(id: String)
        /// A person says that the receiver is there again.
        case enable
    }

    /// How it goes, for people.
    package struct State: Codable, Equatable, Sendable {
        package var name: String
        package var waiting = 0
        /// The last one that the receiver got, microseconds since 1970-01-01 UTC.
        var deliveredAt: Int64?
        /// Since the start of the program.
        package var delivered = 0
        package var givenUp = 0
        /// Whether the receiver has said that it wants no more (410).
        package var disabled = false
        /// Why the last attempt failed; nil after one that did not.
        package var fault: String?
    }

    package struct Limits: Sendable {
        /// Messages and bytes that wait.
        package var count = 10_000
        package var byteCount = 64 << 20
        /// Messages that are kept after they were delivered, or given up.
        package var delivered = 100
        package var failed = 1000
        /// Seconds of ``WebhookClock`` for which a message is tried.
        package var lifetime: Int64 = 3 * 86400
        /// How much shorter all pauses are, in tests.
        package var haste = 1.0

        package init() {}
    }

    /// Pauses after failures, in seconds. The last one repeats.
    private static let pauses: [Double] = [5, 30, 120, 600, 1800, 3600, 7200, longestPause]
    /// Also of those that a receiver asks for.
    private static let longestPause = 14400.0

    let endpoint: WebhookEndpoint
    let queue: WebhookQueue
    /// Ids of messages that were queued when the program started. If the program was killed before it noted an event as
    /// reported, the event is reported again, and its messages may be among these.
    let earlier: Set<String>
    private let post: WebhookPost
    private let limits: Limits
    private let clock: WebhookClock
    private let log: Log
    private let instructions: Mailbox<Instruction>
    private let shared: Mutex<State>
    private let lastNumber: Mutex<Int64>
    private let changed: @Sendable () -> Void

    /// - Parameter changed: called on the thread after each change of ``state``.
    init(
        _ endpoint: WebhookEndpoint, queue: WebhookQueue, post: WebhookPost, limits: Limits, clock: WebhookClock,
        log: Log, changed: @escaping @Sendable () -> Void
    ) throws {
        self.endpoint = endpoint
        self.queue = queue
        self.post = post
        self.limits = limits
        self.clock = clock
        self.log = log
        self.changed = changed
        instructions = try Mailbox(blocking: true)
        let items = try WebhookQueue.Folder.allCases.flatMap { try queue.items($0) }
        earlier = Set(items.map(\.id))
        // Numbers go on after those of all folders: a new message with a smaller one would be pruned as the oldest.
        lastNumber = Mutex(items.map(\.number).max() ?? 0)
        var state = State(name: endpoint.name)
        state.disabled = queue.disabledFor == Self.digest(of: endpoint.url)
        shared = Mutex(state)
    }

    private static func digest(of url: String) -> String { SHA256Digest(of: Array(url.utf8)).description }

    var state: State { shared.withLock { $0 } }

    /// The number of the next message, once.
    func nextNumber() -> Int64 {
        lastNumber.withLock { number in
            number += 1
            return number
        }
    }

    func put(_ instruction: Instruction) { instructions.put(instruction) }

    /// The messages that wait, when the program starts. Blocks.
    func start(_ items: [WebhookQueue.Item]) throws(Errno) {
        let waiting = items.map { item in
            Waiting(item: item, byteCount: Self.byteCount(of: queue.path(of: item, in: .waiting)))
        }
        if queue.disabledFor != nil, !state.disabled {
            queue.enable()
            log.notice("webhook \(endpoint.name): it has another address, and is used again")
        }
        _ = try Linux.Thread(name: "webhook") { self.run(waiting) }
    }

    private static func byteCount(of path: String) -> Int { (try? InputFile.open(path).byteCount) ?? 0 }

    // MARK: the thread

    private struct Waiting {
        var item: WebhookQueue.Item
        var byteCount: Int
        var failures = 0
        var dueAt = Timestamp.distantPast
    }

    /// The state of the thread.
    private struct Work {
        var waiting: [Waiting]
        var byteCount: Int
        /// Messages that got no answer since one did, at most as many as there are pauses; and when to try again.
        var unanswered: Set<String> = []
        var dueAt = Timestamp.distantPast
        var isFull = false
        /// The state that the main thread knows.
        var reported: State?
    }

    private func run(_ waiting: [Waiting]) {
        var work = Work(
            waiting: waiting, byteCount: waiting.reduce(0) { $0 + $1.byteCount })
        report(&work)
        while true {
            // One message at a time: instructions between them are not late.
            let deadline: Timestamp? =
                switch next(work) {
                case .send: MonotonicClock.now
                case .wait(let time): time
                }
            for instruction in instructions.take(until: deadline).items { carryOut(instruction, &work) }
            if case .send(let index) = next(work) { send(index, &work) }
            report(&work)
        }
    }

    private func carryOut(_ instruction: Instruction, _ work: inout Work) {
        switch instruction {
        case .queued(let item, let byteCount):
            work.waiting.append(Waiting(item: item, byteCount: byteCount))
            work.byteCount += byteCount
            if state.disabled { return giveUpAll(&work, because: "its receiver wants no messages") }
            makeRoom(&work)
        case .redeliver(let id):
            if work.waiting.contains(where: { $0.item.id == id }) {
                work.dueAt = .distantPast
                // Those before it must arrive first.
                let subject = WebhookMessage.subject(ofID: id)
                for index in work.waiting.indices
                where WebhookMessage.subject(ofID: work.waiting[index].item.id) == subject {
                    work.waiting[index].dueAt = .distantPast
                }
                break
            }
            let found = try? queue.requeue(id) {
                WebhookQueue.Item(number: nextNumber(), queuedAt: clock.seconds, id: $0)
            }
            guard let item = found ?? nil else { break }
            log.notice("webhook \(endpoint.name): message \(id) is sent again")
            let byteCount = Self.byteCount(of: queue.path(of: item, in: .waiting))
            work.waiting.append(Waiting(item: item, byteCount: byteCount))
            work.byteCount += byteCount
            enable()
            work.dueAt = .distantPast
        case .enable:
            enable()
            work.dueAt = .distantPast
            for index in work.waiting.indices { work.waiting[index].dueAt = .distantPast }
            log.notice("webhook \(endpoint.name): it is used again")
        }
    }

    private func enable() {
        shared.withLock { state in
            // Nothing has been tried since, and perhaps nothing is for days.
            if state.disabled { state.fault = nil }
            state.disabled = false
        }
        queue.enable()
    }

    /// The oldest messages go first: they are nearest to their end.
    private func makeRoom(_ work: inout Work) {
        guard work.waiting.count > limits.count || work.byteCount > limits.byteCount else {
            work.isFull = false
            return
        }
        if !work.isFull {
            log.error(
                "webhook \(endpoint.name): \(work.waiting.count) messages wait, as many as may; the oldest are given up"
            )
        }
        work.isFull = true
        while work.waiting.count > limits.count || work.byteCount > limits.byteCount {
            remove(0, to: .failed, &work)
        }
    }

    private enum Step {
        /// The message with this index.
        case send(Int)
        /// nil if only an instruction can change anything.
        case wait(until: Timestamp?)
    }

    private func next(_ work: Work) -> Step {
        let now = MonotonicClock.now
        if state.disabled || work.waiting.isEmpty { return .wait(until: nil) }
        if now < work.dueAt { return .wait(until: work.dueAt) }
        var seen: Set<Substring> = []
        var earliest: Timestamp?
        var best: Int?
        for (index, waiting) in work.waiting.enumerated()
        where seen.insert(WebhookMessage.subject(ofID: waiting.item.id)).inserted {
            if waiting.dueAt > now {
                earliest = min(earliest ?? waiting.dueAt, waiting.dueAt)
            } else if waiting.failures < best.map({ work.waiting[$0].failures }) ?? .max {
                best = index
                if waiting.failures == 0 { break }
            }
        }
        return best.map { .send($0) } ?? .wait(until: earliest)
    }

    private func send(_ index: Int, _ work: inout Work) {
        let item = work.waiting[index].item
        let body: [UInt8]
        do throws(Errno) { body = try queue.body(of: item) } catch {
            log.error("webhook \(endpoint.name): message \(item.id) cannot be read: \(error)")
            if error == .noSuchFile || error == .fileTooLarge { return remove(index, to: .failed, &work) }
            note("a message cannot be read")
            return postpone(index, &work)
        }
        // Never signed: the receiver would take what the disk has made of it for the panel's words.
        guard (try? JSONValue(body))?.object != nil else {
            log.error("webhook \(endpoint.name): message \(item.id) is damaged on the disk, and given up")
            return remove(index, to: .failed, &work)
        }
        let result = post.send(
            id: item.id, body: body, file: queue.path(of: item, in: .waiting), now: WallClock.microseconds / 1_000_000)
        switch result {
        case .delivered:
            (work.unanswered, work.dueAt) = ([], .distantPast)
            remove(index, to: .delivered, &work)
            note(nil)
        case .gone:
            do throws(Errno) { try queue.disable(for: Self.digest(of: endpoint.url)) } catch {
                log.error("webhook \(endpoint.name): cannot note that its receiver is gone: \(error)")
            }
            log.error(
                "webhook \(endpoint.name): the receiver wants no more messages (410): change its url, or run "
                    + "inkpanel-gateway webhooks enable \(endpoint.name)")
            shared.withLock { ($0.disabled, $0.fault) = (true, "the receiver wants no more messages (410)") }
            giveUpAll(&work, because: "its receiver wants no messages")
        case .refused(let status):
            (work.unanswered, work.dueAt) = ([], .distantPast)
            let isRedirect = 300..<400 ~= status
            note("the receiver answers \(status)" + (isRedirect ? ": change its url to where it has moved" : ""))
            postpone(index, &work)
        case .unreachable(let reason, let detail, let wanted):
            note(reason, detail)
            if work.unanswered.count < Self.pauses.count { work.unanswered.insert(item.id) }
            work.dueAt = MonotonicClock.now + max(pause(work.unanswered.count), hasty(min(wanted, Self.longestPause)))
            postpone(index, &work)
        }
        if result != .delivered { clock.keep() }
    }

    private func postpone(_ index: Int, _ work: inout Work) {
        work.waiting[index].failures += 1
        work.waiting[index].dueAt = MonotonicClock.now + pause(work.waiting[index].failures)
        giveUpOld(&work)
    }

    /// The delay, a fifth longer or shorter, so that many panels do not come at once.
    private func pause(_ failures: Int) -> Duration {
        hasty(Self.pauses[min(failures, Self.pauses.count) - 1] * .random(in: 0.8...1.2))
    }

    private func hasty(_ seconds: Double) -> Duration { .microseconds(Int64(seconds / limits.haste * 1e6)) }

    /// Gives up messages that were tried and have become too old.
    private func giveUpOld(_ work: inout Work) {
        let end = clock.seconds - limits.lifetime
        while let index = work.waiting.firstIndex(where: { $0.item.queuedAt <= end && $0.failures > 0 }) {
            let id = work.waiting[index].item.id
            log.error(
                "webhook \(endpoint.name): message \(id) was given up after \(limits.lifetime / 86400) days; "
                    + "inkpanel-gateway webhooks redeliver \(id)")
            remove(index, to: .failed, &work)
        }
    }

    private func giveUpAll(_ work: inout Work, because reason: String) {
        if !work.waiting.isEmpty {
            log.error("webhook \(endpoint.name): \(work.waiting.count) messages were given up: \(reason)")
        }
        while !work.waiting.isEmpty { remove(0, to: .failed, &work) }
    }

    private func remove(_ index: Int, to folder: WebhookQueue.Folder, _ work: inout Work) {
        let item = work.waiting[index].item
        do throws(Errno) { try queue.move(item, to: folder) } catch {
            if error != .noSuchFile {
                log.error("webhook \(endpoint.name): message \(item.id) stays in the queue: \(error)")
            }
        }
        drop(index, &work)
        shared.withLock { state in
            if folder == .delivered {
                state.delivered += 1
                state.deliveredAt = WallClock.microseconds
            } else {
                state.givenUp += 1
            }
        }
        let count = state.delivered + state.givenUp
        // Not each time: it lists the folder.
        if count % 50 == 0 || work.waiting.isEmpty {
            queue.prune(.delivered, to: limits.delivered)
            queue.prune(.failed, to: limits.failed)
        }
    }

    private func drop(_ index: Int, _ work: inout Work) {
        work.byteCount -= work.waiting.remove(at: index).byteCount
    }

    /// - Parameter detail: for the log.
    private func note(_ fault: String?, _ detail: String? = nil) {
        let before = shared.withLock { state in
            defer { state.fault = fault }
            return state.fault
        }
        if before == fault { return }
        if let fault {
            log.warning(
                "webhook \(endpoint.name): \(fault)\(detail.map { " (\($0))" } ?? ""); "
                    + "it is tried again for \(limits.lifetime / 86400) days")
        } else {
            log.notice("webhook \(endpoint.name): messages arrive again")
        }
    }

    private func report(_ work: inout Work) {
        let state = shared.withLock { state in
            state.waiting = work.waiting.count
            return state
        }
        if state == work.reported { return }
        work.reported = state
        changed()
    }
}
