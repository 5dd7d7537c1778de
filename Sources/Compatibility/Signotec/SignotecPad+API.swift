// SPDX-License-Identifier: Apache-2.0
import Foundation
import Gateway
import Geometry
import HTTP
import HostAPI
import JSON

/// The API mode, in which pages draw the display themselves, and hear of hot spots that were pressed.
extension SignotecPad {
    /// The maker's pads with landscape displays, by their numbers. Pages place texts and pictures by them, and stop at
    /// others.
    private static let padTypes = [
        (type: 15, size: PixelSize(width: 800, height: 480)), (type: 21, size: PixelSize(width: 1280, height: 800)),
    ]
    /// The slowest of the protocol, 125 reports a second.
    private static let slowestRate = 0

    func answer(
        _ command: SignotecRequest.DisplayCommand, _ request: SignotecRequest
    ) throws -> JSONValue {
        guard var display else { throw Self.notOpen }
        let code = try display.run(command, request, isSigning: running != nil)
        self.display = display
        return request.response(code)
    }

    func answer(
        _ command: SignotecRequest.DeviceCommand, _ request: SignotecRequest
    ) async throws -> JSONValue {
        switch command {
        case .setPort: return request.response(0)
        case .getCount: return request.response(await connectedPads().count)
        case .getInfo:
            try checkIndex(request)
            let size = try await pad.panel.status().screen.size
            let fitting = Self.padTypes.last { $0.size.width <= size.width && $0.size.height <= size.height }
            let type = (fitting ?? Self.padTypes[0]).type
            return request.response(0, ["TYPE": .text(String(type)), "SERIAL": "Inkpanel"])
        case .getVersion:
            try checkIndex(request)
            return request.response(0, ["VERSION": .text(try await pad.panel.status().program)])
        case .open:
            try checkIndex(request)
            guard !isOpen else { throw Refusal(text: "The pad is open already.") }
            let size = try await pad.panel.status().screen.size
            (isOpen, display, accepted) = (true, SignotecDisplay(size: size), nil)
            return request.response(0)
        case .close:
            try checkIndex(request)
            try checkOpen()
            await close()
            return request.response(0)
        case .getCapabilities, .getRotation: return request.response(0)
        case .getSampleRate: return request.response(Self.slowestRate)
        case .getWidth, .getTargetWidth: return request.response(try shownDisplay().size.width)
        case .getHeight, .getTargetHeight: return request.response(try shownDisplay().size.height)
        case .getDisplayResolution:
            let screen = try await pad.panel.status().screen
            return request.response(Self.resolution(screen.pixelsPerMillimetre))
        case .getResolution:
            // Points are in pixels of the display.
            let size = try shownDisplay().size
            return request.response(
                0,
                [
                    "PAD_X_RESOLUTION": .text(String(size.width)), "PAD_Y_RESOLUTION": .text(String(size.height)),
                ])
        case .start:
            if let unseen = request.unseen(beside: []) {
                throw Refusal(text: "This pad does not show \(unseen): leave it out.")
            }
            try await begin(try drawn())
            return request.response(0)
        case .retry: return try await retry(request)
        case .confirm: return request.response(try await confirm())
        case .cancel, .stop:
            try checkOpen()
            await cancel()
            return request.response(0)
        case .getSignData: return request.response(0, ["SIGN_DATA": .text(try await reference())])
        case .savePicture:
            // Without a size, or with 0, the maker's program takes that of the ink.
            let (width, height) = (request.number("WIDTH") ?? 0, request.number("HEIGHT") ?? 0)
            let size = width > 0 && height > 0 ? (width, height) : nil
            return request.response(0, ["IMAGE": .text(try await picture(request, size: size))])
        }
    }

    /// A signature with the present contents of the display.
    func drawn() throws -> Asked {
        let shown = try shownDisplay().shown()
        guard let document = shown.document else {
            let lines = shown.lines.isEmpty ? ["Signature"] : shown.lines
            return Asked(call: CaptureCall(request: CaptureRequest(prompt: lines)), hotSpots: shown.hotSpots)
        }
        // The page on which people sign in a document shows the first line only.
        let lines = shown.lines.isEmpty ? [] : [shown.lines.joined(separator: " · ")]
        var call = CaptureCall(request: CaptureRequest(prompt: lines))
        call.flow.document = document.reading
        return Asked(call: call, document: try document.bytes(), hotSpots: shown.hotSpots)
    }

    private static let notOpen = Refusal(text: "The pad is not open in the API mode.")

    private func shownDisplay() throws -> SignotecDisplay {
        if let display { return display }
        throw Self.notOpen
    }

    private func checkIndex(_ request: SignotecRequest) throws {
        guard (request["INDEX"] == nil ? 0 : request.number("INDEX")) == 0 else {
            throw Refusal(text: "The only INDEX is 0.")
        }
    }
}
