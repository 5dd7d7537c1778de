// SPDX-License-Identifier: Apache-2.0
import Linux
import Pad

/// What the main and the record thread share.
final class RecordLink: Sendable {
    private let jobs: Mailbox<StoreAction>
    private let answers: Mailbox<StoreAnswer>

    init() throws(Errno) {
        jobs = try Mailbox(blocking: true)
        answers = try Mailbox(blocking: false)
    }

    // MARK: main thread

    /// Readable when answers wait.
    var descriptor: CInt { answers.descriptor }

    func send(_ job: StoreAction) { jobs.put(job) }

    func takeAnswers() -> [StoreAnswer] { answers.take().items }

    /// The record thread shall end after what it was told before.
    func finish() { jobs.close() }

    // MARK: record thread

    /// Blocks until there is something to do or to end.
    /// - Parameter deadline: when to come back anyway, in nanoseconds of ``MonotonicClock``; nil is never.
    func waitForJobs(until deadline: Int64?) -> (jobs: [StoreAction], isEnding: Bool) {
        let (jobs, isEnding) = jobs.take(until: deadline)
        return (jobs, isEnding)
    }

    func answer(_ answer: StoreAnswer) { answers.put(answer) }
}
