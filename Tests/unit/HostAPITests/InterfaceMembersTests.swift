// SPDX-License-Identifier: Apache-2.0
import Document
import FoundationEssentials
import Geometry
import JSON
import TestSupport
import Testing

@testable import HostAPI

/// Types, parameters and replies of the interface file have the members of the Swift types, in both directions: a value
/// with all members is encoded, and compared with the declaration.
@Suite("Members in the interface and the types")
struct InterfaceMembersTests {
    /// `type Row (…)`, `Capture` for a method's parameters and `Capture ->` for its reply; each with its members.
    private static let declared: [String: Set<String>] = {
        let text = (InterfaceText.description(of: InterfaceText.panel) ?? "").split(separator: "\n")
            .map { $0.prefix { $0 != "#" } }.joined(separator: " ")
        var found: [String: Set<String>] = [:]
        var words = text[...]
        while let start = words.firstRange(of: #/(type|method) (\w+) ?\(/#) {
            let head = words[start].split { $0 == " " || $0 == "(" }
            let (list, rest) = Self.list(after: words[start.upperBound...])
            let name = String(head[1])
            found[head[0] == "type" ? "type " + name : name] = Self.members(list)
            words = rest
            if head[0] == "method", let arrow = words.firstRange(of: #/^ *-> \(/#) {
                let (reply, rest) = Self.list(after: words[arrow.upperBound...])
                found[name + " ->"] = Self.members(reply)
                words = rest
            }
        }
        return found
    }()

    /// The text up to the parenthesis that ends the list.
    private static func list(after text: Substring) -> (Substring, Substring) {
        var depth = 1
        let end = text.firstIndex { character in
            depth += character == "(" ? 1 : character == ")" ? -1 : 0
            return depth == 0
        }
        guard let end else { return (text, "") }
        return (text[..<end], text[text.index(after: end)...])
    }

    /// The names before colons, outside of inner lists.
    private static func members(_ list: Substring) -> Set<String> {
        var depth = 0
        let outer = list.filter { character in
            depth += character == "(" ? 1 : character == ")" ? -1 : 0
            return depth == 0
        }
        let names = outer.split(separator: ",").filter { $0.contains(":" as Character) }
            .map { member in member.prefix { $0 != ":" }.filter { $0 != " " } }
        return Set(names)
    }

    private static let id = CaptureID("a-1")!
    private static let seal = SealHead(n: 1, digest: "d")
    private static let missing = [MissingGlyphs(text: "signer", characters: ["U+1F600"])]
    private static let stroke = HostStroke(samples: [.init(microseconds: 1, x: 2, y: 3, pressure: 0.5)])
    private static let request = CaptureRequest(
        prompt: ["p"], rows: [.init(label: "l", value: "v")], signer: "s", reason: "r",
        document: .init(reference: "d", sha256: "0", computed: true), data: ["k": "v"], language: "de", operator: "o")
    private static let summary = RecordSummary(
        id: id, outcome: .accepted, startedAt: 1, endedAt: 2, request: request, byteCount: 3, seal: seal,
        encrypted: true)
    private static let plainMetadata = RecordMetadata(
        summary: summary, shows: ShownFields(), date: LocalDate(text: "d", offsetSeconds: 1, zone: "z"),
        language: "de", program: "p", panel: "n", askedBy: .gateway, devices: ["d"],
        screen: PixelSize(width: 1, height: 2), pixelsPerMillimetre: 5, strokes: 1, samples: 2, inAirSamples: 3,
        quality: CaptureQuality(
            reportRate: 1, longestGap: 2, drops: 3, ignoredContacts: 4, latency: .init(p50: 1, p95: 2, p99: 3)),
        shown: ShownPage(page: "a", signed: "b", from: 1, until: 2, fonts: ["f"]), missingGlyphs: missing)

    private static var metadata: RecordMetadata {
        var metadata = plainMetadata
        metadata.people = [CapturePerson(role: "r", name: "n", sees: "s")]
        metadata.reading = [ReadingResult(pages: [1], toEnd: true, seconds: 2)]
        metadata.answers = [CaptureAnswer(name: "n", checked: true)]
        metadata.fields = [
            SignedField(
                name: "n", kind: .initials, person: "p", strokes: 1, same: "o", instead: .mark, heard: true,
                typed: TypedName(name: "N", by: .staff, reason: "R"), host: true)
        ]
        metadata.signedByteCount = 1
        return metadata
    }

    private static var status: PanelStatus {
        var status = PanelStatus(
            program: "p", configuration: "c", page: .idle, running: .init(id: id, strokes: 1, askedBy: .gateway),
            waiting: 1, touchDevices: ["t"],
            screen: .init(name: "n", size: PixelSize(width: 1, height: 2), pixelsPerMillimetre: 5, fault: "f"),
            store: .init(fault: "f"))
        status.store.seals = .init(key: "k", head: seal, faults: ["f"])
        status.store.recipients = ["r"]
        status.store.delivery = PanelStatus.Delivery(waiting: 1, oldest: 1, fault: "f")
        return status
    }

    private static var health: PanelHealth {
        var health = PanelHealth(status)
        health.display.secondsSinceFlip = 1
        health.display.pictureFits = true
        health.touch.secondsSinceReport = 1
        health.touch.testedAt = 1
        health.store.seal = 1
        health.delivery = .init(waiting: 1, oldestSeconds: 2, fault: false)
        health.temperature = 40
        return health
    }

    private static var call: CaptureCall {
        var call = CaptureCall(
            request: request, documentBytes: [1],
            policy: CapturePolicy(
                undo: true, inactivityLimit: .microseconds(1), totalLimit: .microseconds(2),
                minima: .init(strokes: 1, samples: 2, length: 3, extent: 4, breadth: 5, duration: .microseconds(6)),
                missingGlyphs: .tell, alternatives: [.mark]))
        call.follows = true
        call.letters = 4.9
        call.assistance = [.speech]
        return call
    }

    /// A flow with a field at each kind of place.
    private static var flow: CaptureCall {
        var call = CaptureCall(request: request)
        let rectangle = DocumentRectangle(minX: 1, minY: 2, maxX: 3, maxY: 4)
        let places: [SignaturePlace] = [
            .rectangle(page: 1, rectangle), .field(name: "f"),
            .anchor(text: "a", width: 1, height: 2, offset: .init(right: 3, up: 4)),
        ]
        call.flow = CaptureFlow(
            document: ReadDocument(
                id: "d1",
                fields: places.map { place in
                    RequestedField(
                        kind: .check, name: "n", person: "p", place: place, isRequired: true, label: "l")
                },
                policy: ReadingPolicy(mustSeeAllPages: true, minimumSeconds: 1, requireAnswers: true),
                values: ["f": "v"], caption: true, strict: true, allow: [.notDrawn], final: true, flatten: true,
                signed: true),
            questions: [
                CaptureQuestion(
                    name: "n", kind: .choice, heading: "h", text: "t", choices: ["a", "b"], required: true, person: "p")
            ],
            people: [CapturePerson(role: "p", name: "n", sees: "s")], declineReasons: ["r"])
        return call
    }

    private static var flowReply: CaptureReply {
        var reply = CaptureReply(id: id, state: .reading)
        (reply.person, reply.page, reply.field, reply.signed) = ("p", 1, "f", true)
        reply.speech = SpeechState(speaks: false, fault: "f")
        reply.instead = [GivenInstead(name: "n", alternative: .mark, host: true)]
        reply.answers = [
            CaptureAnswer(name: "n", checked: true), CaptureAnswer(name: "n", choice: "c"),
            CaptureAnswer(name: "n", rating: 1),
        ]
        return reply
    }

    private static var get: GetCall {
        var call = GetCall(id, .png)
        (call.dpi, call.pixels, call.part, call.color) = (1, PixelSize(width: 1, height: 2), "ink", "000000")
        (call.transparent, call.caption, call.interrupted) = (true, true, true)
        call.field = "f"
        return call
    }

    private static let mirror = MirrorReply(
        page: .signing,
        capture: .init(
            id: id, size: PixelSize(width: 1, height: 2), pixelsPerMillimetre: 5,
            field: .init(x: 1, y: 2, width: 3, height: 4),
            buttons: [.init(button: "accept", label: "l", rectangle: .init(x: 1, y: 2, width: 3, height: 4))],
            color: "#000000", texts: ["t"], language: "en"),
        restarts: true, strokes: 1, document: .init(page: 1, pages: 2), cells: [.init(x: 1, y: 2)],
        steps: [.init(final: "M1 2l3 4z", tail: "", ends: true, cancels: true)],
        backdrop: "b")

    private static var events: EventsReply {
        var event = PanelEvent(number: 1, time: 2, kind: .ended)
        (event.id, event.outcome, event.seal, event.signed) = (id, .accepted, seal, true)
        event.instead = [GivenInstead(name: "n", alternative: .typed, host: true)]
        (event.data, event.request, event.fault) = (["k": "v"], SignedRequest(request), "f")
        var reply = EventsReply(run: "r", panel: "p", starting: false, fault: "f", events: [event])
        reply.missed = true
        return reply
    }

    private static var abilities: PanelAbilities {
        var abilities = PanelAbilities(
            program: "p", languages: ["de"], language: "de", mirror: .ink, pairing: true, simulated: true, waiting: 1)
        abilities.documents = .init(fault: "f", warning: "w", maximumBytes: 1, maximumPages: 2, refused: [])
        return abilities
    }

    /// The members of an encoded value, and those of values inside, by the names of the declarations.
    private struct Encoded {
        var found: [String: Set<String>] = [:]

        /// - Parameter inside: names of declarations, by the path to their values.
        mutating func add(_ name: String, _ value: some Encodable, _ inside: [String: String] = [:]) throws {
            let json = try JSONValue(JSONEncoder().encode(value))
            note(name, json)
            for (path, name) in inside {
                var value: JSONValue? = json
                for part in path.split(separator: ".") {
                    value = Int(part).map { index in value?.list?[index] } ?? value?[String(part)]
                }
                note(name, try #require(value, "\(name) at \(path)"))
            }
        }

        private mutating func note(_ name: String, _ value: JSONValue) {
            found[name, default: []].formUnion((value.object ?? [:]).keys)
        }
    }

    @Test("types, parameters and replies have the same members")
    func members() throws {
        var all = Encoded()
        try all.add(
            "Capture", Self.call,
            [
                "rows.0": "type Row", "shows": "type Shows", "policy": "type Policy", "policy.minima": "type Minima",
                "document": "type Document",
            ])
        try all.add(
            "Capture", Self.flow,
            [
                "document": "type Document", "document.fields.0": "type Field", "document.fields.1": "type Field",
                "document.fields.2": "type Field", "document.policy": "type ReadingPolicy",
                "questions.0": "type Question", "people.0": "type Person",
            ])
        let reply = CaptureReply(
            id: Self.id, state: .refused(.short(1, minimum: 2)), strokes: 1, stroke: Self.stroke, data: ["k": "v"],
            seal: Self.seal, missingGlyphs: Self.missing)
        try all.add(
            "Capture ->", reply,
            [
                "stroke": "type Stroke", "stroke.points.0": "type Point", "refusal": "type Refusal",
                "seal": "type Seal", "missingGlyphs.0": "type MissingText",
            ])
        try all.add(
            "Capture ->", Self.flowReply,
            [
                "answers.0": "type Answer", "answers.1": "type Answer", "answers.2": "type Answer",
                "speech": "type SpeechState", "instead.0": "type GivenInstead",
            ])
        try all.add("OpenDocument", OpenDocumentCall(byteCount: 1, sha256: "s"))
        try all.add("OpenDocument ->", OpenDocumentReply(id: "d1"))
        try all.add("Append", AppendCall(id: "d1", bytes: [1]))
        try all.add("CloseDocument", CloseDocumentCall(id: "d1"))
        try all.add("GetDocument", GetDocumentCall(id: Self.id, offset: 0))
        try all.add("GetDocument ->", DocumentPart([1], more: true))
        for outcome in [CaptureOutcome.cancelled(by: .host), .timedOut(.total), .failed(reason: "r", fault: "f")] {
            try all.add("Capture ->", CaptureReply(id: Self.id, state: .ended(outcome)), ["outcome": "type Outcome"])
        }
        for method in ["Cancel", "Clear", "Accept"] { try all.add(method, RunningCall(id: Self.id)) }
        try all.add("TypeName", TypeNameCall(id: Self.id, name: "N", by: "staff", reason: "R"))
        try all.add("Delete", RecordCall(id: Self.id))
        try all.add(
            "List ->", RecordList(captures: [Self.summary], unreadable: [], seal: Self.seal, missingSeals: [1]),
            [
                "captures.0": "type Summary", "captures.0.document": "type Document",
                "captures.0.outcome": "type RecordOutcome",
            ])
        try all.add("Get", Self.get, ["size": "type Size"])
        var file = GetReply(Self.metadata)
        (file.text, file.base64) = ("t", "b")
        try all.add(
            "Get ->", file,
            [
                "metadata": "type Metadata", "metadata.quality": "type Quality", "metadata.date": "type LocalDate",
                "metadata.quality.latency": "type Latency", "metadata.shown": "type ShownPage",
                "metadata.reading.0": "type Reading", "metadata.fields.0": "type SignedField",
                "metadata.people.0": "type Person", "metadata.fields.0.typed": "type TypedName",
            ])
        try all.add(
            "Status ->", StatusReply(status: Self.status),
            [
                "status": "type PanelStatus", "status.running": "type Running", "status.screen": "type Screen",
                "status.store": "type Store", "status.store.seals": "type Seals",
                "status.store.delivery": "type Delivery",
            ])
        try all.add(
            "Health ->", HealthReply(health: Self.health),
            [
                "health": "type PanelHealth", "health.display": "type HealthDisplay",
                "health.touch": "type HealthTouch", "health.ended": "type HealthEnded",
                "health.store": "type HealthStore", "health.clock": "type HealthClock",
                "health.delivery": "type HealthDelivery",
            ])
        try all.add("Reload ->", ReloadReply(applied: ["k"], restart: ["k"]))
        try all.add("Watch ->", StatusReply(status: Self.status))
        try all.add("Events", EventsCall(run: "r", after: 1))
        try all.add(
            "Events ->", Self.events,
            [
                "events.0": "type Event", "events.0.request": "type SignedRequest",
                "events.0.instead.0": "type GivenInstead",
            ])
        try all.add(
            "Abilities ->", AbilitiesReply(abilities: Self.abilities),
            [
                "abilities": "type PanelAbilities", "abilities.documents": "type DocumentAbilities",
                "abilities.limits": "type Limits",
            ])
        try all.add("Mirror", MirrorCall(level: .ink))
        try all.add(
            "Mirror ->", Self.mirror,
            [
                "capture": "type MirrorCapture", "capture.field": "type Rectangle",
                "capture.buttons.0": "type MirrorButton", "document": "type MirrorDocument",
                "cells.0": "type MirrorCell", "steps.0": "type InkStep",
            ])
        try all.add("Pair", PairingRequest(name: "n", digits: "012345", key: "k"))
        try all.add("Pair ->", PairingReply(allowed: true))
        try all.add("Identify", IdentifyCall(key: "k"))
        try all.add("Simulate", SimulateCall(act: .sign))

        // Enumerations have no members, nor have empty parameters. A screenshot is a file, without the other members.
        var declared = Self.declared.filter { !$0.value.isEmpty }
        #expect(declared.removeValue(forKey: "Screenshot ->") == ["mediaType", "base64"])
        #expect(Set(declared.keys) == Set(all.found.keys))
        for (name, members) in declared {
            #expect(all.found[name] == members, "\(name)")
        }
    }
}
