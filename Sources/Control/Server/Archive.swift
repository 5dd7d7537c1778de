// SPDX-License-Identifier: Apache-2.0
import Linux
import Record
import Synchronization

/// The thread that reads and changes the store for hosts: a file that is long in the making, or a medium that is slow,
/// keeps nobody from cancelling.
final class Archive: Sendable {
    enum Job: Sendable {
        case call(ArchiveCall)
        /// A status of the main thread's, to be answered together with that of the store.
        case status(PanelStatus, continues: Bool)
    }

    struct Answer: Sendable {
        var call: CallID
        /// With its end.
        var message: [UInt8]
        var isFinal: Bool
    }

    /// What keeps the thread from beginning the next job.
    private struct Hold: Sendable {
        var isHeld = false
        /// Answers that the control thread has not taken.
        var untaken = 0
    }

    private let jobs: Mailbox<(CallID, Job)>
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

    func submit(_ call: CallID, _ job: Job) { jobs.put((call, job)) }

    /// Nobody waits for that call any more. What it would only have read is left; a deletion is done.
    func forget(_ call: CallID) {
        jobs.removeAll { id, job in
            if case .call(.delete) = job { return false }
            return id == call
        }
    }

    /// Whether to begin nothing for now: too much waits to be taken by hosts.
    func hold(_ isHeld: Bool) {
        let isOver = hold.withLock { hold in
            // What has been made since is counted first.
            if !isHeld, hold.untaken > 0 { return false }
            defer { hold.isHeld = isHeld }
            return hold.isHeld && !isHeld
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
        while true {
            jobs.wait()
            while !hold.withLock({ $0.isHeld }), let (call, job) = jobs.takeFirst() {
                let answer = clerk.answer(job)
                hold.withLock { hold in
                    // Before it can be taken.
                    hold.untaken += 1
                    // Until the control thread has it: only that one knows what waits all together.
                    if answer.message.count > clerk.largeBytes { hold.isHeld = true }
                }
                answers.put(Answer(call: call, message: answer.message, isFinal: answer.isFinal))
            }
            if jobs.isClosed { return }
        }
    }
}
