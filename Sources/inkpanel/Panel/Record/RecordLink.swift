// SPDX-License-Identifier: Apache-2.0
import Linux
import Synchronization

/// What the main and the record thread share. The lock is held for a swap only.
final class RecordLink: Sendable {
    private struct Boxes: Sendable {
        var jobs: [RecordJob] = []
        var answers: [RecordAnswer] = []
        var isEnding = false
    }

    private let boxes = Mutex(Boxes())
    private let toRecord: EventSignal
    private let toMain: EventSignal

    init() throws(Errno) {
        toRecord = try EventSignal(blocking: true)
        toMain = try EventSignal(blocking: false)
    }

    // MARK: main thread

    /// Readable when answers wait.
    var descriptor: CInt { toMain.number }

    func send(_ job: RecordJob) {
        boxes.withLock { $0.jobs.append(job) }
        toRecord.signal()
    }

    func takeAnswers() -> [RecordAnswer] {
        toMain.wait()
        return boxes.withLock { boxes in
            defer { boxes.answers = [] }
            return boxes.answers
        }
    }

    /// The record thread shall end after what it was told before.
    func finish() {
        boxes.withLock { $0.isEnding = true }
        toRecord.signal()
    }

    // MARK: record thread

    /// Blocks until there is something to do or to end.
    /// - Parameter deadline: when to come back anyway, in nanoseconds of ``MonotonicClock``; nil is never.
    func waitForJobs(until deadline: Int64?) -> (jobs: [RecordJob], isEnding: Bool) {
        if let deadline { toRecord.wait(until: deadline) } else { toRecord.wait() }
        return boxes.withLock { boxes in
            defer { boxes.jobs = [] }
            return (boxes.jobs, boxes.isEnding)
        }
    }

    func answer(_ answer: RecordAnswer) {
        boxes.withLock { $0.answers.append(answer) }
        toMain.signal()
    }
}
