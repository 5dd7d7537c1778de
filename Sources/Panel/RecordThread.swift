// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import Linux
import Pad
import Record
import Store

/// The settings for storing records and the sketch.
struct RecordSettings: Sendable {
    struct Sketch: Sendable {
        /// nil if the page fits on no connected screen.
        var page: SketchPage?
        /// The folder for saved pictures.
        var folder: SketchFolder
        /// The background of the pictures.
        var background: Color
    }

    var store: CaptureStore
    var retention: CaptureRetention
    /// nil if the pad has no sketch page.
    var sketch: Sketch?
    /// How documents are signed.
    var documents = DocumentSettings()
    var log: Log
    var clock: @Sendable () -> WallClock.Reading = { WallClock.read() }
}

/// A unit of work for the record thread.
enum RecordStep: Sendable {
    case store(StoreAction)
    /// The page of the running capture: first without ink, last as it was accepted.
    case image(PageImage, of: CaptureID)
    case retention(CaptureRetention)
}

/// The mailboxes between the main and the record thread.
final class RecordLink: Sendable {
    private let steps: Mailbox<RecordStep>
    private let answers: Mailbox<StoreAnswer>
    /// The set of descriptors on which the record thread waits.
    private let poll: EventPoll

    init() throws(Errno) {
        steps = try Mailbox(blocking: false)
        answers = try Mailbox(blocking: false)
        poll = try EventPoll()
        try poll.add(steps.descriptor, token: 0)
    }

    // MARK: main thread

    /// Readable when answers wait.
    var descriptor: CInt { answers.descriptor }

    func send(_ step: RecordStep) { steps.put(step) }

    func receiveAnswers() -> [StoreAnswer] { answers.take().items }

    /// Ends the record thread when it has performed all sent steps.
    func finish() { steps.close() }

    // MARK: record thread

    /// Ends waits when `descriptor` is readable, too.
    func wake(for descriptor: CInt) throws(Errno) { try poll.add(descriptor, token: 1) }

    /// Blocks until there are steps, the thread must end or another descriptor is readable.
    /// - Parameter deadline: on ``MonotonicClock``; nil waits without a limit.
    func waitForWork(until deadline: Timestamp?) -> (steps: [RecordStep], isEnding: Bool) {
        _ = try? poll.wait(until: deadline)
        let (steps, isEnding) = steps.take()
        return (steps, isEnding)
    }

    func answer(_ answer: StoreAnswer) { answers.put(answer) }
}

/// The thread that writes records and the sketch. It alone waits for the disk.
struct RecordThread: ~Copyable {
    private let thread: Linux.Thread

    init(_ settings: RecordSettings, link: RecordLink) throws(Errno) {
        let thread = try Linux.Thread(name: "record") {
            var writer = RecordWriter(settings)
            if let outbox = writer.outbox { try? link.wake(for: outbox.descriptor) }
            link.answer(writer.open())
            if let answer = writer.scatter.open() { link.answer(answer) }
            if let answer = writer.openSketch() { link.answer(answer) }
            var isEnding = false
            while !isEnding {
                let (steps, ends) = link.waitForWork(until: writer.deadline)
                for step in steps {
                    let action: StoreAction
                    switch step {
                    case .store(let next): action = next
                    case .image(let image, let id):
                        if let answer = writer.receive(image, of: id) { link.answer(answer) }
                        continue
                    case .retention(let retention):
                        writer.settings.retention = retention
                        writer.applyRetention()
                        continue
                    }
                    guard let answer = writer.perform(action) else { continue }
                    link.answer(answer)
                    // Answer first, because a person waits.
                    guard case .committed(let id, _, _) = answer else { continue }
                    writer.deliver()
                    writer.applyRetention(sparing: id)
                }
                if let answer = writer.update(at: MonotonicClock.now) { link.answer(answer) }
                isEnding = ends
            }
            writer.scatter.close()
            writer.closeSketch()
        }
        self.thread = thread
    }

    /// Waits for the thread, after ``RecordLink/finish()``.
    consuming func join() { thread.join() }
}
