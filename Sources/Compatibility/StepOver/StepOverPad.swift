// SPDX-License-Identifier: Apache-2.0
import Foundation
import Gateway
import Geometry
import HTTP
import HostAPI
import JSON

/// A page that speaks the WebSocket interface of StepOver's Pad Connector.
actor StepOverPad: PadProtocol {
    private static let version = "2.2.0"
    private static let deviceName = "Inkpanel"
    /// Opaque black, as a signed 32-bit number.
    private static let buttonColor: JSONValue = -16_777_216

    private let pad: CompatiblePad
    private let end: BearerEnd
    private let queue: FrameQueue

    /// The capture that runs, and the request that began it.
    private var running: (capture: HostedCapture, request: StepOverRequest)?
    private var following: Task<Void, Never>?
    private var accepted: HostedCapture?

    private struct Refusal: Error {
        let text: String
    }

    init(_ pad: CompatiblePad, _ end: BearerEnd, _ queue: FrameQueue) {
        (self.pad, self.end, self.queue) = (pad, end, queue)
    }

    func receive(_ message: Data) async {
        let request = StepOverRequest(message)
        await queue.send(await reply(to: request))
        // Late replies come after the first one.
        if let running, following == nil { following = Task { await follow(running.capture, running.request) } }
    }

    func leave() async { await cancel() }

    private func reply(to request: StepOverRequest) async -> JSONValue {
        guard request.fault == nil, let kind = request.kind else {
            return request.error(request.fault ?? "this is no request")
        }
        do {
            return request.reply(try await answer(kind, request))
        } catch let refusal as Refusal {
            return request.error(refusal.text)
        } catch let problem as Problem {
            return request.error(problem.detail)
        } catch {
            return request.error("the pad did not answer in time")
        }
    }

    private func answer(_ kind: StepOverRequest.Kind, _ request: StepOverRequest) async throws -> JSONValue {
        switch kind {
        case .getVersion: return .text(Self.version)
        case .keepAlive, .start: return "ok"
        case .executeDeviceSearch, .getDeviceCount: return await isThere() ? 1 : 0
        case .getDeviceOpened: return running == nil ? "false" : "true"
        case .getDevice, .getDeviceSerial: return .text(Self.deviceName)
        case .getDeviceInfo:
            let status = try await pad.panel.status()
            return [
                "name": .text(Self.deviceName), "serial": .text(Self.deviceName), "firmware": .text(status.program),
                "width": .integer(Int64(status.screen.size.width)),
                "height": .integer(Int64(status.screen.size.height)),
            ]
        case .getButtonConfigs:
            return .list(
                ["Ok", "Repeat", "Cancel"].map { kind in
                    [
                        "mode": "Signature", "kind": .text(kind), "visible": true, "enabled": true,
                        "color": Self.buttonColor,
                    ]
                })
        // The pad has the buttons of its own pages.
        case .setButtonConfigs, .getButtonEvents: return "ok"
        case .startSigning: return try await begin(request)
        case .finishSigning: return try await finish()
        // The maker's program starts anew.
        case .stopSigning, .restart:
            await cancel()
            return "ok"
        case .getSignatureImage: return .text(try await picture(request))
        case .getBioData: return .text(await pad.reference(to: try signature()))
        case .getPreliminaryData:
            // Biometric data, certificate, picture, notary's data, name and serial number of the pad.
            let (reference, picture) = (await pad.reference(to: try signature()), try await picture(request))
            return [
                .text(reference), "", .text(picture), "", .text(Self.deviceName), .text(Self.deviceName),
            ]
        case .startViewing, .onStaticAppletGetImage:
            throw Refusal(text: "this pad shows no pictures of pages; upload the document (docs/documents.md)")
        case .getDeviceCertificate, .getEncryptedAesKey, .getNotaryInfo, .getSignedFinalDocHash, .setFinalDocHash:
            throw Refusal(text: "this pad has none of the maker's keys; its record has a seal (docs/evidence.md)")
        }
    }

    private func isThere() async -> Bool { (try? await pad.panel.status()) != nil }

    private func signature() throws -> HostedCapture {
        guard let accepted else { throw Refusal(text: "nothing was signed") }
        return accepted
    }

    private func picture(_ request: StepOverRequest) async throws -> String {
        let sides = [request.data?["width"], request.data?["height"]].map { $0 == .null ? nil : $0 }
        let numbers = sides.map { $0?.number.flatMap { Int(exactly: $0.rounded()) } }
        // A picture of another size than the page wants is not told from the right one.
        guard sides == [nil, nil] || !numbers.contains(nil) else {
            throw Refusal(text: "width and height must be numbers of pixels, both or none")
        }
        let alpha = request.data?["withAlpha"] ?? .null
        guard alpha == .null || alpha.flag != nil else { throw Refusal(text: "withAlpha must be true or false") }
        let isTransparent = alpha.flag ?? false
        // Pages fetch it several times a second from the start on, and some stop when they hear of the end.
        if let running, accepted == nil {
            return try await pad.runningPicture(
                of: running.capture.id, width: numbers[0], height: numbers[1], transparent: isTransparent,
                for: end.bearer
            ).base64EncodedString()
        }
        return try await pad.picture(
            of: try signature().id, width: numbers[0], height: numbers[1], transparent: isTransparent,
            for: end.bearer
        ).base64EncodedString()
    }

    // MARK: signatures

    private func begin(_ request: StepOverRequest) async throws -> JSONValue {
        guard running == nil else { throw Refusal(text: "a signature runs already") }
        // A text for people is never left out: the page believes that it was read.
        guard request.data.map({ $0.object != nil || $0 == .null }) ?? true,
            request.data?["config"].map({ $0.object != nil || $0 == .null }) ?? true
        else { throw Refusal(text: "data and its config must be objects") }
        let config = request.data?["config"]
        if let mode = config?["signMode"], mode != "standard" {
            throw Refusal(text: "this pad shows no pictures of pages: signMode must be standard")
        }
        var lines = try Self.lines(config?["textLines"])
        if lines.isEmpty { lines = ["Signature"] }
        running = (try await pad.ask(CaptureCall(request: CaptureRequest(prompt: lines)), for: end.bearer), request)
        // Not before: what was signed stays if nothing new begins.
        accepted = nil
        return "ok"
    }

    /// A list, or an object with the lines' numbers.
    private static func lines(_ value: JSONValue?) throws(Refusal) -> [String] {
        let numbered = (value?.object ?? [:]).map { name, line in (Int(name), line) }
        let lines = value?.list ?? numbered.sorted { $0.0 ?? 0 < $1.0 ?? 0 }.map(\.1)
        let texts = lines.compactMap(\.text)
        let isList = [nil, JSONValue.null].contains(value) || value?.list != nil || value?.object != nil
        guard isList, texts.count == lines.count, numbered.allSatisfy({ $0.0 != nil }) else {
            throw Refusal(text: "textLines must be a list of texts, or an object with their numbers")
        }
        return texts.filter { !$0.isBlank }
    }

    private func finish() async throws -> JSONValue {
        guard let capture = running?.capture else { throw Refusal(text: "no signature runs") }
        // The late reply tells the end.
        try await pad.accept(capture)
        accepted = capture
        return "ok"
    }

    private func cancel() async {
        guard let capture = running?.capture else { return }
        running = nil
        following?.cancel()
        following = nil
        await pad.cancel(capture)
    }

    private func follow(_ capture: HostedCapture, _ request: StepOverRequest) async {
        // While something runs, the page loses its connection as soon as its right ends.
        let watched = await pad.bearers.watch(end.bearer)
        watched.then { [queue] in Task { await queue.close(.tokenEnded) } }
        let end = end
        // While somebody takes the steps, the mirror has the ink for pictures.
        let ink = Task { [pad] in for await _ in await pad.steps(of: capture.id, until: end) {} }
        await pad.follow(capture) { await self.report($0, of: capture, request) }
        ink.cancel()
        withExtendedLifetime(watched) {}
    }

    private func report(_ reply: CaptureReply, of capture: HostedCapture, _ request: StepOverRequest) async {
        guard let outcome = reply.outcome, running?.capture === capture else { return }
        (running, following) = (nil, nil)
        if outcome == .accepted { accepted = capture }
        await queue.send(request.late(outcome == .accepted ? .finished : .cancelled))
    }
}
