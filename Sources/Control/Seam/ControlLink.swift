// SPDX-License-Identifier: Apache-2.0
public import Linux

/// What the main thread and the control thread share, and how they wake each other.
public final class ControlLink: Sendable {
    private let inputs: Mailbox<PanelInput>
    private let answers: Mailbox<(CallID, PanelAnswer)>

    public init() throws(Errno) {
        inputs = try Mailbox(blocking: false)
        answers = try Mailbox(blocking: false)
    }

    // MARK: main thread

    /// Readable when inputs wait; for the main thread's epoll set.
    public var descriptor: CInt { inputs.descriptor }

    /// All that wait, oldest first. Each call is named by one `call`, perhaps followed by one `gone`; it wants exactly
    /// one final answer, unless it is gone.
    public func takeInputs() -> [PanelInput] { inputs.take().items }

    /// Says something to a call; what is said after its final answer, or after it has gone, goes nowhere.
    public func answer(_ call: CallID, _ answer: PanelAnswer) { answers.put((call, answer)) }

    // MARK: control thread

    /// Readable when answers wait, or the thread shall end.
    var answerDescriptor: CInt { answers.descriptor }

    func send(_ input: PanelInput) { inputs.put(input) }

    /// All that wait, oldest first.
    func takeAnswers() -> (answers: [(CallID, PanelAnswer)], isEnding: Bool) {
        let (items, isClosed) = answers.take()
        return (items, isClosed)
    }

    // MARK: any thread

    /// The control thread shall end after delivering what was answered before.
    func finish() { answers.close() }
}
