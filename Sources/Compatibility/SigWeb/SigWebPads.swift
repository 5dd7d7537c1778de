// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation
import Gateway
import HTTP
import HostAPI
import JSON
import PNG
import Raster

/// The pages that speak SigWeb. Each call is an HTTP request, so the state of a page is kept here, by session.
///
/// `TabletState/0` ends the signature in this protocol, and the page then fetches it or throws it away. So the pad's
/// Accept is pressed when the page fetches the signature, and not before.
actor SigWebPads {
    /// Bytes of a value of a page. There are as many values as ``SigWebName`` has.
    private static let valueLimit = 128
    /// The time for a page to go on signing after it has cleared what it had ended.
    private static let restart = Duration.seconds(2)
    /// Seconds that a page waits for a stroke.
    private static let penWait = 10
    /// The size of a picture whose page names none: the maker's.
    private static let usualSides = ["ImageXSize": "500", "ImageYSize": "100"]
    /// A picture without a visible pixel: GIF, because every browser draws it, and no page keeps it.
    private static let emptyPicture =
        Data(
            base64Encoded: "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7") ?? Data()

    private struct Page {
        let bearer: Token
        /// Another one after each reset.
        let number: Int
        var values: [String: String] = [:]
        /// The signature that runs, or that was accepted.
        var capture: HostedCapture?
        /// The lines of its page, to compare them with those of the next start.
        var prompt: [String] = []
        /// The page has ended it, and not fetched it.
        var isStopped = false
        /// The number of times that the page has ended a signature with ink.
        var stops = 0
        /// The text of the signature that is being asked for.
        var asked: [String]?
        /// An earlier signature that the page has read back by its reference, in place of one of its own.
        var earlier: (id: CaptureID, reference: String)?
        /// The samples of an accepted signature.
        var sampleCount: Int?
        /// The page has drawn what is not shown: whoever signed would not have seen it.
        var hasUnseen = false
    }

    private let pad: CompatiblePad
    /// Pages, by the ids of their sessions.
    private var pages: [String: Page] = [:]
    private var nextNumber = 0
    /// Captures that are being withdrawn, with their sessions.
    private var withdrawals: [CaptureID: (session: String, task: Task<Void, Never>)] = [:]

    init(_ pad: CompatiblePad) { self.pad = pad }

    /// - Parameters:
    ///   - path: the parts after the name, encoded.
    ///   - body: of a POST.
    func response(
        _ method: String, _ text: String, path: String?, body: Data, width: String?, height: String?,
        for bearer: Token
    ) async throws -> HTTPResponse {
        guard let name = SigWebName(text) else { throw Problem.notFound("SigWeb has no such name.") }
        let isRefused = [.refused, .drawing, .lcdRefresh].contains(name)
        if !isRefused, let path, path.isEmpty || path.contains("/") {
            throw Problem.notFound("\(text) has no such value.")
        }
        let value = path?.removingPercentEncoding
        let isPost = method == "POST"
        let id = bearer.id
        if pages[id] == nil {
            await forgetExpired()
            pages[id] = pages[id] ?? Page(bearer: bearer, number: nextNumber)
            nextNumber += 1
        }
        switch name {
        case .constant(let value): return Self.text(value)
        case .connectQuery: return Self.text((try? await pad.panel.status()) == nil ? "0" : "1")
        case .ignored: return Self.text(isPost ? "" : "\"\"")
        case .refused: throw Self.notSupported(text)
        case .lcdRefresh where value?.prefix(while: \.isNumber) == "0", .lcdClear:
            pages[id]?.hasUnseen = false
            return Self.text("")
        case .drawing, .lcdRefresh:
            // The maker's library ignores this answer. So nobody signs without what the page believes to be shown.
            pages[id]?.hasUnseen = true
            if let running = pages[id]?.capture, await running.ended == nil {
                pages[id]?.capture = nil
                await withdraw(running, bearer)
            }
            throw Self.notSupported(text)
        case .property:
            guard isPost else { return Self.text(pages[id]?.values[text] ?? "0") }
            guard let value, value.utf8.count <= Self.valueLimit else {
                throw Problem.invalid(text, "a value of at most \(Self.valueLimit) bytes")
            }
            pages[id]?.values[text] = value
            return Self.text("")
        case .tabletState:
            guard isPost else { return Self.text(await isSigning(id) ? "1" : "0") }
            // A state that does not exist must not end the person's signature.
            guard value == "0" || value == "1" else { throw Problem.invalid(text, "0 or 1") }
            if value == "1" {
                try checkSeen(id)
                try await begin(id, prompt: body, bearer)
            } else {
                await stop(id, bearer)
            }
            return Self.text("")
        case .openTablet, .resetParameters:
            if name == .resetParameters { pages[id]?.values = [:] }
            return Self.text("")
        case .closeTablet:
            await stop(id, bearer)
            return Self.text("")
        case .reset:
            let capture = pages[id]?.capture
            // A page that is left names its capture: another page of the session may have begun meanwhile.
            if let value, capture?.id.description != value { return Self.text("") }
            pages[id] = nil
            if let capture, await capture.ended == nil { await withdraw(capture, bearer) }
            return Self.text("")
        case .clearSignature:
            try await clear(id)
            return Self.text("1")
        case .totalPoints: return Self.text(String(await pointCount(id, bearer)))
        case .numberOfStrokes: return Self.text(String(await state(id)?.strokes ?? 0))
        case .waitForPenDown:
            await waitForStroke(id)
            return Self.text("1")
        case .sigString:
            if isPost {
                guard value == nil else { throw Problem.invalid(text, "the signature as the body") }
                try await readBack(String(decoding: body, as: UTF8.self), id, bearer)
                return Self.text("")
            }
            if let earlier = pages[id]?.earlier { return Self.text("\"\(earlier.reference)\"") }
            try checkKept(id)
            guard let capture = try await signature(id) else { return Self.text("\"\"") }
            return Self.text("\"\(await pad.reference(to: capture))\"")
        case .sigImage:
            guard [nil, "0", "1"].contains(value) else { throw Problem.invalid(text, "0 or 1") }
            if pages[id]?.earlier == nil { try checkKept(id) }
            return try await picture(id, isFinal: value == "1", width, height, bearer)
        case .state: return HTTPResponse(json: await summary(id, bearer))
        case .pixels:
            let png = try await picture(id, width, height, transparent: true, bearer)
            return HTTPResponse(
                statusCode: .ok, headers: [.contentType: "application/octet-stream"], body: try Self.pixels(of: png))
        }
    }

    private func forgetExpired() async {
        for (id, page) in pages where await pad.bearers.expiry(of: page.bearer) ?? .distantPast <= Date() {
            pages[id] = nil
        }
    }

    private static func notSupported(_ name: String) -> Problem {
        Problem(
            name: .notImplemented, status: 501,
            detail: "\(name) is not supported: this pad shows its own pages, and has records of its own format.")
    }

    /// - Throws: ``Problem`` if the page has drawn what people do not see.
    private func checkSeen(_ id: String) throws(Problem) {
        guard pages[id]?.hasUnseen == true else { return }
        throw Problem(
            name: .notImplemented, status: 501,
            detail: "The page has drawn on the display, which this pad does not show: nobody may sign below it.")
    }

    /// A capture that was accepted before the page drew stays a signature.
    /// - Throws: ``Problem`` if the page has drawn and has no capture.
    private func checkKept(_ id: String) throws(Problem) {
        if pages[id]?.capture == nil { try checkSeen(id) }
    }

    private static func text(_ text: String) -> HTTPResponse {
        HTTPResponse(
            statusCode: .ok, headers: [.contentType: "text/plain; charset=utf-8"], body: Data(text.utf8))
    }

    // MARK: signatures

    /// Shows an earlier signature to the page, by the text that `SigString` has answered for it.
    private func readBack(_ reference: String, _ id: String, _ bearer: Token) async throws {
        let busy = Problem(
            name: .busy, status: 409, detail: "A signature is being asked for.", headers: ["Retry-After": "1"])
        let capture = pages[id]?.capture
        if let capture, await capture.ended == nil { throw busy }
        // Another request of the session may have begun meanwhile.
        guard pages[id]?.asked == nil, pages[id]?.capture === capture else { throw busy }
        // Not kept if the reference is refused: the maker's library fetches the picture in any case.
        forget(id)
        let number = pages[id]?.number
        if reference.isEmpty { return }
        let record = try await pad.record(of: reference, for: bearer)
        let count = try await pad.sampleCount(of: record, for: bearer, isReferred: true)
        guard pages[id]?.number == number, pages[id]?.capture == nil, pages[id]?.asked == nil else { throw busy }
        pages[id]?.earlier = (record, reference)
        pages[id]?.sampleCount = count
    }

    /// Forgets the signature that has ended.
    private func forget(_ id: String) {
        pages[id]?.capture = nil
        pages[id]?.earlier = nil
        pages[id]?.sampleCount = nil
    }

    private func begin(_ id: String, prompt: Data, _ bearer: Token) async throws {
        // The panel refuses what is too long.
        guard let text = String(bytes: prompt, encoding: .utf8) else { throw Problem.invalid("prompt", "UTF-8") }
        var lines = text.split(whereSeparator: \.isNewline).map(String.init).filter { !$0.isBlank }
        if lines.isEmpty { lines = ["Signature"] }
        if let asked = pages[id]?.asked {
            if asked == lines { return }
            throw Problem(
                name: .busy, status: 409, detail: "A signature below another text is being asked for.",
                headers: ["Retry-After": "1"])
        }
        let number = pages[id]?.number
        pages[id]?.asked = lines
        pages[id]?.earlier = nil
        defer { if pages[id]?.number == number { pages[id]?.asked = nil } }
        if let running = pages[id]?.capture, await running.ended == nil {
            if pages[id]?.prompt == lines, withdrawals[running.id] == nil {
                pages[id]?.isStopped = false
                return
            }
            // Nobody may sign below the old text. Ink that stands below it is no signature for the new one.
            await withdraw(running, bearer)
        }
        await waitForWithdrawals(of: bearer)
        let capture = try await pad.ask(CaptureCall(request: CaptureRequest(prompt: lines)), for: bearer)
        // The page may have reset the pad meanwhile, or drawn on it, and this one is not its own any more.
        guard pages[id]?.number == number, pages[id]?.hasUnseen == false else { return await withdraw(capture, bearer) }
        pages[id]?.capture = capture
        pages[id]?.prompt = lines
        pages[id]?.isStopped = false
        pages[id]?.sampleCount = nil
    }

    /// Pages also call this before they begin, such as when somebody clicks twice.
    private func stop(_ id: String, _ bearer: Token) async {
        guard let capture = pages[id]?.capture, let state = await state(id), state.outcome == nil else { return }
        guard (state.strokes ?? 0) > 0 else { return await withdraw(capture, bearer) }
        pages[id]?.isStopped = true
        pages[id]?.stops += 1
    }

    /// Cancels what is no signature, and gives it back to the session a few times.
    private func withdraw(_ capture: HostedCapture, _ bearer: Token) async {
        if let before = withdrawals[capture.id] { return await before.task.value }
        let withdrawal = Task { [pad] in
            await pad.cancel(capture)
            guard await pad.state(of: capture)?.outcome == .cancelled(by: .host) else { return }
            await pad.giveBack(to: bearer, wasCostly: true)
        }
        withdrawals[capture.id] = (bearer.id, withdrawal)
        await withdrawal.value
        withdrawals[capture.id] = nil
    }

    /// A page that is loaded again begins before the capture of the page before is wiped: the session has it back then.
    private func waitForWithdrawals(of bearer: Token) async {
        for (session, task) in withdrawals.values where session == bearer.id { await task.value }
    }

    private func clear(_ id: String) async throws {
        let capture = pages[id]?.capture
        guard let capture, await capture.ended == nil else {
            // Another request of the session may have begun meanwhile.
            if pages[id]?.capture === capture { forget(id) }
            return
        }
        try await pad.clear(capture)
        guard let page = pages[id], page.isStopped else { return }
        Task {
            try await Task.sleep(for: Self.restart)
            // The page may have begun anew meanwhile, and ended that signature, too.
            if pages[id]?.isStopped == true, pages[id]?.stops == page.stops, pages[id]?.capture === capture {
                await pad.cancel(capture)
            }
        }
    }

    /// The accepted signature, for which this presses Accept; nil without one.
    private func signature(_ id: String) async throws -> HostedCapture? {
        guard let capture = pages[id]?.capture else { return nil }
        if await capture.ended == nil {
            guard (await state(id)?.strokes ?? 0) > 0 else { return nil }
            try await pad.accept(capture)
        }
        return await state(id)?.outcome == .accepted ? capture : nil
    }

    private func picture(
        _ id: String, isFinal: Bool, _ width: String?, _ height: String?, _ bearer: Token
    ) async throws -> HTTPResponse {
        let isAccepted = await state(id)?.outcome == .accepted
        guard isFinal || isAccepted || pages[id]?.earlier != nil else {
            return HTTPResponse(statusCode: .ok, headers: [.contentType: "image/gif"], body: Self.emptyPicture)
        }
        let picture = try await picture(id, width, height, transparent: false, bearer)
        return HTTPResponse(statusCode: .ok, headers: [.contentType: "image/png"], body: picture)
    }

    private func picture(
        _ id: String, _ width: String?, _ height: String?, transparent: Bool, _ bearer: Token
    ) async throws -> Data {
        // Before Accept is pressed.
        func value(_ name: String) -> String? { pages[id]?.values[name] ?? Self.usualSides[name] }
        let width = try side(width ?? value("ImageXSize"), "width")
        let height = try side(height ?? value("ImageYSize"), "height")
        if let earlier = pages[id]?.earlier {
            return try await pad.picture(
                of: earlier.id, width: width, height: height, transparent: transparent, for: bearer, isReferred: true)
        }
        guard let capture = try await signature(id) else { throw Problem.notSigned }
        return try await pad.picture(
            of: capture.id, width: width, height: height, transparent: transparent, for: bearer)
    }

    /// The pixels of a picture as a page's canvas takes them: red, green, blue, opacity.
    private static func pixels(of png: Data) throws(PNGError) -> Data {
        var bytes = Data()
        for pixel in try PNGDecoder.decode(Array(png)).pixels {
            bytes.append(contentsOf: [16, 8, 0, 24].map { UInt8(truncatingIfNeeded: pixel >> $0) })
        }
        return bytes
    }

    /// - Returns: nil for the record's own.
    private func side(_ text: String?, _ name: String) throws(Problem) -> Int? {
        guard let text else { return nil }
        guard let side = Int(text), side >= 0 else { throw Problem.invalid(name, "a number of pixels") }
        return side == 0 ? nil : side
    }

    // MARK: state

    /// nil before the first signature.
    private func state(_ id: String) async -> CaptureReply? {
        guard let capture = pages[id]?.capture else { return nil }
        return await pad.state(of: capture)
    }

    private func isSigning(_ id: String) async -> Bool {
        guard pages[id]?.isStopped == false, let state = await state(id) else { return false }
        return state.outcome == nil
    }

    /// While somebody signs, strokes: points are the panel's. Pages only ask whether there are some, and whether there
    /// are more.
    private func pointCount(_ id: String, _ bearer: Token) async -> Int {
        if pages[id]?.earlier != nil { return pages[id]?.sampleCount ?? 1 }
        guard let state = await state(id), let capture = pages[id]?.capture else { return 0 }
        guard let outcome = state.outcome else { return state.strokes ?? 0 }
        guard outcome == .accepted else { return 0 }
        if let count = pages[id]?.sampleCount { return count }
        let count = (try? await pad.sampleCount(of: capture.id, for: bearer)) ?? 1
        pages[id]?.sampleCount = count
        return count
    }

    private func waitForStroke(_ id: String) async {
        guard let capture = pages[id]?.capture else { return }
        let end = ContinuousClock.now + .seconds(Self.penWait)
        while .now < end, !Task.isCancelled {
            let seen = await capture.version
            guard let state = await state(id), state.outcome == nil, (state.strokes ?? 0) == 0 else { return }
            await capture.wait(forChangeOf: seen, seconds: Self.penWait)
        }
    }

    private func summary(_ id: String, _ bearer: Token) async -> JSONValue {
        var summary: [String: JSONValue] = [
            "signing": .flag(await isSigning(id)), "points": .integer(Int64(await pointCount(id, bearer))),
            "mirrorsInk": .flag(bearer.allows(.mirrorInk)),
        ]
        if let state = await state(id) {
            summary["strokes"] = .integer(Int64(state.strokes ?? 0))
            summary["capture"] = .text(state.id.description)
            if let outcome = state.outcome {
                summary["accepted"] = .flag(outcome == .accepted)
            }
        }
        if pages[id]?.earlier != nil { summary["accepted"] = .flag(true) }
        return .object(summary)
    }
}
