// SPDX-License-Identifier: Apache-2.0
import Foundation
import Gateway
import Geometry
import HTTP
import HostAPI
import JSON

/// The pad as both modes describe it, and what they get of an accepted signature.
extension SignotecPad {
    /// Reports a second: a lower bound, so that no signature seems longer than it was.
    private static let samplingRate = 60
    private static let millimetresPerInch = 25.4
    private static let fileTypePNG = 1

    // MARK: the pad

    func connectedPads() async -> [JSONValue] {
        guard let status = try? await pad.panel.status() else { return [] }
        return [
            [
                "TOKEN_PARAM_PAD_INDEX": "0", "TOKEN_PARAM_PAD_TYPE": "0", "TOKEN_PARAM_PAD_COM_PORT": "0",
                "TOKEN_PARAM_PAD_CONNECTION_TYPE": "IP", "TOKEN_PARAM_PAD_IP_ADDRESS": "",
                "TOKEN_PARAM_PAD_FIRMWARE_VERSION": .text(status.program),
                "TOKEN_PARAM_PAD_SERIAL_NUMBER": "Inkpanel", "TOKEN_PARAM_PAD_CAPABILITIES": "0",
            ]
        ]
    }

    func open(_ request: SignotecRequest) async throws -> [String: JSONValue] {
        guard request.number("PAD_INDEX") == 0 else { throw Refusal(text: "The only PAD_INDEX is 0.") }
        guard !isOpen else { throw Refusal(text: "The pad is open already.") }
        let screen = try await pad.panel.status().screen
        (isOpen, display, accepted) = (true, nil, nil)
        func text(_ number: Int) -> JSONValue { .text(String(number)) }
        let (width, height) = (text(screen.size.width), text(screen.size.height))
        return [
            "PAD_DISPLAY_WIDTH": width, "PAD_DISPLAY_HEIGHT": height, "PAD_DIALOG_WIDTH": width,
            "PAD_DIALOG_HEIGHT": height, "PAD_X_RESOLUTION": width, "PAD_Y_RESOLUTION": height,
            "PAD_DISPLAY_RESOLUTION": text(Self.resolution(screen.pixelsPerMillimetre)),
            "PAD_SAMPLING_RATE": text(Self.samplingRate),
        ]
    }

    func checkOpen(_ request: SignotecRequest? = nil) throws {
        if let request, request["PAD_INDEX"] != nil, request.number("PAD_INDEX") != 0 {
            throw Refusal(text: "The only PAD_INDEX is 0.")
        }
        guard isOpen else { throw Refusal(text: "The pad is not open.") }
    }

    func close() async {
        await cancel()
        isOpen = false
        // A signature of the API mode cannot be asked for once more: its texts are gone with the display.
        if display != nil { (display, signed) = (nil, nil) }
    }

    /// Pixels an inch.
    static func resolution(_ pixelsPerMillimetre: Double) -> Int {
        Int(min(pixelsPerMillimetre, 1e6) * millimetresPerInch)
    }

    // MARK: what was signed

    /// The picture of what was accepted, in Base64.
    /// - Parameter size: in pixels; nil for the record's own.
    func picture(_ request: SignotecRequest, size: (width: Int, height: Int)? = nil) async throws -> String {
        let accepted = try checkAccepted()
        guard [nil, Self.fileTypePNG].contains(request["FILE_TYPE"].flatMap { _ in request.number("FILE_TYPE") ?? -1 })
        else { throw Refusal(text: "The only FILE_TYPE is 1, PNG.") }
        return try await pad.picture(
            of: accepted.id, width: size?.width, height: size?.height, transparent: false, for: end.bearer
        ).base64EncodedString()
    }

    func reference() async throws -> String { await pad.reference(to: try checkAccepted()) }

    private func checkAccepted() throws -> HostedCapture {
        if let accepted { return accepted }
        throw Refusal(text: "No signature was confirmed.")
    }
}
