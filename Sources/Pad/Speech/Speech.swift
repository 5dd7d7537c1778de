// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI

/// A text to speak.
public struct Utterance: Equatable, Sendable {
    /// Grows with each utterance of the pad.
    public var number: UInt32
    public var text: String
    public var language: MessageTable.Language
    public var volume: SpeechVolume
    public var rate: SpeechRate

    public init(
        number: UInt32, text: String, language: MessageTable.Language, volume: SpeechVolume, rate: SpeechRate
    ) {
        self.number = number
        self.text = text
        self.language = language
        self.volume = volume
        self.rate = rate
    }
}

/// The loudness of speech: steps of 6 dB (EN 301 549 V3.2.1, 5.1.3.12 and 8.2.1: a range of 18 dB, a step of at most
/// 12).
public enum SpeechVolume: Int, Sendable, CaseIterable, Comparable {
    case quietest, quiet, medium, loud

    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

public enum SpeechRate: Int, Sendable, CaseIterable {
    case slow, usual, fast
}

/// The device on which speech is heard.
public enum SpeechOutput: Equatable, Sendable {
    case off
    /// A USB headset or headphones, if they are plugged in: nobody else hears what is private.
    case headset
    /// Any USB card that plays sound, whatever hangs on it.
    case usb
    /// A device of ALSA that the configuration names, such as `plughw:0`.
    case device(String)
}

/// A short sound that says where a finger is, without words.
public enum SpeechTone: Sendable, CaseIterable {
    /// The finger has come into the ink field.
    case field
    /// The ink has left the field: nothing is drawn there.
    case edge
}

/// An action for the thread that speaks.
public enum SpeechAction: Equatable, Sendable {
    /// Ends what is being spoken and speaks this. Answered with ``SpeechAnswer/spoken(_:)`` or
    /// ``SpeechAnswer/failed(reason:)``.
    case say(Utterance)
    case silence
    case tone(SpeechTone, SpeechVolume)
}

/// The speaking thread's answer.
public enum SpeechAnswer: Equatable, Sendable {
    /// Whether speech can be heard: the programs are installed, and there is a headset or the device of the
    /// configuration. Sent at the start and at each change.
    /// - Parameter isPlugged: a headset has just been plugged in.
    case ready(Bool, isPlugged: Bool)
    /// The utterance with this number has been spoken to its end.
    case spoken(UInt32)
    /// The utterance with this number cannot be spoken.
    /// - Parameter reason: for people.
    case failed(UInt32, reason: String)
}

/// The page as it is read aloud: its items, the item that was read last, and the texts that wait. ``Pad`` has this
/// value while speech is on.
struct Speech {
    /// A part of the page that is read as a whole.
    struct Item: Equatable {
        enum Kind: Equatable {
            case text
            /// A piece of the document's text.
            case paragraph
            /// The ink field. Touches draw in it only after it was pressed.
            case field
            /// A control, with its ``PageDescription/Control/id``.
            case control(Int)
            case command(Command)
        }

        var kind: Kind
        var words: String
        /// nil if it has no place of its own on the glass.
        var place: MirrorReply.Rectangle?

        /// Whether the item is the same thing, whatever its state.
        func isSame(as other: Self) -> Bool {
            kind == other.kind && (words == other.words || kind != .text && kind != .paragraph)
        }
    }

    /// Commands for speech itself, after the items of the page.
    enum Command: CaseIterable {
        case `repeat`, louder, quieter, slower, faster, stop

        var label: Message {
            switch self {
            case .repeat: .speechRepeat
            case .louder: .speechLouder
            case .quieter: .speechQuieter
            case .slower: .speechSlower
            case .faster: .speechFaster
            case .stop: .speechStop
            }
        }
    }

    /// The contents of the glass.
    struct Shown {
        var description: PageDescription
        var items: [Item]
        /// The texts of the document's visible pages that have arrived, with the numbers of the pages.
        var pages: [(number: Int, pieces: [String])] = []
        /// ``PageDescription/Control/id`` of the control with the focus.
        var focus: Int?
        /// The strokes on the page.
        var strokes = 0
        /// Grows with each message over the page.
        var notices = 0
    }

    /// The time without a new stroke after which the number of strokes is said.
    static let strokePause = Duration.seconds(1)

    var volume = SpeechVolume.loud
    var rate = SpeechRate.usual
    var touch = SpeechTouch()
    /// ``PageDescription/number`` of the page whose items these are.
    private(set) var page: UInt32?
    private(set) var items: [Item] = []
    /// The index of the item that was read last, which a tap presses.
    private var index: Int?
    /// The index of the item that the finger on the glass has read.
    var explored: Int?
    /// The texts that wait, and the text that is being spoken, with the time of its beginning. Its utterance has the
    /// number ``number``.
    private(set) var waiting: [String] = []
    private(set) var speaking: String?
    private var since = Timestamp.distantPast
    private(set) var number: UInt32
    /// The texts that were said last, for ``Command/repeat``.
    private var lastSaid: [String] = []
    /// Whether touches in the ink field draw.
    private(set) var writes = false
    /// The contacts that draw, and whether each is in the field.
    var writers: [Int32: Bool] = [:]
    /// The number of strokes on the page, and when to say it.
    private var strokes = 0
    private var strokesEnd: Timestamp?
    /// Whether the help was said, and the message that the record is being stored.
    private var hasHelped = false
    private var hasSaidSaving = false
    private var notices = 0
    private var focus: Int?
    private var documentLabel: String?
    /// The visible pages of the document that were read, or are being read.
    private var readPages: Set<Int> = []

    /// - Parameter number: below those of all utterances to come.
    init(after number: UInt32) { self.number = number }

    var current: Item? { index.map { items[$0] } }
    var isSpeaking: Bool { speaking != nil }

    // MARK: saying

    /// Says texts now, in place of the text that is being spoken and those that wait.
    mutating func say(_ texts: [String], at now: Timestamp, _ messages: MessageTable, _ actions: inout [PadAction]) {
        lastSaid = texts
        waiting = texts.flatMap(SpokenText.pieces)
        next(at: now, messages, &actions)
    }

    /// Says further texts after those that wait.
    private mutating func add(
        _ pieces: [String], at now: Timestamp, _ messages: MessageTable, _ actions: inout [PadAction]
    ) {
        lastSaid += pieces
        waiting += pieces
        if speaking == nil { next(at: now, messages, &actions) }
    }

    /// Says a message now, then repeats the text that it interrupts, and goes on.
    private mutating func interject(
        _ text: String, at now: Timestamp, _ messages: MessageTable, _ actions: inout [PadAction]
    ) {
        waiting = SpokenText.pieces(of: text) + (speaking.map { [$0] } ?? []) + waiting
        next(at: now, messages, &actions)
    }

    private mutating func next(at now: Timestamp, _ messages: MessageTable, _ actions: inout [PadAction]) {
        speaking = nil
        if waiting.isEmpty { return }
        let text = waiting.removeFirst()
        number &+= 1
        (speaking, since) = (text, now)
        let utterance = Utterance(
            number: number, text: text, language: messages.language ?? .english, volume: volume, rate: rate)
        actions.append(.speech(.say(utterance)))
    }

    /// The utterance with this number was spoken.
    /// - Returns: its text, and how long it took; nil if it was cut short.
    mutating func spoken(
        _ number: UInt32, at now: Timestamp, _ messages: MessageTable, _ actions: inout [PadAction]
    ) -> (text: String, time: Duration)? {
        guard number == self.number, let text = speaking else { return nil }
        let time = now - since
        next(at: now, messages, &actions)
        return (text, time)
    }

    /// Stops speech at once, because somebody acts (EN 301 549 V3.2.1, 5.1.3.4).
    mutating func stop(_ actions: inout [PadAction]) {
        waiting = []
        if speaking == nil { return }
        speaking = nil
        actions.append(.speech(.silence))
    }

    // MARK: items

    /// Reads an item, which a tap then presses.
    mutating func read(_ index: Int, at now: Timestamp, _ messages: MessageTable, _ actions: inout [PadAction]) {
        self.index = index
        say([items[index].words], at: now, messages, &actions)
    }

    /// The index of the item under a finger: the smallest, as a field is within its document.
    func item(at point: Point) -> Int? {
        func area(_ index: Int) -> Int { items[index].place.map { $0.width * $0.height } ?? .max }
        return items.indices.filter { items[$0].place.map { PixelRect($0).contains(point) } ?? false }
            .min { area($0) < area($1) }
    }

    /// The index of the next or the previous item. If none was read, that of the first or the last item.
    func item(after step: Int) -> Int? {
        guard let index else { return step > 0 ? items.indices.first : items.indices.last }
        return items.indices.contains(index + step) ? index + step : nil
    }

    /// Whether the item that was read last is the last paragraph of the document's visible text.
    var isAtLastParagraph: Bool {
        guard let index, items[index].kind == .paragraph else { return false }
        return !items.indices.contains(index + 1) || items[index + 1].kind != .paragraph
    }

    mutating func beginWriting(at now: Timestamp, _ messages: MessageTable, _ actions: inout [PadAction]) {
        writes = true
        say([messages[.speechWrite]], at: now, messages, &actions)
    }

    mutating func perform(
        _ command: Command, at now: Timestamp, _ messages: MessageTable, _ actions: inout [PadAction]
    ) {
        switch command {
        case .repeat, .stop: break
        case .louder: volume = SpeechVolume(rawValue: volume.rawValue + 1) ?? volume
        case .quieter: volume = SpeechVolume(rawValue: volume.rawValue - 1) ?? volume
        case .slower: rate = SpeechRate(rawValue: rate.rawValue - 1) ?? rate
        case .faster: rate = SpeechRate(rawValue: rate.rawValue + 1) ?? rate
        }
        // The new loudness and speed are heard at once.
        say(command == .repeat ? lastSaid : [messages[command.label]], at: now, messages, &actions)
    }

    // MARK: changes

    /// Says what has changed on the glass.
    mutating func update(
        _ shown: Shown, at now: Timestamp, _ messages: MessageTable, _ actions: inout [PadAction]
    ) {
        let (last, lastCurrent) = (items, current)
        items = shown.items + Command.allCases.map { Item(kind: .command($0), words: messages[$0.label]) }
        let label = shown.description.document?.label
        defer { (notices, focus, documentLabel) = (shown.notices, shown.focus, label) }
        let newPages = shown.pages.filter { !readPages.contains($0.number) }
        readPages = Set(shown.pages.map(\.number))
        let texts = newPages.flatMap { $0.pieces.isEmpty ? [messages[.speechNoText]] : $0.pieces }
        if page != shown.description.number {
            page = shown.description.number
            (index, writes, writers, touch) = (nil, false, [:], SpeechTouch())
            (strokes, strokesEnd) = (shown.strokes, nil)
            let help = hasHelped || !shown.items.contains { $0.kind != .text } ? [] : [messages[.speechHelp]]
            if !help.isEmpty { hasHelped = true }
            return say(help + shown.items.map(\.words), at: now, messages, &actions)
        }
        if let lastCurrent, let index, !items.indices.contains(index) || !items[index].isSame(as: lastCurrent) {
            self.index = items.firstIndex { $0.isSame(as: lastCurrent) }
        }
        if shown.strokes != strokes {
            strokes = shown.strokes
            strokesEnd = now + Self.strokePause
        }
        if let text = shown.description.notice, shown.notices != notices {
            interject(text, at: now, messages, &actions)
        } else if shown.focus != focus,
            let index = items.firstIndex(where: { $0.kind == shown.focus.map { .control($0) } })
        {
            read(index, at: now, messages, &actions)
        } else if strokesEnd == nil, let current, let lastCurrent, current.words != lastCurrent.words,
            last.contains(where: { $0.isSame(as: current) })
        {
            say([current.words], at: now, messages, &actions)
        }
        let moved = label != documentLabel ? [label].compactMap(\.self) : []
        if !(moved + texts).isEmpty { add(moved + texts, at: now, messages, &actions) }
    }

    /// Says once that the record is being stored.
    mutating func saySaving(at now: Timestamp, _ messages: MessageTable, _ actions: inout [PadAction]) {
        // The strokes are accepted, and need not be counted.
        strokesEnd = nil
        if hasSaidSaving { return }
        hasSaidSaving = true
        say([messages[.saving]], at: now, messages, &actions)
    }

    /// Says the number of strokes when no more have come.
    mutating func sayStrokes(at now: Timestamp, _ messages: MessageTable, _ actions: inout [PadAction]) {
        guard let end = strokesEnd, now >= end else { return }
        strokesEnd = nil
        if writers.isEmpty {
            say([messages.text(.speechStrokes, of: "\(strokes)")], at: now, messages, &actions)
        } else {
            strokesEnd = now + Self.strokePause
        }
    }

    var deadline: Timestamp? { [strokesEnd, touch.deadline].compactMap { $0 }.min() }
}
