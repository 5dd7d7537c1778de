// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation
import Geometry
import Ink
import JSON
import Pad

extension MirrorLevel {
    /// The highest level of a token's scopes; nil if it may not watch.
    init?(of bearer: Token) {
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

/// What the mirror of a capture shows to a follower.
enum MirrorAccess {
    case page
    /// And which buttons the follower may press.
    case pageWithButtons
}

/// A feed for each level. The panel hears of a mirror only while somebody follows it.
struct MirrorFeeds: Sendable {
    private let feeds: [MirrorLevel: MirrorFeed]

    init(panel: Panel) {
        feeds = Dictionary(uniqueKeysWithValues: MirrorLevel.allCases.map { ($0, MirrorFeed(panel: panel, level: $0)) })
    }

    subscript(level: MirrorLevel) -> MirrorFeed { feeds[level]! }
}

/// The panel's mirror at one level, for all who follow it.
actor MirrorFeed {
    /// Of which a token has its share.
    private static let followerLimit = 64
    /// Between two changes of the wet stroke: 15 a second. The pace of changes must not be that of the pen.
    private static let interval = Duration.milliseconds(67)
    /// Events that wait for a follower, beyond which it gets no more until it has taken all; then `resync`.
    private static let waitingLimit = 32
    private static let retry = Duration.seconds(1)
    /// The panel may tell of a capture on this connection before its host's connection has its id.
    private static let lookAgain = [Duration.milliseconds(50), .milliseconds(250), .seconds(1)]

    private let panel: Panel
    private let level: MirrorLevel
    private var followers: [Int: Follower] = [:]
    private var nextFollower = 0
    private var connection: PanelConnection?
    private var opening: Task<PanelConnection, any Error>?

    // What is shown.
    private var page = "starting"
    /// For followers: without the pen.
    private var capture: [String: JSONValue]?
    private var backdrop: JSONValue?
    private var strokes: Int64 = 0
    private var cells: [JSONValue] = []
    private var ink: MirrorInk?
    private var isWet = false
    private var isChangeScheduled = false

    private struct Follower {
        /// Id of the token that it comes from.
        let owner: String
        let stream: EventStream
        /// What this follower may see of a capture; nil for nothing.
        let access: @Sendable (String) async -> MirrorAccess?
        /// What it sees of the present capture.
        var seen: MirrorAccess?
        var isBehind = false
    }

    init(panel: Panel, level: MirrorLevel) {
        self.panel = panel
        self.level = level
    }

    /// - Throws: ``Problem`` if the panel does not allow this level, or does not answer.
    func follow(
        until end: BearerEnd, access: @escaping @Sendable (String) async -> MirrorAccess?
    ) async throws -> HTTPResponse {
        try checkShare(of: end.bearer.owner)
        try await open()
        let seen: MirrorAccess? = if let id = capture?["id"]?.text { await access(id) } else { nil }
        // Others may have come meanwhile.
        try checkShare(of: end.bearer.owner)
        let stream = EventStream(until: end)
        let number = nextFollower
        nextFollower += 1
        followers[number] = Follower(owner: end.bearer.owner, stream: stream, access: access, seen: seen)
        send("snapshot", to: number) { self.snapshot(for: $0) }
        return stream.response { [weak self] in Task { await self?.left(number) } }
    }

    /// - Throws: ``Problem`` with status 503 if a token cannot have one more follower.
    private func checkShare(of owner: String) throws {
        let own = followers.values.count { $0.owner == owner }
        guard Share.isFree(own, of: followers.count, Self.followerLimit) else {
            throw Problem(
                name: "too-many-followers", status: 503, detail: "Too many programs follow the mirror.",
                headers: ["Retry-After": "10"])
        }
    }

    private func left(_ number: Int) {
        followers[number] = nil
        if followers.isEmpty { close() }
    }

    /// Nobody watches: the panel works for no mirror, and nothing is kept.
    private func close() {
        connection?.end()
        connection = nil
        wipe()
    }

    private func wipe() { (capture, backdrop, strokes, cells, ink, isWet) = (nil, nil, 0, [], nil, false) }

    // MARK: the panel

    private func open() async throws {
        if connection != nil { return }
        let task =
            opening
            ?? Task {
                let connection = try await panel.connect()
                do {
                    try await connection.send("Mirror", ["level": .text(level.rawValue)], more: true)
                    await receive(try await connection.next().reply)
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
            while true { await receive(try await opened.next().reply) }
        } catch {
            guard connection === opened else { return }
            connection = nil
            wipe()
            page = "gone"
            await tellAll("resync") { self.snapshot(for: $0) }
            while !followers.isEmpty, connection == nil {
                try? await Task.sleep(for: Self.retry)
                // Its first answer brings followers up to date.
                try? await open()
            }
        }
    }

    private func receive(_ change: JSONValue) async {
        if let backdrop = change["backdrop"] {
            self.backdrop = backdrop
            return await tellAll("backdrop") { $0.seen == nil ? nil : ["png": backdrop] }
        }
        page = change["page"]?.text ?? page
        let restarts = change["restarts"]?.flag == true
        if restarts {
            flush()
            wipeInk()
            if let next = change["capture"], next != .null { begin(next) } else if !isCapturing { wipe() }
        }
        if let strokes = change["strokes"]?.integer { self.strokes = strokes }
        let newCells = change["cells"]?.list ?? []
        cells += newCells
        var outlines: [(name: String, data: JSONValue)] = []
        for step in change["steps"]?.list ?? [] { apply(step, &outlines) }
        if restarts {
            await seeCapture()
            if let id = capture?["id"]?.text { Task { await lookAgain(for: id) } }
            return await tellAll("resync") { self.snapshot(for: $0) }
        }
        for outline in outlines { await tellAll(outline.name) { $0.seen == nil ? nil : outline.data } }
        if !newCells.isEmpty { await tellAll("cells") { $0.seen == nil ? nil : ["cells": .list(newCells)] } }
        if change["strokes"] != nil || change["page"] != nil && outlines.isEmpty && newCells.isEmpty {
            await tellAll("state") { self.state(for: $0) }
        }
    }

    private var isCapturing: Bool { ["signing", "refused", "saving"].contains(page) }

    private func wipeInk() {
        strokes = 0
        cells = []
        isWet = false
        ink?.clear()
    }

    private func begin(_ next: JSONValue) {
        wipe()
        capture = next.object?.filter {
            ["id", "size", "pixelsPerMillimetre", "field", "buttons", "color"].contains($0.key)
        }
        guard level == .ink, let name = next["pen"]?.text.flatMap(PenName.init(rawValue:)),
            let density = next["pixelsPerMillimetre"]?.number
        else { return }
        let switches = next["switches"]?.list?.compactMap { $0.text.flatMap(PenSwitch.init(rawValue:)) } ?? []
        let pen = Pen(
            name, width: next["width"]?.number,
            pressureCurve: next["pressureCurve"]?.text.flatMap(PressureCurve.init(rawValue:)) ?? .linear,
            switches: Set(switches), panelScatter: next["panelScatter"]?.number)
        ink = MirrorInk(pen: pen, density: PixelDensity(pixelsPerMillimetre: density) ?? .standard)
    }

    /// - Parameter outlines: events for followers. Wet ink is told later.
    private func apply(_ step: JSONValue, _ outlines: inout [(name: String, data: JSONValue)]) {
        if let samples = step["samples"]?.list {
            ink?.add(samples.compactMap(Self.sample))
            isWet = true
            scheduleChange()
        } else if step["ends"]?.flag == true {
            isWet = false
            guard let change = ink?.finish() else { return }
            outlines.append(("stroke", ["final": .text(change.final)]))
        } else if step["cancels"]?.flag == true {
            isWet = false
            ink?.cancel()
            outlines.append(("cancel", [:]))
        }
    }

    private static func sample(_ value: JSONValue) -> Sample? {
        guard let time = value["time"]?.integer, let x = value["x"]?.number, let y = value["y"]?.number else {
            return nil
        }
        return Sample(microseconds: time, position: Point(x: x, y: y), pressure: value["pressure"]?.number)
    }

    private func scheduleChange() {
        if isChangeScheduled { return }
        isChangeScheduled = true
        Task {
            try? await Task.sleep(for: Self.interval)
            isChangeScheduled = false
            flush()
        }
    }

    /// Tells what is new of the wet stroke.
    private func flush() {
        guard isWet, let change = ink?.change() else { return }
        for number in followers.keys where followers[number]?.seen != nil {
            send("ink", to: number) { _ in ["final": .text(change.final), "tail": .text(change.tail)] }
        }
    }

    // MARK: followers

    /// Shows a capture to followers who may see it by now.
    private func lookAgain(for id: String) async {
        for delay in Self.lookAgain {
            try? await Task.sleep(for: delay)
            for (number, follower) in followers where follower.seen == nil {
                guard let access = await follower.access(id), capture?["id"]?.text == id else { continue }
                followers[number]?.seen = access
                send("resync", to: number) { self.snapshot(for: $0) }
            }
        }
    }

    /// Decides anew who may see the capture.
    private func seeCapture() async {
        let id = capture?["id"]?.text
        for (number, follower) in followers {
            followers[number]?.seen = if let id { await follower.access(id) } else { nil }
        }
    }

    private func tellAll(_ event: String, _ data: (Follower) -> JSONValue?) async {
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
        } else if waiting >= Self.waitingLimit {
            followers[number]?.isBehind = true
        } else if let data = data(follower), !follower.stream.send(event, id: nil, data, endsIfFull: false) {
            followers[number]?.isBehind = true
        }
    }

    private func state(for follower: Follower) -> JSONValue {
        var state: [String: JSONValue] = ["page": .text(page)]
        if follower.seen != nil { state["strokes"] = .integer(strokes) }
        return .object(state)
    }

    /// Everything that a follower may see.
    private func snapshot(for follower: Follower) -> JSONValue {
        var snapshot = state(for: follower).object ?? [:]
        snapshot["level"] = .text(level.rawValue)
        guard let access = follower.seen, var capture else { return .object(snapshot) }
        if access == .page { capture["buttons"] = .list([]) }
        snapshot["capture"] = .object(capture)
        snapshot["png"] = backdrop
        if level == .presence { snapshot["cells"] = .list(cells) }
        if let ink {
            snapshot["outlines"] = .list(ink.strokes.map { .text($0) } + (ink.wetOutline.map { [.text($0)] } ?? []))
        }
        return .object(snapshot)
    }
}
