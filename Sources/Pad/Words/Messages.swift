// SPDX-License-Identifier: Apache-2.0
public import HostAPI

/// A text of the pad. The raw value is its key in message files.
public enum Message: String, Sendable, CaseIterable {
    case idle
    /// The line below `idle`.
    case idleLine = "idle-line"
    case accept
    case clear
    case cancel
    case undo
    /// `signer` and `reason` have a place for a text of the host.
    case signer
    case reason
    /// The hint in an empty ink field.
    case signHere = "sign-here"
    case refusedNoInk = "refused-no-ink"
    case refusedFewStrokes = "refused-few-strokes"
    case refusedSmall = "refused-small"
    case refusedStraight = "refused-straight"
    case refusedQuick = "refused-quick"
    /// Asks whether anybody is there before an abandoned page ends.
    case stillThere = "still-there"
    case saving
    case thanks
    /// The line below `thanks`.
    case thanksNext = "thanks-next"
    /// The thanks to a person who has only initialled, or only answered.
    case thanksInitials = "thanks-initials"
    case thanksAnswers = "thanks-answers"
    case failed
    /// The caption below a picture of ink that was not accepted.
    case notAccepted = "not-accepted"
    case notRecording = "not-recording"
    case starting
    case outOfOrder = "out-of-order"
    /// The line below `outOfOrder` and `failed`.
    case outOfOrderLine = "out-of-order-line"
    case sketchSaving = "sketch-saving"
    case sketchSaved = "sketch-saved"
    case sketchNotSaved = "sketch-not-saved"
    case sketchNotKept = "sketch-not-kept"
    /// A host asks to be paired; has a place for its name.
    case pair
    /// The line below the digits.
    case pairLine = "pair-line"
    case allow
    /// The heading over what identifies the pad.
    case identity

    // Buttons of a document.
    /// The buttons to the next page of questions, and back.
    case next, back
    /// The label of the document's button when everything was read, answered and signed.
    case done
    /// The label of that button when a part of the document was not seen yet.
    case readOn = "read-on"

    // The next act in a document, and its place.
    /// Has a place for a page number.
    case page
    /// The names of things to do. Initials are the short form of a name, written by hand.
    case signature, initials, question
    /// The hints in empty ink fields for initials and for a note by hand.
    case initialHere = "initial-here"
    case writeHere = "write-here"

    // Why a document cannot be finished yet.
    case pleaseAnswer = "please-answer"
    case readFirst = "read-first"
    case readLonger = "read-longer"

    // Several people sign, or one signs several times.
    /// The headline that calls the next person; has a place for role and name.
    case handOver = "hand-over"
    /// The line below `handOver`.
    case handOverLine = "hand-over-line"
    /// A line on the page of a witness; has a place for the name or role of the one who signed.
    case witness
    /// The button that repeats the initials of the same person.
    case applyAgain = "apply-again"

    // Somebody does not agree to sign.
    case decline
    /// The heading over the host's reasons, and the last choice below them.
    case declineWhy = "decline-why"
    case declineNoReason = "decline-no-reason"
    /// The question in their place if the host has given no reasons.
    case declineSure = "decline-sure"
    case declined
    /// The line below `declined`.
    case declinedLine = "declined-line"

    // Alternatives to a signature.
    /// The button to the page with the alternatives, the heading of this page, and its choices. The first choice is
    /// also the text that the person confirms, and that the signed document shows.
    case instead
    case insteadHow = "instead-how"
    case insteadConfirm = "instead-confirm"
    case insteadMark = "instead-mark"
    case insteadRepresentative = "instead-representative"
    /// The hints in empty ink fields: for a mark, and for somebody who writes their name and signs.
    case markHere = "mark-here"
    case nameAndSign = "name-and-sign"
    /// The headings of the pages of witnesses and of a representative.
    case markWitness = "mark-witness"
    case representative
    /// The text for a typed name, on its page and in the signed document. Each has a place for the name.
    case typedByPerson = "typed-by-person"
    case typedByStaff = "typed-by-staff"
    /// Why there is a typed name; has a place for the reason.
    case typedReason = "typed-reason"
    /// Asks the person to hear the whole page before confirming it.
    case listenFirst = "listen-first"

    // Speech for people who do not see the page.
    /// The explanation of touches while the page is read aloud.
    case speechHelp = "speech-help"
    /// The explanation after the hint of an ink field, and the message when touches begin to draw in it.
    case speechField = "speech-field"
    case speechWrite = "speech-write"
    /// The number of strokes; has a place for it.
    case speechStrokes = "speech-strokes"
    /// The kind and the states of a control, after its label.
    case speechButton = "speech-button"
    case speechChosen = "speech-chosen"
    case speechNotChosen = "speech-not-chosen"
    case speechRequired = "speech-required"
    case speechOff = "speech-off"
    case speechLouder = "speech-louder"
    case speechQuieter = "speech-quieter"
    case speechSlower = "speech-slower"
    case speechFaster = "speech-faster"
    case speechRepeat = "speech-repeat"
    case speechStop = "speech-stop"
    /// The message for a document's page without a text.
    case speechNoText = "speech-no-text"
    /// The message on the page if it cannot be read aloud.
    case speechFailed = "speech-failed"

    /// Whether the text contains ``MessageTable/place``.
    var hasPlace: Bool {
        switch self {
        case .signer, .reason, .pair, .page, .handOver, .witness, .typedByPerson, .typedByStaff, .typedReason,
            .speechStrokes:
            true
        default: false
        }
    }

    /// Whether the message reports a problem.
    var isWarning: Bool {
        switch self {
        case .sketchNotSaved, .sketchNotKept, .notRecording: true
        default: false
        }
    }

    /// The label of a button; nil for one with an icon only.
    public init?(labelOf button: PageButton) {
        switch button {
        case .accept: self = .accept
        case .clear: self = .clear
        case .cancel: self = .cancel
        case .undo: self = .undo
        case .redo, .save, .color, .width, .nextColor, .nextWidth, .next, .back, .decline, .instead, .lead, .again,
            .option:
            return nil
        }
    }
}

/// The pad's texts in one language, the direction of its pages, and its forms of dates and times.
public struct MessageTable: Equatable, Sendable {
    /// The placeholder for a text of the host.
    public static let place = "{text}"

    /// The built-in language of the table or of its fallback; nil if it has neither.
    public internal(set) var language: Language?
    public var direction: LayoutDirection
    /// The numeric date, and the time of a 24-hour clock, with the order and separators of Unicode CLDR.
    public var dateFormat, timeFormat: DateFormat
    var texts: [Message: String]

    public subscript(message: Message) -> String {
        guard let text = texts[message] else { preconditionFailure("a table has all messages") }
        return text
    }

    /// The message with the host's text in its place. The text is isolated (Unicode FIRST STRONG ISOLATE and POP
    /// DIRECTIONAL ISOLATE), so that it keeps its own direction.
    public func text(_ message: Message, of text: String) -> String {
        let parts = self[message].split(separator: Self.place, maxSplits: 1, omittingEmptySubsequences: false)
        return parts.joined(separator: "\u{2068}\(text)\u{2069}")
    }

    /// The part of the message before the host's text, without the colon, such as "Reason"; nil if it is empty, or if
    /// something follows the text.
    func label(_ message: Message) -> String? {
        let text = self[message]
        guard text.hasSuffix(Self.place) else { return nil }
        let label = text.dropLast(Self.place.count).reversed().drop { $0.isWhitespace || $0 == ":" || $0 == "：" }
        return label.isEmpty ? nil : String(label.reversed())
    }
}

extension MessageTable {
    /// Maximum length of a message, in Unicode scalars.
    static let longestText = 512

    /// Parses lines of the form `key = text`, and skips empty lines and lines that start with #. The keys are those of
    /// messages, and `direction`, `date` and `time`.
    /// - Parameter fallback: supplies what is missing; nil if the text must have all messages.
    /// - Throws: the first ``MessageError``.
    public init(parsing text: String, fallback: MessageTable? = nil) throws(MessageError) {
        texts = fallback?.texts ?? [:]
        language = fallback?.language
        direction = fallback?.direction ?? .leftToRight
        dateFormat = fallback?.dateFormat ?? .iso8601
        timeFormat = fallback?.timeFormat ?? .twentyFourHours
        var lineOfKey: [String: Int] = [:]
        // Accept byte order marks and carriage returns, which editors on Windows write.
        let body = text.hasPrefix("\u{FEFF}") ? text.dropFirst() : text[...]
        for (index, line) in body.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let content = Self.trimmed(line)
            if content.isEmpty || content.hasPrefix("#") { continue }
            guard let equals = content.firstIndex(of: "=") else { throw .noEqualsSign(line: index + 1) }
            let key = String(Self.trimmed(content[..<equals]))
            if let first = lineOfKey.updateValue(index + 1, forKey: key) {
                throw .repeatedKey(line: index + 1, key: key, firstLine: first)
            }
            try add(key, String(Self.trimmed(content[content.index(after: equals)...])), line: index + 1)
        }
        let missing = Message.allCases.filter { texts[$0] == nil }
        if !missing.isEmpty { throw .missingKeys(missing.map(\.rawValue)) }
    }

    private mutating func add(_ key: String, _ text: String, line: Int) throws(MessageError) {
        if key == "direction" {
            guard let direction = LayoutDirection(rawValue: text) else { throw .noDirection(line: line, text: text) }
            self.direction = direction
            return
        }
        if key == "date" || key == "time" {
            guard let format = DateFormat(text) else { throw .noDateFormat(line: line, key: key, text: text) }
            if key == "date" { dateFormat = format } else { timeFormat = format }
            return
        }
        guard let message = Message(rawValue: key) else { throw .unknownKey(line: line, key: key) }
        if text.isEmpty { throw .emptyText(line: line, key: key) }
        if let hidden = HiddenCharacter(in: text) { throw .hiddenCharacter(line: line, key: key, hidden) }
        let length = text.unicodeScalars.count
        if length > Self.longestText { throw .longText(line: line, key: key, length: length) }
        let places = text.split(separator: Self.place, omittingEmptySubsequences: false).count - 1
        let wanted = message.hasPlace ? 1 : 0
        if places != wanted { throw .wrongPlaces(line: line, key: key, count: places, expected: wanted) }
        texts[message] = text
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return text
    }
}

/// Why a text is not a valid message table. Lines count from 1.
public enum MessageError: Error, Equatable, Sendable {
    case noEqualsSign(line: Int)
    case unknownKey(line: Int, key: String)
    case repeatedKey(line: Int, key: String, firstLine: Int)
    case emptyText(line: Int, key: String)
    case hiddenCharacter(line: Int, key: String, HiddenCharacter)
    case longText(line: Int, key: String, length: Int)
    case wrongPlaces(line: Int, key: String, count: Int, expected: Int)
    case noDirection(line: Int, text: String)
    case noDateFormat(line: Int, key: String, text: String)
    case missingKeys([String])
}

extension MessageError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noEqualsSign(let line): "line \(line): expected key = text"
        case .unknownKey(let line, let key):
            "line \(line): there is no message \"\(key)\"; there are direction, date, time, "
                + Message.allCases.map(\.rawValue).joined(separator: ", ")
        case .repeatedKey(let line, let key, let first): "line \(line): \"\(key)\" is already in line \(first)"
        case .emptyText(let line, let key): "line \(line): \"\(key)\" has no text"
        case .hiddenCharacter(let line, let key, let hidden):
            "line \(line): \"\(key)\" has \(hidden)"
        case .longText(let line, let key, let length):
            "line \(line): the text of \"\(key)\" has \(length) characters; at most \(MessageTable.longestText) "
                + "fit on a page"
        case .wrongPlaces(let line, let key, let count, let expected):
            expected == 0
                ? "line \(line): \"\(key)\" must not contain \(MessageTable.place)"
                : "line \(line): \"\(key)\" must contain \(MessageTable.place) once, in place of the host's text, "
                    + "but has it \(count) times"
        case .noDirection(let line, let text):
            "line \(line): \"direction\" is left-to-right or right-to-left, not \"\(text)\""
        case .noDateFormat(let line, let key, let text):
            "line \(line): \"\(key)\" is \(DateFormat.expectation), not \"\(text)\""
        case .missingKeys(let keys): "these messages are missing: " + keys.joined(separator: ", ")
        }
    }
}
