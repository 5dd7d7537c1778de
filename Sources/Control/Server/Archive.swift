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

    private struct Boxes: Sendable {
        var jobs: [(CallID, Job)] = []
        var answers: [Answer] = []
        var isHeld = false
        var isEnding = false
    }

    private let boxes = Mutex(Boxes())
    private let toArchive: EventSignal
    private let toControl: EventSignal
    private let clerk: ArchiveClerk

    init(_ clerk: ArchiveClerk) throws(Errno) {
        self.clerk = clerk
        toArchive = try EventSignal(blocking: true)
        toControl = try EventSignal(blocking: false)
    }

    // MARK: control thread

    /// Readable when answers wait.
    var descriptor: CInt { toControl.number }

    func submit(_ call: CallID, _ job: Job) {
        boxes.withLock { $0.jobs.append((call, job)) }
        toArchive.signal()
    }

    /// Nobody waits for that call any more. What it would only have read is left; a deletion is done.
    func forget(_ call: CallID) {
        boxes.withLock { boxes in
            boxes.jobs.removeAll { id, job in
                if case .call(.delete) = job { return false }
                return id == call
            }
        }
    }

    /// Whether to begin nothing for now: too much waits to be taken by hosts.
    func hold(_ isHeld: Bool) {
        let hasChanged = boxes.withLock { boxes in
            // What has been made since is counted first.
            if !isHeld, !boxes.answers.isEmpty { return false }
            defer { boxes.isHeld = isHeld }
            return boxes.isHeld != isHeld
        }
        if hasChanged { toArchive.signal() }
    }

    func takeAnswers() -> [Answer] {
        toControl.wait()
        return boxes.withLock { boxes in
            defer { boxes.answers = [] }
            return boxes.answers
        }
    }

    /// The thread shall end after what it does now.
    func finish() {
        boxes.withLock { $0.isEnding = true }
        toArchive.signal()
    }

    // MARK: archive thread

    func run() {
        while true {
            toArchive.wait()
            while let (call, job) = next() {
                let answer = clerk.answer(job)
                boxes.withLock { boxes in
                    boxes.answers.append(Answer(call: call, message: answer.message, isFinal: answer.isFinal))
                    // Until the control thread has it: only that one knows what waits all together.
                    if answer.message.count > clerk.largeBytes { boxes.isHeld = true }
                }
                toControl.signal()
            }
            if boxes.withLock({ $0.isEnding }) { return }
        }
    }

    private func next() -> (CallID, Job)? {
        boxes.withLock { boxes in
            boxes.isHeld || boxes.isEnding || boxes.jobs.isEmpty ? nil : boxes.jobs.removeFirst()
        }
    }
}
