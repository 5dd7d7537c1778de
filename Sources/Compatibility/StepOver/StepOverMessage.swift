// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTP
import JSON

/// A request of StepOver's Pad Connector ("Websocket Interface"): an object with `messageId`, `type`, and often `data`.
struct StepOverRequest {
    /// All types of the interface. The type in the middle of a name is an event of the maker's program, to which a page
    /// answers with a request of the same name.
    enum Kind: String, CaseIterable {
        case executeDeviceSearch, finishSigning, getBioData, getButtonConfigs, getButtonEvents, getDevice
        case getDeviceCertificate, getDeviceCount, getDeviceInfo, getDeviceOpened, getDeviceSerial, getEncryptedAesKey
        case getNotaryInfo, getPreliminaryData, getSignatureImage, getSignedFinalDocHash, getVersion, keepAlive
        case onStaticAppletGetImage, restart, setButtonConfigs, setFinalDocHash, start, startSigning, startViewing
        case stopSigning
    }

    /// Bytes of an id, which answers repeat.
    private static let idLimit = 256

    /// `messageId`, of the message or of its data; nil if it has none.
    let id: JSONValue?
    /// nil for an unknown one.
    let kind: Kind?
    let data: JSONValue?
    /// Why the message is no request.
    let fault: String?

    init(_ message: Data) {
        let value: JSONValue?
        var fault: String?
        do throws(JSONFault) { value = try JSONValue(message) } catch {
            (value, fault) = (nil, "the message is no JSON object: \(error)")
        }
        data = value?["data"]
        let id = value?["messageId"] ?? data?["messageId"]
        let isShort = (id?.text?.utf8.count ?? 0) <= Self.idLimit
        self.id = isShort && (id?.text ?? id?.integer.map { String($0) }) != nil ? id : nil
        let type = value?["type"]?.text
        kind = type.flatMap(Kind.init(rawValue:))
        if fault == nil, value?.object == nil { fault = "the message is no JSON object" }
        if fault == nil, self.id == nil { fault = "messageId must be a text of at most \(Self.idLimit) bytes" }
        if fault == nil, kind == nil { fault = "there is no such type" }
        self.fault = fault
    }

    /// The reply with a value.
    func reply(_ value: JSONValue) -> JSONValue { message("response", ["ret": value]) }

    /// The reply that something cannot be done. The maker publishes no form of it.
    func error(_ text: String) -> JSONValue { message("error", ["error": .text(text)]) }

    /// A late reply. Pages hand its two values on as texts; what the maker's program has there is not published.
    func late(_ event: StepOverEvent) -> JSONValue { message(event.rawValue, ["value0": "", "value1": ""]) }

    /// Pages look for the id at either place.
    private func message(_ type: String, _ data: [String: JSONValue]) -> JSONValue {
        var (message, data): ([String: JSONValue], [String: JSONValue]) = (["type": .text(type)], data)
        message["messageId"] = id
        data["messageId"] = id
        message["data"] = .object(data)
        return .object(message)
    }
}

/// An event that the pad sends some time after `startSigning`.
enum StepOverEvent: String {
    case finished = "onStaticAppletSignatureFinished"
    case cancelled = "onStaticAppletSignatureCancel"
}
