// SPDX-License-Identifier: Apache-2.0
public import Linux
import Synchronization

/// What the main thread and the control thread share, and how they wake each other. The lock is held for a swap only.
public final class ControlLink: Sendable {
    private struct Boxes: Sendable {
        var inputs: [PanelInput] = []
        var answers: [(CallID, PanelAnswer)] = []
        var isEnding = false
    }

    private let boxes = Mutex(Boxes())
    private let toMain: EventSignal
    private let toControl: EventSignal

    public init() throws(Errno) {
        toMain = try EventSignal(blocking: false)
        toControl = try EventSignal(blocking: false)
    }

    // MARK: main thread

    /// Readable when inputs wait; for the main thread's epoll set.
    public var descriptor: CInt { toMain.number }

    /// All that wait, oldest first. Each call is named by one `call`, perhaps followed by one `gone`; it wants exactly
    /// one final answer, unless it is gone.
    public func takeInputs() -> [PanelInput] {
        toMain.wait()
        return boxes.withLock { boxes in
            defer { boxes.inputs = [] }
            return boxes.inputs
        }
    }

    /// Says something to a call; what is said after its final answer, or after it has gone, goes nowhere.
    public func answer(_ call: CallID, _ answer: PanelAnswer) {
        boxes.withLock { $0.answers.append((call, answer)) }
        toControl.signal()
    }

    // MARK: control thread

    /// Readable when answers wait, or the thread shall end.
    var answerDescriptor: CInt { toControl.number }

    func send(_ input: PanelInput) {
        boxes.withLock { $0.inputs.append(input) }
        toMain.signal()
    }

    /// All that wait, oldest first.
    func takeAnswers() -> (answers: [(CallID, PanelAnswer)], isEnding: Bool) {
        toControl.wait()
        return boxes.withLock { boxes in
            defer { boxes.answers = [] }
            return (boxes.answers, boxes.isEnding)
        }
    }

    // MARK: any thread

    /// The control thread shall end after delivering what was answered before.
    func finish() {
        boxes.withLock { $0.isEnding = true }
        toControl.signal()
    }
}
