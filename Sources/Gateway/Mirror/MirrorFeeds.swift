// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation
import Geometry
package import HTTP
package import HostAPI
import JSON

extension MirrorLevel {
    /// The highest level of a token's scopes; nil if it may not watch.
    package init?(of bearer: Token) {
        if bearer.allows(.mirrorInk) {
            self = .ink
        } else if bearer.allows(.mirrorPresence) {
            self = .presence
        } else if bearer.allows(.mirrorState) {
            self = .state
        } else {
            return nil
        }
    }
}

/// The parts of a capture's mirror that a follower sees.
enum MirrorAccess {
    case page
    /// And which buttons the follower may press.
    case pageWithButtons
}

/// A feed for each level. The panel hears of a mirror only while somebody follows it.
package struct MirrorFeeds: Sendable {
    private let feeds: [MirrorLevel: MirrorFeed]

    package init(panel: PanelService) {
        feeds = Dictionary(uniqueKeysWithValues: MirrorLevel.allCases.map { ($0, MirrorFeed(panel: panel, level: $0)) })
    }

    package subscript(level: MirrorLevel) -> MirrorFeed { feeds[level]! }
}

/// The panel's mirror at one level, for all who follow it.
package actor MirrorFeed {
    /// The maximum number of followers, of which a token has its share.
    private static let followerLimit = 64
    /// Events that wait for a follower, beyond which it gets no more until it has taken all; then `resync`.
    private static let waitingLimit = 32
    private static let retry = Duration.seconds(1)
    /// The panel may report a capture on this connection before its host's connection has its id.
    private static let lookAgain = [Duration.milliseconds(50), .milliseconds(250), .seconds(1)]

    private let panel: PanelService
    private let level: MirrorLevel
    private var followers: [Int: Follower] = [:]
    private var receivers: [Int: StepReceiver] = [:]
    /// The number of the next follower or receiver.
    private var nextFollower = 0
    private var connection: PanelConnection?
    private var opening: Task<PanelConnection, any Error>?

    // The state that is shown.
    /// nil while the panel does not answer.
    private var page: PanelStatus.Page? = .starting
    private var capture: MirrorReply.Capture?
    private var backdrop: String?
    private var strokes = 0
    private var document: MirrorReply.Document?
    private var cells: [MirrorReply.Cell] = []
    private var outlines = MirrorOutlines()

    private struct Follower {
        /// Id of the token that it comes from.
        let owner: String
        let stream: EventStream
        /// The access of this follower to a capture; nil for none.
        let access: @Sendable (CaptureID) async -> MirrorAccess?
        /// Its access to the present capture.
        var seen: MirrorAccess?
        var isBehind = false
    }

    init(panel: PanelService, level: MirrorLevel) {
        self.panel = panel
        self.level = level
    }

    /// - Throws: ``Problem`` if the panel does not allow this level, or does not answer.
    func follow(
        until end: BearerEnd, access: @escaping @Sendable (CaptureID) async -> MirrorAccess?
    ) async throws -> HTTPResponse {
        try checkShare(of: end.bearer.owner)
        try await open()
        let seen: MirrorAccess? = if let id = capture?.id { await access(id) } else { nil }
        // Others may have come meanwhile.
        try checkShare(of: end.bearer.owner)
        let stream = EventStream(until: end)
        let number = nextFollower
        nextFollower += 1
        followers[number] = Follower(owner: end.bearer.owner, stream: stream, access: access, seen: seen)
        sendSnapshot("snapshot", to: number)
        return stream.response { [weak self] in Task { await self?.left(number) } }
    }

    /// - Throws: ``Problem`` with status 503 if a token cannot have one more follower.
    private func checkShare(of owner: String) throws {
        let own = followers.values.count { $0.owner == owner } + receivers.values.count { $0.owner == owner }
        guard Share.isFree(own, of: followers.count + receivers.count, Self.followerLimit) else {
            throw Problem(
                name: .tooManyFollowers, status: 503, detail: "Too many programs follow the mirror.",
                headers: ["Retry-After": "10"])
        }
    }

    private func left(_ number: Int) {
        followers[number] = nil
        receivers[number] = nil
        if !isFollowed { close() }
    }

    private var isFollowed: Bool { !followers.isEmpty || !receivers.isEmpty }

    /// Nobody watches: the panel works for no mirror, and nothing is kept.
    private func close() {
        connection?.end()
        connection = nil
        wipe()
    }

    private func wipe() {
        (capture, backdrop) = (nil, nil)
        wipeInk()
    }

    private func wipeInk() { (strokes, document, cells, outlines) = (0, nil, [], MirrorOutlines()) }

    // MARK: the panel

    private func open() async throws {
        if connection != nil { return }
        let task =
            opening
            ?? Task {
                let connection = try await panel.connect()
                do {
                    try await connection.send(.mirror, MirrorCall(level: level), more: true)
                    await receive(try await connection.next(MirrorReply.self).reply)
                    return connection
                } catch {
                    connection.end()
                    throw error
                }
            }
        opening = task
        defer { opening = nil }
        let opened = try await task.value
        guard connection == nil else { return }
        connection = opened
        Task { await run(opened) }
    }

    private func run(_ opened: PanelConnection) async {
        do {
            while true { await receive(try await opened.next(MirrorReply.self).reply) }
        } catch {
            guard connection === opened else { return }
            connection = nil
            give(MirrorReply.Step(cancels: true))
            wipe()
            page = nil
            for number in followers.keys { sendSnapshot("resync", to: number) }
            while isFollowed, connection == nil {
                try? await Task.sleep(for: Self.retry)
                // Its first answer brings followers up to date.
                try? await open()
            }
        }
    }

    private func receive(_ change: MirrorReply) async {
        if let backdrop = change.backdrop {
            self.backdrop = backdrop
            return await sendAll("backdrop") { $0.seen == nil ? nil : ["png": .text(backdrop)] }
        }
        page = change.page ?? page
        let restarts = change.restarts == true
        if restarts {
            give(MirrorReply.Step(cancels: true))
            wipeInk()
            if change.capture != nil || !isCapturing { wipe() }
            capture = change.capture ?? capture
        }
        if let strokes = change.strokes { self.strokes = strokes }
        document = change.document ?? document
        let newCells = change.cells ?? []
        cells += newCells
        let steps = change.steps ?? []
        for step in steps {
            outlines.add(step)
            give(step)
        }
        if restarts {
            await seeCapture()
            if let id = capture?.id { Task { await lookAgain(for: id) } }
            for number in followers.keys { sendSnapshot("resync", to: number) }
            return
        }
        for step in steps {
            let (name, data) = Self.event(of: step)
            await sendAll(name) { $0.seen == nil ? nil : data }
        }
        if !newCells.isEmpty { await sendAll("cells") { $0.seen == nil ? nil : ["cells": Self.list(newCells)] } }
        let hasNews = !newCells.isEmpty || steps.contains { $0.ends == true || $0.cancels == true }
        if change.strokes != nil || change.document != nil || change.page != nil && !hasNews {
            await sendAll("state") { self.state(for: $0) }
        }
    }

    private var isCapturing: Bool {
        switch page {
        case .signing, .refused, .saving, .reading, .question, .handOver, .declining: true
        default: false
        }
    }

    private static func event(of step: MirrorReply.Step) -> (name: String, data: JSONValue) {
        if step.cancels == true { return ("cancel", [:]) }
        let final = JSONValue.text(step.final ?? "")
        if step.ends == true { return ("stroke", ["final": final]) }
        return ("ink", ["final": final, "tail": .text(step.tail ?? "")])
    }

    // MARK: receivers

    /// A page of another pad's protocol, which gets the ink of its capture as steps.
    private struct StepReceiver {
        /// Id of the token that it comes from.
        let owner: String
        let capture: CaptureID
        let steps: AsyncStream<MirrorReply.Step>.Continuation
    }

    /// Steps that wait for a receiver. It loses those after them.
    private static let stepLimit = 256

    /// The ink of a capture, step by step, until the bearer's right ends. A step with `cancels` also comes when all ink
    /// is gone.
    /// - Throws: ``Problem`` if the panel does not allow this level, or does not answer.
    package func steps(of id: CaptureID, until end: BearerEnd) async throws -> AsyncStream<MirrorReply.Step> {
        let owner = end.bearer.owner
        try checkShare(of: owner)
        try await open()
        try checkShare(of: owner)
        let (steps, continuation) = AsyncStream<MirrorReply.Step>.makeStream(
            bufferingPolicy: .bufferingOldest(Self.stepLimit))
        let number = nextFollower
        nextFollower += 1
        receivers[number] = StepReceiver(owner: owner, capture: id, steps: continuation)
        continuation.onTermination = { [weak self] _ in Task { await self?.left(number) } }
        end.then { continuation.finish() }
        return steps
    }

    /// The field of a capture, and the outlines that are in it now; nil if the level is not `ink` or another capture is
    /// shown.
    package func ink(of id: CaptureID) -> (field: MirrorReply.Rectangle, outlines: [String])? {
        guard level == .ink, let capture, capture.id == id else { return nil }
        return (capture.field, outlines.strokes + (outlines.wet.map { [$0.final + $0.tail] } ?? []))
    }

    private func give(_ step: MirrorReply.Step) {
        guard let id = capture?.id else { return }
        for receiver in receivers.values where receiver.capture == id { receiver.steps.yield(step) }
    }

    // MARK: followers

    /// Shows a capture to followers who may see it by now.
    private func lookAgain(for id: CaptureID) async {
        for delay in Self.lookAgain {
            try? await Task.sleep(for: delay)
            for (number, follower) in followers where follower.seen == nil {
                guard let access = await follower.access(id), capture?.id == id else { continue }
                followers[number]?.seen = access
                sendSnapshot("resync", to: number)
            }
        }
    }

    /// Decides anew who may see the capture.
    private func seeCapture() async {
        let id = capture?.id
        for (number, follower) in followers {
            followers[number]?.seen = if let id { await follower.access(id) } else { nil }
        }
    }

    private func sendAll(_ event: String, _ data: (Follower) -> JSONValue?) async {
        for number in followers.keys { send(event, to: number, data) }
    }

    /// Sends an event, unless the follower is too slow; then it gets everything when it has caught up.
    private func send(_ event: String, to number: Int, _ data: (Follower) -> JSONValue?) {
        guard let follower = followers[number] else { return }
        let waiting = follower.stream.waitingCount
        if follower.isBehind {
            guard waiting == 0 else { return }
            followers[number]?.isBehind = false
            follower.stream.send("resync", id: nil, snapshot(for: follower))
            if let ink = wetInk(for: follower) { follower.stream.send("ink", id: nil, ink) }
        } else if waiting >= Self.waitingLimit {
            followers[number]?.isBehind = true
        } else if let data = data(follower), !follower.stream.send(event, id: nil, data, endsIfFull: false) {
            followers[number]?.isBehind = true
        }
    }

    /// Sends everything that a follower may see: first what stays, then the stroke that is being drawn.
    private func sendSnapshot(_ event: String, to number: Int) {
        send(event, to: number) { self.snapshot(for: $0) }
        send("ink", to: number) { self.wetInk(for: $0) }
    }

    private func wetInk(for follower: Follower) -> JSONValue? {
        guard level == .ink, follower.seen != nil, let wet = outlines.wet else { return nil }
        return ["final": .text(wet.final), "tail": .text(wet.tail)]
    }

    private func state(for follower: Follower) -> JSONValue {
        var state: [String: JSONValue] = ["page": .text(page?.rawValue ?? "gone")]
        guard follower.seen != nil else { return .object(state) }
        state["strokes"] = .integer(Int64(strokes))
        state["document"] = document.map { ["page": .integer(Int64($0.page)), "pages": .integer(Int64($0.pages))] }
        return .object(state)
    }

    /// Everything that a follower may see.
    private func snapshot(for follower: Follower) -> JSONValue {
        var snapshot = state(for: follower).object ?? [:]
        snapshot["level"] = .text(level.rawValue)
        guard let access = follower.seen, let capture else { return .object(snapshot) }
        snapshot["capture"] = Self.document(of: capture, hasButtons: access == .pageWithButtons)
        snapshot["png"] = backdrop.map { .text($0) }
        if level == .presence { snapshot["cells"] = Self.list(cells) }
        if level == .ink { snapshot["outlines"] = .list(outlines.strokes.map { .text($0) }) }
        return .object(snapshot)
    }

    private static func list(_ cells: [MirrorReply.Cell]) -> JSONValue {
        .list(cells.map { ["x": .integer(Int64($0.x)), "y": .integer(Int64($0.y))] })
    }

    private static func document(of capture: MirrorReply.Capture, hasButtons: Bool) -> JSONValue {
        func rectangle(_ rectangle: MirrorReply.Rectangle) -> JSONValue {
            [
                "x": .integer(Int64(rectangle.x)), "y": .integer(Int64(rectangle.y)),
                "width": .integer(Int64(rectangle.width)), "height": .integer(Int64(rectangle.height)),
            ]
        }
        let buttons = hasButtons ? capture.buttons : []
        var document: [String: JSONValue] = [
            "id": .text(capture.id.description),
            "size": ["width": .integer(Int64(capture.size.width)), "height": .integer(Int64(capture.size.height))],
            "pixelsPerMillimetre": .number(capture.pixelsPerMillimetre), "field": rectangle(capture.field),
            "buttons": .list(
                buttons.map { button in
                    var members: [String: JSONValue] = [
                        "button": .text(button.button), "rectangle": rectangle(button.rectangle),
                    ]
                    members["label"] = button.label.map { .text($0) }
                    return .object(members)
                }),
            "color": .text(capture.color),
        ]
        document["texts"] = capture.texts.map { .list($0.map { .text($0) }) }
        document["language"] = capture.language.map { .text($0) }
        return .object(document)
    }
}
