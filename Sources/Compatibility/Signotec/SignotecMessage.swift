// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTP
import JSON

/// Requests and answers of signoPAD-API/Web, by the names of interface version 3.3. Numbers are texts in this protocol.
struct SignotecRequest {
    /// The commands of the default mode that a page can send. The other four of the mode are events only.
    enum Command: String, CaseIterable {
        case getServerVersion = "TOKEN_CMD_GET_SERVER_VERSION"
        case getInterfaceVersion = "TOKEN_CMD_GET_INTERFACE_VERSION"
        case setInterfaceVersion = "TOKEN_CMD_SET_INTERFACE_VERSION"
        case searchForPads = "TOKEN_CMD_SEARCH_FOR_PADS"
        case openPad = "TOKEN_CMD_OPEN_PAD"
        case closePad = "TOKEN_CMD_CLOSE_PAD"
        case selectionDialog = "TOKEN_CMD_SELECTION_DIALOG"
        case selectionChange = "TOKEN_CMD_SELECTION_CHANGE"
        case selectionConfirm = "TOKEN_CMD_SELECTION_CONFIRM"
        case selectionCancel = "TOKEN_CMD_SELECTION_CANCEL"
        case signatureStart = "TOKEN_CMD_SIGNATURE_START"
        case signatureRetry = "TOKEN_CMD_SIGNATURE_RETRY"
        case signatureConfirm = "TOKEN_CMD_SIGNATURE_CONFIRM"
        case signatureCancel = "TOKEN_CMD_SIGNATURE_CANCEL"
        case signatureStop = "TOKEN_CMD_SIGNATURE_STOP"
        case signatureImage = "TOKEN_CMD_SIGNATURE_IMAGE"
        case signData = "TOKEN_CMD_SIGNATURE_SIGN_DATA"
        case signingCertificate = "TOKEN_CMD_SIGNING_CERT"
    }

    /// The commands of the API mode that this pad takes for its display and for the hot spots on it.
    enum DisplayCommand: String, CaseIterable {
        case configurePen = "TOKEN_CMD_API_DISPLAY_CONFIG_PEN"
        case setFont = "TOKEN_CMD_API_DISPLAY_SET_FONT"
        case setFontColor = "TOKEN_CMD_API_DISPLAY_SET_FONT_COLOR"
        case setRotation = "TOKEN_CMD_API_DISPLAY_SET_ROTATION"
        case setTarget = "TOKEN_CMD_API_DISPLAY_SET_TARGET"
        case setText = "TOKEN_CMD_API_DISPLAY_SET_TEXT"
        case setTextInRect = "TOKEN_CMD_API_DISPLAY_SET_TEXT_IN_RECT"
        case setImage = "TOKEN_CMD_API_DISPLAY_SET_IMAGE"
        case setImageFromStore = "TOKEN_CMD_API_DISPLAY_SET_IMAGE_FROM_STORE"
        case erase = "TOKEN_CMD_API_DISPLAY_ERASE"
        case eraseRect = "TOKEN_CMD_API_DISPLAY_ERASE_RECT"
        case setPDF = "TOKEN_CMD_API_DISPLAY_SET_PDF"
        case loadPDF = "TOKEN_CMD_API_PDF_LOAD"
        case setSignRect = "TOKEN_CMD_API_SENSOR_SET_SIGN_RECT"
        case clearSignRect = "TOKEN_CMD_API_SENSOR_CLEAR_SIGN_RECT"
        case addHotSpot = "TOKEN_CMD_API_SENSOR_ADD_HOT_SPOT"
        case clearHotSpots = "TOKEN_CMD_API_SENSOR_CLEAR_HOT_SPOTS"
    }

    /// The other commands of the API mode that this pad takes.
    enum DeviceCommand: String, CaseIterable {
        case setPort = "TOKEN_CMD_API_DEVICE_SET_COM_PORT"
        case getCount = "TOKEN_CMD_API_DEVICE_GET_COUNT"
        case getInfo = "TOKEN_CMD_API_DEVICE_GET_INFO"
        case getVersion = "TOKEN_CMD_API_DEVICE_GET_VERSION"
        case getCapabilities = "TOKEN_CMD_API_DEVICE_GET_CAPABILITIES"
        case open = "TOKEN_CMD_API_DEVICE_OPEN"
        case close = "TOKEN_CMD_API_DEVICE_CLOSE"
        case getWidth = "TOKEN_CMD_API_DISPLAY_GET_WIDTH"
        case getHeight = "TOKEN_CMD_API_DISPLAY_GET_HEIGHT"
        case getTargetWidth = "TOKEN_CMD_API_DISPLAY_GET_TARGET_WIDTH"
        case getTargetHeight = "TOKEN_CMD_API_DISPLAY_GET_TARGET_HEIGHT"
        case getDisplayResolution = "TOKEN_CMD_API_DISPLAY_GET_RESOLUTION"
        case getRotation = "TOKEN_CMD_API_DISPLAY_GET_ROTATION"
        case getSampleRate = "TOKEN_CMD_API_SENSOR_GET_SAMPLE_RATE_MODE"
        case getResolution = "TOKEN_CMD_API_SIGNATURE_GET_RESOLUTION"
        case start = "TOKEN_CMD_API_SIGNATURE_START"
        case retry = "TOKEN_CMD_API_SIGNATURE_RETRY"
        case confirm = "TOKEN_CMD_API_SIGNATURE_CONFIRM"
        case cancel = "TOKEN_CMD_API_SIGNATURE_CANCEL"
        case stop = "TOKEN_CMD_API_SIGNATURE_STOP"
        case getSignData = "TOKEN_CMD_API_SIGNATURE_GET_SIGN_DATA"
        case savePicture = "TOKEN_CMD_API_SIGNATURE_SAVE_AS_STREAM_EX"
    }

    /// Why a message is no request, or one that this pad cannot carry out.
    struct Fault: Error {
        let text: String
    }

    /// No display is as large, and the sum of two is a number.
    private static let pixelRange = 0.0...16384.0
    /// Bytes of a name that an answer repeats.
    private static let nameLimit = 128

    let command: String
    private let members: [String: JSONValue]

    /// - Throws: ``Fault``.
    init(_ message: Data) throws(Fault) {
        let value: JSONValue
        do throws(JSONFault) { value = try JSONValue(message) } catch {
            throw Fault(text: "The message is no JSON object: \(error)")
        }
        guard let members = value.object else { throw Fault(text: "The message is no JSON object.") }
        guard members["TOKEN_TYPE"]?.text == "TOKEN_TYPE_REQUEST" else {
            throw Fault(text: "TOKEN_TYPE must be TOKEN_TYPE_REQUEST.")
        }
        guard let command = members["TOKEN_CMD"]?.text, command.hasPrefix("TOKEN_CMD_"),
            command.utf8.count <= Self.nameLimit
        else { throw Fault(text: "TOKEN_CMD must be a command.") }
        self.command = command
        self.members = members
    }

    /// The parameter `TOKEN_PARAM_` and this; nil also for null.
    subscript(name: String) -> JSONValue? { members["TOKEN_PARAM_" + name].flatMap { $0 == .null ? nil : $0 } }

    /// A text for people to read. A value of another kind must not be left out: the page believes that it was read.
    /// - Returns: an empty text for a missing one.
    func text(_ name: String) throws(Fault) -> String {
        guard let value = self[name] else { return "" }
        if let text = value.text ?? value.integer.map({ String($0) }) { return text }
        throw Fault(text: "\(name) must be a text.")
    }

    /// A parameter with a text or a picture for people that this pad does not show; nil without one. A page whose
    /// text is left out believes that it was read.
    /// - Parameter known: names without `TOKEN_PARAM_`.
    func unseen(beside known: Set<String>) -> String? {
        let prefix = "TOKEN_PARAM_"
        return members.sorted { $0.key < $1.key }.first { name, value in
            let isForPeople = name.hasPrefix(prefix) && (name.hasSuffix("TEXT") || name.hasSuffix("IMAGE"))
            return isForPeople && value != .null && value != "" && !known.contains(String(name.dropFirst(prefix.count)))
        }?.key
    }

    /// The texts of TEXT_LAYOUT, CUSTOM_TEXT and CONFIRMATION_TEXT.
    func shownTexts() throws(Fault) -> [String] {
        let fault = Fault(text: "TEXT_LAYOUT must have TEXT_BLOCKS, a list of objects with a TEXT.")
        var texts: [String] = []
        if let layout = self["TEXT_LAYOUT"] {
            guard let blocks = layout["TOKEN_PARAM_TEXT_BLOCKS"]?.list else { throw fault }
            for block in blocks {
                guard let text = block["TOKEN_PARAM_TEXT"]?.text else { throw fault }
                texts.append(text)
            }
        }
        return texts + [try text("CUSTOM_TEXT"), try text("CONFIRMATION_TEXT")]
    }

    /// A parameter that is a number, or a text with one.
    func number(_ name: String) -> Int? {
        self[name].flatMap { $0.integer.map { Int($0) } ?? $0.text.flatMap { Int($0) } }
    }

    /// A parameter in pixels of the display, rounded.
    func pixels(_ name: String) throws(Fault) -> Int {
        guard let number = self[name].flatMap({ $0.number ?? $0.text.flatMap { Double($0) } }),
            Self.pixelRange.contains(number)
        else { throw Fault(text: "\(name) must be a number of pixels.") }
        return Int(number.rounded())
    }

    /// The answer to this request.
    /// - Parameter parameters: without `TOKEN_PARAM_`.
    func response(_ code: Int, _ parameters: [String: JSONValue] = [:]) -> JSONValue {
        var answer: [String: JSONValue] = [
            "TOKEN_TYPE": "TOKEN_TYPE_RESPONSE", "TOKEN_CMD_ORIGIN": .text(command),
            "TOKEN_PARAM_RETURN_CODE": .text(String(code)),
        ]
        for (name, value) in parameters { answer["TOKEN_PARAM_" + name] = value }
        // Libraries of interface version 3.4 name their requests.
        if let id = members["TOKEN_ID"]?.text, id.utf8.count <= 2 * Self.nameLimit { answer["TOKEN_ID"] = .text(id) }
        return .object(answer)
    }

    /// All errors have one code: which ones the maker's program gives is published for a few only.
    func error(_ text: String) -> JSONValue { response(-1, ["ERROR_DESCRIPTION": .text(text)]) }
}

/// A message of the pad that answers no request.
enum SignotecEvent {
    case signatureConfirm, signatureRetry, signatureCancel, selectionConfirm, selectionCancel
    case selectionChange(id: String, isChecked: Bool)
    /// `starts` is true for the first point of a stroke.
    case point(x: Int, y: Int, starts: Bool)
    /// A hot spot of the API mode, which has no other events for Accept, Clear and Cancel.
    case hotSpotPressed(Int)
    case disconnect
    case error(context: String, String)
    case incorrectCommand(String)

    /// The pressure of all points but the first of a stroke, which has 0: the protocol has no other sign for it.
    private static let pressure = 512

    var message: JSONValue {
        switch self {
        case .signatureConfirm: Self.message("SIGNATURE_CONFIRM")
        case .signatureRetry: Self.message("SIGNATURE_RETRY")
        case .signatureCancel: Self.message("SIGNATURE_CANCEL")
        case .selectionConfirm: Self.message("SELECTION_CONFIRM")
        case .selectionCancel: Self.message("SELECTION_CANCEL")
        case .selectionChange(let id, let isChecked):
            Self.message("SELECTION_CHANGE", ["FIELD_ID": .text(id), "FIELD_CHECKED": isChecked ? "TRUE" : "FALSE"])
        case .point(let x, let y, let starts):
            Self.message(
                "SIGNATURE_POINT",
                [
                    "POINT": [
                        "x": .text(String(x)), "y": .text(String(y)), "p": .text(String(starts ? 0 : Self.pressure)),
                    ]
                ])
        case .hotSpotPressed(let id):
            Self.message("API_SENSOR_HOT_SPOT_PRESSED", ["HOTSPOT_ID": .text(String(id))])
        case .disconnect: Self.message("DISCONNECT", ["PAD_INDEX": "0"])
        case .error(let context, let text):
            Self.message(
                "ERROR", ["ERROR_CONTEXT": .text(context), "RETURN_CODE": "-1", "ERROR_DESCRIPTION": .text(text)])
        case .incorrectCommand(let text):
            Self.message("INCORRECT_COMMAND", ["EXCEPTION_CAUSE": .text(text)])
        }
    }

    private static func message(_ command: String, _ parameters: [String: JSONValue] = [:]) -> JSONValue {
        var message: [String: JSONValue] = [
            "TOKEN_TYPE": "TOKEN_TYPE_SEND", "TOKEN_CMD": .text("TOKEN_CMD_" + command),
        ]
        for (name, value) in parameters { message["TOKEN_PARAM_" + name] = value }
        return .object(message)
    }
}

/// A check box of the selection dialog.
struct SignotecBox: Equatable {
    var id, text: String
    var isChecked, isRequired: Bool

    /// - Returns: nil if something in the list is no box, or an id is there twice. A required box whose flag is of
    ///   another kind must not become one that people may leave out.
    static func boxes(_ list: JSONValue?) -> [SignotecBox]? {
        guard let list = list?.list, !list.isEmpty else { return nil }
        func flag(_ value: JSONValue?) -> Bool? {
            guard let value, value != .null else { return false }
            return value.flag ?? value.text.flatMap { ["TRUE": true, "FALSE": false][$0.uppercased()] }
        }
        let boxes: [SignotecBox?] = list.map { field in
            let id = field["TOKEN_PARAM_FIELD_ID"]
            guard let id = id?.text ?? id?.integer.map({ String($0) }),
                let text = field["TOKEN_PARAM_FIELD_TEXT"]?.text,
                let isChecked = flag(field["TOKEN_PARAM_FIELD_CHECKED"]),
                let isRequired = flag(field["TOKEN_PARAM_FIELD_REQUIRED"])
            else { return nil }
            return SignotecBox(id: id, text: text, isChecked: isChecked, isRequired: isRequired)
        }
        let known = boxes.compactMap { $0 }
        return known.count == list.count && Set(known.map(\.id)).count == list.count ? known : nil
    }
}
