// SPDX-License-Identifier: Apache-2.0
import Linux

/// What the main and the record thread share.
final class RecordLink: Sendable {
    private let jobs: Mailbox<RecordJob>
    private let answers: Mailbox<RecordAnswer>

    init() throws(Errno) {
        jobs = try Mailbox(blocking: true)
        answers = try Mailbox(blocking: false)
    }

    // MARK: main thread

    /// Readable when answers wait.
    var descriptor: CInt { answers.descriptor }

    func send(_ job: RecordJob) { jobs.put(job) }

    func takeAnswers() -> [RecordAnswer] { answers.take().items }

    /// The record thread shall end after what it was told before.
    func finish() { jobs.close() }

    // MARK: record thread

    /// Blocks until there is something to do or to end.
    /// - Parameter deadline: when to come back anyway, in nanoseconds of ``MonotonicClock``; nil is never.
    func waitForJobs(until deadline: Int64?) -> (jobs: [RecordJob], isEnding: Bool) {
        let (jobs, isEnding) = jobs.take(until: deadline)
        return (jobs, isEnding)
    }

    func answer(_ answer: RecordAnswer) { answers.put(answer) }
}
