// SPDX-License-Identifier: Apache-2.0
public import Linux
public import Pad

/// The mailboxes between the main and the speaking thread.
public final class SpeechLink: Sendable {
    private let actions: Mailbox<SpeechAction>
    private let answers: Mailbox<SpeechAnswer>

    public init() throws(Errno) {
        actions = try Mailbox(blocking: true)
        answers = try Mailbox(blocking: false)
    }

    // MARK: main thread

    /// Readable when answers wait.
    public var descriptor: CInt { answers.descriptor }

    /// - Parameter moment: the actions of one event.
    public func send(_ moment: [SpeechAction]) { actions.put(contentsOf: moment) }

    public func receiveAnswers() -> [SpeechAnswer] { answers.take().items }

    /// Ends the thread and what it says.
    public func finish() { actions.close() }

    // MARK: speaking thread

    /// Waits for actions.
    /// - Returns: nil when the thread must end.
    fileprivate func receive() -> [SpeechAction]? {
        // ``stop`` may have taken the signal of these.
        if actions.hasItems || actions.isClosed { actions.wake() }
        let (items, isEnding) = actions.take()
        return isEnding ? nil : items
    }

    fileprivate func answer(_ answer: SpeechAnswer) { answers.put(answer) }

    /// Ends what is being said when there is something else to do.
    fileprivate var stop: Exchange.Stop {
        Exchange.Stop(descriptor: actions.descriptor) {
            // A signal without actions, whose items were taken with others', must not wake this one again and again.
            self.actions.wait(until: MonotonicClock.now)
            return self.actions.hasItems || self.actions.isClosed
        }
    }
}

/// The thread that speaks. It alone waits for the programs of ``Voice``.
public enum SpeechThread {
    public static func start(_ voice: Voice, link: SpeechLink) throws(Errno) -> Thread {
        try Thread(name: "speech") {
            while let actions = link.receive() { perform(actions, voice, link) }
        }
    }

    /// Performs the actions after the last ``SpeechAction/silence``: plays all tones, then speaks only the last text.
    private static func perform(_ actions: [SpeechAction], _ voice: Voice, _ link: SpeechLink) {
        let silence = actions.lastIndex(of: .silence)
        var utterance: Utterance?
        for action in actions[(silence.map { $0 + 1 } ?? 0)...] {
            switch action {
            case .silence: break
            case .tone(let tone, let volume): try? play(tone.sound(volume), voice, link)
            case .say(let next): utterance = next
            }
        }
        guard let utterance else { return }
        do throws(VoiceFault) {
            try play(try voice.sound(of: utterance, stop: link.stop), voice, link)
            link.answer(.spoken(utterance.number))
        } catch {
            if case .failed(let reason) = error { link.answer(.failed(utterance.number, reason: reason)) }
        }
    }

    private static func play(_ sound: [UInt8], _ voice: Voice, _ link: SpeechLink) throws(VoiceFault) {
        guard let device = voice.device else { throw .failed("there is no headset") }
        try voice.play(sound, on: device, stop: link.stop)
    }
}
