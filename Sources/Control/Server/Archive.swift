// SPDX-License-Identifier: Apache-2.0
import Pad
import Glibc
import Linux
import Record
import Synchronization

/// A thread that reads and changes the store for hosts: a file that is long in the making, or a medium that is slow,
/// keeps nobody from cancelling. Each job is the oldest of the user who was served longest ago, so that who asks for a
/// lot waits for it, and others wait for one file at most.
final class Archive: Sendable {
    enum Job: Sendable {
        case call(ArchiveCall)
        /// A status of the main thread's, to be answered together with that of the store.
        case status(PadStatus, continues: Bool)

        /// Whether its answer may be large.
        fileprivate var makesFile: Bool {
            if case .call(.get(_, .some)) = self { true } else { false }
        }
    }

    struct Answer: Sendable {
        var call: CallID
        /// With its end.
        var message: [UInt8]
        var isFinal: Bool
    }

    private struct Entry: Sendable {
        var call: CallID
        var job: Job
        var user: uid_t
    }

    /// What keeps the thread from beginning a job.
    private struct Hold: Sendable {
        /// For these no files are made: too much waits to be taken by their hosts.
        var users: Set<uid_t> = []
        /// A large answer is on its way to the control thread, which alone knows what waits all together.
        var isHeld = false
        /// Answers that the control thread has not taken.
        var untaken = 0
    }

    private let jobs: Mailbox<Entry>
    private let answers: Mailbox<Answer>
    private let hold = Mutex(Hold())
    private let clerk: ArchiveClerk

    init(_ clerk: ArchiveClerk) throws(Errno) {
        self.clerk = clerk
        jobs = try Mailbox(blocking: true)
        answers = try Mailbox(blocking: false)
    }

    // MARK: control thread

    /// Readable when answers wait.
    var descriptor: CInt { answers.descriptor }

    func submit(_ call: CallID, _ job: Job, of user: uid_t) { jobs.put(Entry(call: call, job: job, user: user)) }

    /// Nobody waits for that call any more. What it would only have read is left; a deletion is done.
    func forget(_ call: CallID) {
        jobs.removeAll { entry in
            if case .call(.delete) = entry.job { return false }
            return entry.call == call
        }
    }

    /// For whom no files are to be made for now. Small answers go on, so that who does not take a large one still can
    /// list and delete.
    func hold(_ users: Set<uid_t>) {
        let isOver = hold.withLock { hold in
            let wasHeld = hold.isHeld
            // What has been made since is counted first.
            if hold.untaken == 0 { hold.isHeld = false }
            defer { hold.users = users }
            return wasHeld && !hold.isHeld || !hold.users.isSubset(of: users)
        }
        if isOver { jobs.wake() }
    }

    func takeAnswers() -> [Answer] {
        let taken = answers.take().items
        hold.withLock { $0.untaken -= taken.count }
        return taken
    }

    /// The thread shall end after what it does now.
    func finish() {
        jobs.removeAll { _ in true }
        jobs.close()
    }

    // MARK: archive thread

    func run() {
        // By user, when the last job was begun.
        var turns: [uid_t: UInt64] = [:]
        var turn: UInt64 = 0
        while true {
            jobs.wait()
            while let held = hold.withLock({ $0.isHeld ? nil : $0.users }),
                let entry = jobs.takeFirst({ Self.next(of: $0, held: held, turns) })
            {
                turn += 1
                turns[entry.user] = turn
                let answer = clerk.answer(entry.job)
                hold.withLock { hold in
                    // Before it can be taken.
                    hold.untaken += 1
                    // Until the control thread has it: only that one knows what waits all together.
                    if entry.job.makesFile, answer.message.count > clerk.largeBytes { hold.isHeld = true }
                }
                answers.put(Answer(call: entry.call, message: answer.message, isFinal: answer.isFinal))
                // A record and its drawing are many small pieces of memory, which the allocator would keep.
                if entry.job.makesFile { Heap.trim() }
            }
            if jobs.isClosed { return }
        }
    }

    /// - Parameter turns: by user, when the last one had theirs.
    private static func next(of waiting: [Entry], held: Set<uid_t>, _ turns: [uid_t: UInt64]) -> Int? {
        waiting.indices.filter { !(waiting[$0].job.makesFile && held.contains(waiting[$0].user)) }
            .min { turns[waiting[$0].user] ?? 0 < turns[waiting[$1].user] ?? 0 }
    }
}
