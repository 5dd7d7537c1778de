// SPDX-License-Identifier: Apache-2.0
import Evidence
import Foundation
package import Gateway
import Geometry
package import HTTP
import HostAPI
import JSON

/// Not FlyingFox's type of this name.
typealias JSONValue = JSON.JSONValue

/// The calls of the HTTP API that the protocols of other pads need, with the same checks.
package struct CompatiblePad: Sendable {
    /// Seconds without a request, after which the capture of a page without a connection is cancelled.
    private static let abandonAfter = 60
    /// Seconds that a button may take to have its effect, and a record to be stored.
    private static let effectLimit = 3
    private static let storeLimit = 10
    /// Until the next change: as long as a capture may take.
    private static let longestWait = 86_400
    /// Pixels of a side of a picture, and of all.
    private static let pictureSide = 1...4096
    private static let pictureArea = 4 << 20

    let captures: Captures
    private let documents: Documents
    let bearers: Bearers
    let panel: PanelService
    let mirror: MirrorFeeds

    package init(
        captures: Captures, documents: Documents, bearers: Bearers, panel: PanelService, mirror: MirrorFeeds
    ) {
        self.captures = captures
        self.documents = documents
        self.bearers = bearers
        self.panel = panel
        self.mirror = mirror
    }

    /// Asks for a signature, or for answers.
    /// - Throws: ``Problem``.
    func ask(_ call: CaptureCall, for bearer: Token) async throws -> HostedCapture {
        var call = call
        // These protocols know signatures only, whatever the panel's configuration allows in their place.
        call.policy.alternatives = []
        let asked = try await captures.ask(
            try JSONValue(call.json).object ?? [:], abandonAfter: Self.abandonAfter, bearer: bearer, key: nil,
            body: Data(), bearers: bearers)
        guard case .capture(let capture) = asked else { throw Problem.notFound("There is no such capture.") }
        return capture
    }

    /// Asks for a signature in a document, which is uploaded for this capture alone.
    /// - Parameter document: the bytes. The call says how people read it, and gets its id here.
    /// - Throws: ``Problem``.
    func ask(_ call: CaptureCall, document: Data, for bearer: Token) async throws -> HostedCapture {
        let id = try await documents.add(document, of: bearer)
        var call = call
        call.flow.document?.id = id
        do {
            let capture = try await ask(call, for: bearer)
            try? await documents.remove(id, of: bearer)
            return capture
        } catch {
            try? await documents.remove(id, of: bearer)
            throw error
        }
    }

    /// Reports each state of a capture, the last one with its outcome.
    func follow(_ capture: HostedCapture, _ report: @Sendable (CaptureReply) async -> Void) async {
        while !Task.isCancelled {
            // A change between the two is reported, and once more.
            let seen = await capture.version
            guard case .hosted(let reply, _, _) = await capture.document else { return }
            await report(reply)
            if reply.outcome != nil { return }
            await capture.wait(forChangeOf: seen, seconds: Self.longestWait)
        }
    }

    /// The present state of a capture. Asking keeps it from being abandoned.
    func state(of capture: HostedCapture) async -> CaptureReply? {
        await capture.wait(forChangeOf: 0, seconds: 0)
        guard case .hosted(let reply, _, _) = await capture.document else { return nil }
        return reply
    }

    /// Presses Accept, for the page.
    /// - Throws: ``Problem`` if the ink is no signature, or the record is not stored in time.
    func accept(_ capture: HostedCapture) async throws {
        var refusal: Problem?
        if await capture.ended == nil {
            do { try await capture.press(.accept, on: panel, waiting: Self.effectLimit) } catch let problem as Problem
                where [.beingStored, .notRunning].contains(problem.name)
            {
                // The person or the page has pressed it already. What this refused press misses is on its way.
                refusal = problem
            }
            // The first change may be the end of the last stroke.
            let seen = await capture.version
            if case .signing? = await state(of: capture)?.state {
                await capture.wait(forChangeOf: seen, seconds: Self.effectLimit)
            }
            if case .saving? = await state(of: capture)?.state { await capture.waitForEnd(seconds: Self.storeLimit) }
        }
        switch await state(of: capture)?.state {
        case .ended(.accepted): return
        case .ended(.failed(let reason, _)): throw Problem(name: .storeFailed, status: 500, detail: reason)
        case .ended: throw Problem(name: .notRunning, status: 409, detail: "The signature was cancelled.")
        case .saving: throw Problem(name: .beingStored, status: 409, detail: "The record is still being stored.")
        default:
            if let refusal { throw refusal }
            throw Problem(name: .notSigned, status: 409, detail: "There is too little ink for a signature.")
        }
    }

    /// Removes the ink.
    /// - Throws: ``Problem``.
    func clear(_ capture: HostedCapture) async throws {
        try await capture.press(.clear, on: panel, waiting: Self.effectLimit)
    }

    /// Cancels a capture, unless it has ended.
    func cancel(_ capture: HostedCapture) async {
        guard await capture.ended == nil else { return }
        try? await capture.press(.cancel, on: panel, waiting: Self.effectLimit)
    }

    /// Gives a session back the capture that was no signature.
    /// - Parameter wasCostly: see ``Bearers``.
    func giveBack(to bearer: Token, wasCostly: Bool = false) async {
        await bearers.giveBackCapture(of: bearer, wasCostly: wasCostly)
    }

    // MARK: what was signed

    /// The picture of an accepted signature: PNG, at most 128 KiB.
    /// - Parameters:
    ///   - width, height: pixels; nil for the record's own.
    ///   - isReferred: the page has shown the ``reference(to:)`` to it.
    /// - Throws: ``Problem``.
    func picture(
        of id: CaptureID, width: Int?, height: Int?, transparent: Bool, for bearer: Token, isReferred: Bool = false
    ) async throws -> Data {
        try bearer.check(.record)
        if !isReferred { try await checkOwner(of: id, bearer) }
        var call = GetCall(id, .png)
        call.transparent = transparent
        call.pixels = try Self.size(width, height)
        guard case .whole(let content) = try await PanelFile(try await panel.get(call)).body else {
            throw Problem(name: .tooLarge, status: 413, detail: "The picture is too large; ask for a smaller one.")
        }
        return content
    }

    /// - Returns: nil unless both sides are given.
    /// - Throws: ``Problem``.
    static func size(_ width: Int?, _ height: Int?) throws(Problem) -> PixelSize? {
        guard let width, let height else { return nil }
        guard pictureSide.contains(width), pictureSide.contains(height), width * height <= pictureArea else {
            throw Problem.invalid("size", "1 to 4096 pixels a side, and at most 4 million")
        }
        return PixelSize(width: width, height: height)
    }

    /// The number of samples of an accepted signature.
    /// - Parameter isReferred: as for the picture.
    /// - Throws: ``Problem``.
    func sampleCount(of id: CaptureID, for bearer: Token, isReferred: Bool = false) async throws -> Int {
        try bearer.check(.record)
        if !isReferred { try await checkOwner(of: id, bearer) }
        let reply = try await panel.get(GetCall(id, nil))
        while try await reply.portion() != nil {}
        return try await reply.parameters(GetReply.self).metadata?.samples ?? 0
    }

    private func checkOwner(of id: CaptureID, _ bearer: Token) async throws {
        guard await captures.mayRead(id, bearer) else { throw Problem.notFound("There is no such capture.") }
    }

    /// The reference that a page gets in place of a maker's biometric format: the record's id, and its seal, which the
    /// host keeps. Base64 of JSON.
    func reference(to capture: HostedCapture) async -> String {
        var members: [String: JSONValue] = ["capture": .text(capture.id.description)]
        if let seal = await state(of: capture)?.seal, let value = try? JSONValue(seal.json) {
            members["seal"] = value
            members["proof"] = (try? await proof(of: capture.id)).flatMap { $0 }.map { .text($0) }
        }
        return JSONValue.object(members).json.base64EncodedString()
    }

    /// The digest of the signature of a record's seal: unlike the seal's own, no other file has it, so that only those
    /// know it who may read the record or were given its reference.
    private func proof(of id: CaptureID) async throws -> String? {
        guard case .whole(let signature) = try await PanelFile(try await panel.get(GetCall(id, .sealSignature))).body
        else { return nil }
        return SHA256Digest(of: [UInt8](signature)).description
    }

    /// The record of a reference: of this session, or of another one of its token if the reference has its proof.
    /// - Throws: ``Problem``.
    func record(of reference: String, for bearer: Token) async throws -> CaptureID {
        try bearer.check(.record)
        let value = Data(base64Encoded: reference).flatMap { try? JSONValue($0) }
        guard let id = value?["capture"]?.text.flatMap(CaptureID.init) else {
            throw Problem.invalid("SigString", "a reference to a record, as this pad gives it")
        }
        if await captures.mayRead(id, bearer) { return id }
        guard let proof = value?["proof"]?.text, await captures.isOwner(of: id, bearer.owner),
            let expected = try await self.proof(of: id), expected.isEqualInConstantTime(to: proof)
        else { throw Problem.notFound("There is no such capture.") }
        return id
    }
}
