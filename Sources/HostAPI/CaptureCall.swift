// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Geometry

/// Asks for a signature: the parameters of `Capture`. Names and ranges are those of org.inkpanel.Panel.varlink.
///
/// ```swift
/// let document = CaptureRequest.Document(reference: "order-4711.pdf")
/// var call = CaptureCall(
///     request: CaptureRequest(prompt: ["Order 4711"], document: document), documentBytes: bytes, waits: true)
/// call.policy.undo = false
/// ```
public struct CaptureCall: Codable, Equatable, Sendable {
    /// The request that the person signs.
    public var request: CaptureRequest
    /// The document itself, of which the panel computes the digest; it does not keep the bytes.
    public var documentBytes: [UInt8]?
    /// The parts of the request that the page shows.
    public var shows: ShownFields
    /// Overrides the panel's policy.
    public var policy: CapturePolicy
    /// Whether to wait while another capture runs, instead of failing.
    public var waits: Bool
    /// The pages beside the one to sign on.
    public var flow = CaptureFlow()
    /// The least height of capitals on all pages, in millimetres; nil for that of the panel's configuration.
    public var letters: Double?
    /// The help that the person needs.
    public var assistance: Set<Assistance> = []
    // The panel adds these to the parameters.
    /// Whether the host wants progress.
    package var follows = false
    /// The role of the host, which the record keeps.
    package var askedBy = HostRole.operator

    public init(
        request: CaptureRequest, documentBytes: [UInt8]? = nil, shows: ShownFields = ShownFields(),
        policy: CapturePolicy = CapturePolicy(), waits: Bool = false
    ) {
        self.request = request
        self.documentBytes = documentBytes
        self.shows = shows
        self.policy = policy
        self.waits = waits
    }

    package init(
        request: CaptureRequest, shows: ShownFields = ShownFields(), policy: CapturePolicy = CapturePolicy(),
        waits: Bool = false, follows: Bool, askedBy: HostRole = .operator
    ) {
        self.init(request: request, shows: shows, policy: policy, waits: waits)
        self.follows = follows
        self.askedBy = askedBy
    }
}

/// Help that a person needs to sign.
public enum Assistance: String, Codable, CaseIterable, Sendable {
    /// The pages are read aloud, and touches read them.
    case speech
}

extension CaptureCall: StrictMembers {
    package enum CodingKeys: CodingKey, CaseIterable {
        case prompt, rows, signer, reason, `operator`, document, data, language, letters, assistance, shows, policy,
            wait
        case questions, people, decline
    }

    private enum ShownKey: CodingKey, CaseIterable { case prompt, signer, reason, date }
    private enum DocumentKey: CodingKey, CaseIterable {
        case reference, sha256, base64, id, fields, policy, values, caption, strict, allow, final, flatten, signed
    }

    private struct Row: StrictMembers {
        enum CodingKeys: CodingKey, CaseIterable { case label, value }

        var label, value: String
    }

    /// Fails for unknown members and wrong types. The panel checks the values.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.strictContainer(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) throws -> String? { try members.decodeIfPresent(String.self, forKey: key) }
        let prompt = try members.decodeListIfPresent(String.self, forKey: .prompt, of: "lines")
        let rows = try members.decodeListIfPresent(Strict<Row>.self, forKey: .rows, of: "rows")?.map {
            CaptureRequest.Row(label: $0.value.label, value: $0.value.value)
        }
        let (signer, reason) = (try text(.signer), try text(.reason))
        let document = try members.strictContainerIfPresent(keyedBy: DocumentKey.self, forKey: .document)
        let data = try members.decodeIfPresent([String: String].self, forKey: .data)
        let shown = try members.strictContainerIfPresent(keyedBy: ShownKey.self, forKey: .shows)
        func shows(_ key: ShownKey) throws -> Bool { try shown?.decodeIfPresent(Bool.self, forKey: key) ?? true }
        self.init(
            request: CaptureRequest(
                prompt: prompt ?? [], rows: rows?.isEmpty == true ? nil : rows, signer: signer, reason: reason,
                document: try document.flatMap { try Self.document($0) }, data: data?.isEmpty == true ? nil : data,
                language: try text(.language), operator: try text(.operator)),
            documentBytes: try document.flatMap { try Self.bytes(of: $0) },
            shows: ShownFields(
                prompt: try shows(.prompt), signer: try shows(.signer), reason: try shows(.reason),
                date: try shows(.date)),
            policy: try members.decodeIfPresent(CapturePolicy.self, forKey: .policy) ?? CapturePolicy(),
            waits: try members.decodeIfPresent(Bool.self, forKey: .wait) ?? false)
        flow = CaptureFlow(
            document: try document.flatMap { try Self.readDocument($0) },
            questions: try members.decodeListIfPresent(
                Strict<CaptureQuestion>.self, forKey: .questions, of: "questions")?.map(\.value) ?? [],
            people: try members.decodeListIfPresent(
                Strict<CapturePerson>.self, forKey: .people, of: "people")?.map(\.value) ?? [],
            declineReasons: try members.decodeListIfPresent(String.self, forKey: .decline, of: "reasons"))
        letters = try members.decodeIfPresent(Double.self, forKey: .letters)
        assistance = Set(
            try members.decodeListIfPresent(Assistance.self, forKey: .assistance, of: "kinds of assistance") ?? [])
    }

    private static func readDocument(_ members: KeyedDecodingContainer<DocumentKey>) throws -> ReadDocument? {
        guard let id = try members.decodeIfPresent(String.self, forKey: .id) else {
            let others: [DocumentKey] = [
                .fields, .policy, .values, .caption, .strict, .allow, .final, .flatten, .signed,
            ]
            if let key = others.first(where: { members.contains($0) }) {
                throw Expectation.failure("no \(key.stringValue) without id", at: members.codingPath + [key])
            }
            return nil
        }
        if members.contains(.base64) {
            throw Expectation.failure("no base64 beside id", at: members.codingPath + [DocumentKey.base64])
        }
        return ReadDocument(
            id: id,
            fields: try members.decodeListIfPresent(Strict<RequestedField>.self, forKey: .fields, of: "fields")?
                .map(\.value) ?? [],
            policy: try members.decodeIfPresent(Strict<ReadingPolicy>.self, forKey: .policy)?.value ?? ReadingPolicy(),
            values: try members.decodeIfPresent([String: String].self, forKey: .values),
            caption: try members.decodeIfPresent(Bool.self, forKey: .caption),
            strict: try members.decodeIfPresent(Bool.self, forKey: .strict),
            allow: try members.decodeIfPresent([ReadDocument.Allowance].self, forKey: .allow),
            final: try members.decodeIfPresent(Bool.self, forKey: .final),
            flatten: try members.decodeIfPresent(Bool.self, forKey: .flatten),
            signed: try members.decodeIfPresent(Bool.self, forKey: .signed))
    }

    private static func document(
        _ members: KeyedDecodingContainer<DocumentKey>
    ) throws -> CaptureRequest.Document? {
        let document = CaptureRequest.Document(
            reference: try members.decodeIfPresent(String.self, forKey: .reference),
            sha256: try members.decodeIfPresent(String.self, forKey: .sha256))
        return document == CaptureRequest.Document() ? nil : document
    }

    private static func bytes(of members: KeyedDecodingContainer<DocumentKey>) throws -> [UInt8]? {
        try members.decodeIfPresent(String.self, forKey: .base64).map { text in
            if let bytes = Data(base64Encoded: text) { return Array(bytes) }
            throw Expectation.failure("Base64 (RFC 4648)", at: members.codingPath + [DocumentKey.base64])
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(request.prompt, forKey: .prompt)
        try members.encodeIfPresent(request.rows, forKey: .rows)
        try members.encodeIfPresent(request.signer, forKey: .signer)
        try members.encodeIfPresent(request.reason, forKey: .reason)
        try members.encodeIfPresent(request.operator, forKey: .operator)
        if request.document != nil || documentBytes != nil || flow.document != nil {
            var document = members.nestedContainer(keyedBy: DocumentKey.self, forKey: .document)
            try document.encodeIfPresent(request.document?.reference, forKey: .reference)
            try document.encodeIfPresent(request.document?.sha256, forKey: .sha256)
            try document.encodeIfPresent(
                documentBytes.map { Data($0).base64EncodedString() }, forKey: .base64)
            if let read = flow.document {
                try document.encode(read.id, forKey: .id)
                try document.encode(read.fields, forKey: .fields)
                try document.encode(read.policy, forKey: .policy)
                try document.encodeIfPresent(read.values, forKey: .values)
                try document.encodeIfPresent(read.caption, forKey: .caption)
                try document.encodeIfPresent(read.strict, forKey: .strict)
                try document.encodeIfPresent(read.allow, forKey: .allow)
                try document.encodeIfPresent(read.final, forKey: .final)
                try document.encodeIfPresent(read.flatten, forKey: .flatten)
                try document.encodeIfPresent(read.signed, forKey: .signed)
            }
        }
        if !flow.questions.isEmpty { try members.encode(flow.questions, forKey: .questions) }
        if !flow.people.isEmpty { try members.encode(flow.people, forKey: .people) }
        try members.encodeIfPresent(flow.declineReasons, forKey: .decline)
        try members.encodeIfPresent(request.data, forKey: .data)
        try members.encodeIfPresent(request.language, forKey: .language)
        try members.encodeIfPresent(letters, forKey: .letters)
        if !assistance.isEmpty {
            try members.encode(assistance.sorted { $0.rawValue < $1.rawValue }, forKey: .assistance)
        }
        try members.encode(shows, forKey: .shows)
        try members.encode(policy, forKey: .policy)
        try members.encode(waits, forKey: .wait)
    }
}

// MARK: ranges

extension CaptureCall {
    static let promptLineLimit = 100
    static let rowLimit = 16
    /// Bytes of UTF-8. A record's header may have four times the sum, 64 KiB.
    static let textLimit = 4096
    static let textSumLimit = 16384
    static let dataLimit = 32
    /// Unicode scalars.
    private static let dataKeyRange = 1...64
    /// Bytes of UTF-8.
    private static let dataValueLimit = 1024
    /// A second to a day, in microseconds.
    private static let limitRange: ClosedRange<Int64> = 1_000_000...86_400_000_000
    private static let countRange = 0...1000
    private static let sampleRange = 0...100_000
    private static let lengthRange = 0.0...10_000
    private static let durationRange: ClosedRange<Int64> = 0...3_600_000_000
    /// Millimetres: from the usual letters to those that few pages have room for.
    package static let lettersRange = 1.0...20.0

    /// - Throws: ``PanelError/invalidParameter(_:expected:)`` for the first text or number that is out of range, or if
    ///   the person would sign nothing.
    package func check() throws(PanelError) {
        if request.document?.hasValidDigest == false {
            throw .invalidParameter("document.sha256", expected: "64 lower-case hexadecimal digits")
        }
        try flow.check()
        if let letters, !Self.lettersRange.contains(letters) {
            throw .outOfRange("letters", Self.lettersRange, "millimetres")
        }
        try checkTexts()
        try checkPolicy()
        try checkContent()
    }

    /// A label without a value says nothing. What the call hides counts: the person has it before them elsewhere.
    private func checkContent() throws(PanelError) {
        let texts =
            request.prompt + (request.rows ?? []).map(\.value) + [request.signer, request.reason].compactMap { $0 }
        if flow.document != nil || !flow.questions.isEmpty { return }
        if texts.allSatisfy(\.isBlank) {
            throw .invalidParameter(
                "prompt", expected: "something to sign: a line that is not blank, a row's value, a signer or a reason")
        }
    }

    private func checkTexts() throws(PanelError) {
        guard request.prompt.count <= Self.promptLineLimit else {
            throw .invalidParameter("prompt", expected: "at most \(Self.promptLineLimit) lines")
        }
        let rows = request.rows ?? []
        guard rows.count <= Self.rowLimit else {
            throw .invalidParameter("rows", expected: "at most \(Self.rowLimit) rows")
        }
        var texts = request.prompt.enumerated().map { ("prompt[\($0.offset)]", $0.element) }
        for (index, row) in rows.enumerated() {
            texts += [("rows[\(index)].label", row.label), ("rows[\(index)].value", row.value)]
        }
        texts += [
            ("signer", request.signer), ("reason", request.reason), ("operator", request.operator),
            ("document.reference", request.document?.reference),
        ].compactMap { name, text in text.map { (name, $0) } }
        texts += flow.texts.map { ($0.name, $0.text) }
        let data = request.data ?? [:]
        guard data.count <= Self.dataLimit else {
            throw .invalidParameter("data", expected: "at most \(Self.dataLimit) members")
        }
        // Sorted, so that the same call always gets the same error.
        for (key, value) in data.sorted(by: { $0.key < $1.key }) {
            guard Self.dataKeyRange.contains(key.unicodeScalars.count) else {
                throw .invalidParameter(
                    "data",
                    expected: "names of \(Self.dataKeyRange.lowerBound) to \(Self.dataKeyRange.upperBound) characters")
            }
            if let hidden = HiddenCharacter(in: key) { throw .hidden(hidden, in: "data") }
            if value.utf8.count > Self.dataValueLimit {
                throw .invalidParameter("data." + key, expected: "at most \(Self.dataValueLimit) bytes of UTF-8")
            }
            texts += [("data", key), ("data." + key, value)]
        }
        var sum = 0
        for (name, text) in texts {
            sum += text.utf8.count
            if text.utf8.count > Self.textLimit || sum > Self.textSumLimit {
                throw .invalidParameter(
                    name,
                    expected: "at most \(Self.textLimit) bytes of UTF-8, and at most \(Self.textSumLimit) in all texts "
                        + "together")
            }
            if let hidden = HiddenCharacter(in: text) { throw .hidden(hidden, in: name) }
        }
    }

    private func checkPolicy() throws(PanelError) {
        func check<Value: Comparable>(
            _ value: Value?, _ range: ClosedRange<Value>, _ name: String, _ unit: String
        ) throws(PanelError) {
            if let value, !range.contains(value) { throw .outOfRange("policy." + name, range, unit) }
        }
        let minima = policy.minima
        try check(policy.inactivityLimit?.microseconds, Self.limitRange, "inactivityLimit", "microseconds")
        try check(policy.totalLimit?.microseconds, Self.limitRange, "totalLimit", "microseconds")
        try check(minima.strokes, Self.countRange, "minima.strokes", "strokes")
        try check(minima.samples, Self.sampleRange, "minima.samples", "reports")
        try check(minima.length, Self.lengthRange, "minima.length", "millimetres")
        try check(minima.extent, Self.lengthRange, "minima.extent", "millimetres")
        try check(minima.breadth, Self.lengthRange, "minima.breadth", "millimetres")
        try check(minima.duration?.microseconds, Self.durationRange, "minima.duration", "microseconds")
    }
}
