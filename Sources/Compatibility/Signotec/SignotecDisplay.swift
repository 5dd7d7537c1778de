// SPDX-License-Identifier: Apache-2.0
import Foundation
import Geometry
import HTTP
import HostAPI
import JSON

/// The display of signotec's API mode, on which pages draw themselves: commands in, and out what our pages show of it
/// when somebody signs. Places, fonts and colours have no effect there. What would be lost is refused, so that the page
/// notices.
struct SignotecDisplay {
    typealias Fault = SignotecRequest.Fault

    /// The buttons of our page, in the order of the maker's sample pages: their signature dialog adds hot spots for
    /// cancel, retry and confirm from left to right, and their dialog with a PDF file those for cancel and confirm.
    enum Button: CaseIterable {
        case cancel, retry, confirm

        /// Words that pages draw into a hot spot. With others in it, nobody knows what our button would say for it.
        private static let labels: [Button: Set<String>] = [
            .cancel: ["cancel", "abort", "abbrechen", "abbruch"],
            .retry: ["retry", "repeat", "clear", "wiederholen", "löschen"],
            .confirm: ["ok", "confirm", "accept", "bestätigen", "annehmen"],
        ]

        fileprivate init?(label: String) {
            let word = label.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
            guard let button = Self.allCases.first(where: { Self.labels[$0]?.contains(word) == true }) else {
                return nil
            }
            self = button
        }
    }

    /// A file that people read before they sign.
    enum Document: Equatable {
        /// A PNG file that covers the display.
        case picture(Data)
        case pdf(Data)
    }

    /// The texts, the file and the buttons of a signature that begins now.
    struct Shown: Equatable {
        var lines: [String]
        var document: Document?
        /// The ids of the hot spots that our buttons press.
        var hotSpots: [Button: Int]
    }

    private struct DrawnText: Equatable {
        let text: String
        /// A pixel if the page gave no more than its start.
        let place: PixelRect

        func isLabel(of hotSpot: PixelRect) -> Bool {
            let (x, y) = ((place.minX + place.maxX) / 2, (place.minY + place.maxY) / 2)
            return hotSpot.contains(PixelRect(minX: x, minY: y, maxX: x + 1, maxY: y + 1))
        }
    }

    /// A picture and the texts above it, in the order of drawing.
    private struct Buffer: Equatable {
        var picture: Data?
        var texts: [DrawnText] = []
    }

    /// The target that is shown, and the first store, which pages fill behind it.
    private static let (shownTarget, storeTarget) = (0, 1)
    private static let hotSpotLimit = 3
    /// The limits of a prompt: lines, bytes.
    private static let (textLimit, byteLimit) = (100, 16 << 10)

    let size: PixelSize
    private var buffers = [Buffer(), Buffer()]
    private var target = SignotecDisplay.shownTarget
    /// Their ids are the indices.
    private var hotSpots: [PixelRect] = []
    private var pdf: Data?

    init(size: PixelSize) { self.size = size }

    /// Carries out a command, or nothing of it.
    /// - Parameter isSigning: somebody signs. Our page then stays as it is, and hot spots keep their ids.
    /// - Returns: the code of the answer.
    mutating func run(
        _ command: SignotecRequest.DisplayCommand, _ request: SignotecRequest, isSigning: Bool
    ) throws(Fault) -> Int {
        var next = self
        let code = try next.apply(command, request)
        let isSame = next.buffers[Self.shownTarget] == buffers[Self.shownTarget] && next.hotSpots == hotSpots
        guard isSame || !isSigning else {
            throw Fault(text: "While somebody signs, this pad's page does not change: end the signature first.")
        }
        self = next
        return code
    }

    /// - Returns: the texts, the file and the buttons of a signature that begins now.
    func shown() throws(Fault) -> Shown {
        let buffer = buffers[Self.shownTarget]
        let buttons = try buttons()
        let lines = buffer.texts.filter { text in !hotSpots.contains { text.isLabel(of: $0) } }.flatMap {
            $0.text.split(whereSeparator: \.isNewline).map { String($0) }
        }
        if buffer.picture != nil, pdf != nil {
            throw Fault(text: "People read a picture or a PDF file, not both: erase the display, or load no PDF file.")
        }
        // The page to sign on has the label of the file's own field, which may hide the texts.
        if pdf != nil, lines.contains(where: { !$0.isBlank }) {
            throw Fault(text: "People read the PDF file's own texts: erase the texts on the display.")
        }
        let document = buffer.picture.map { Document.picture($0) } ?? pdf.map { Document.pdf($0) }
        return Shown(lines: lines.filter { !$0.isBlank }, document: document, hotSpots: buttons)
    }

    private func buttons() throws(Fault) -> [Button: Int] {
        let labels = hotSpots.map { spot in
            buffers[Self.shownTarget].texts.filter { $0.isLabel(of: spot) }.map(\.text)
        }
        if labels.contains(where: { !$0.isEmpty }) {
            var named: [Button: Int] = [:]
            for (id, words) in labels.enumerated() {
                guard words.count == 1, let button = Button(label: words[0]), named[button] == nil else {
                    throw Fault(
                        text: "The buttons of this pad are Accept, Clear and Cancel: a hot spot with another text, or "
                            + "without one beside others, cannot be shown.")
                }
                named[button] = id
            }
            return named
        }
        let order = hotSpots.indices.sorted { hotSpots[$0].minX < hotSpots[$1].minX }
        for (left, right) in zip(order, order.dropFirst()) where hotSpots[left].maxX > hotSpots[right].minX {
            throw Fault(text: "Hot spots must be side by side: from left to right, they cancel, retry and confirm.")
        }
        let buttons: [Button] =
            switch order.count {
            case 1: [.confirm]
            case 2: [.cancel, .confirm]
            default: [.cancel, .retry, .confirm]
            }
        return Dictionary(uniqueKeysWithValues: zip(buttons, order))
    }

    // MARK: commands

    private mutating func apply(
        _ command: SignotecRequest.DisplayCommand, _ request: SignotecRequest
    ) throws(Fault) -> Int {
        if let unseen = request.unseen(beside: ["TEXT"]) {
            throw Fault(text: "This pad does not show \(unseen): leave it out.")
        }
        switch command {
        case .configurePen, .setFont, .setFontColor, .clearSignRect: break
        case .setRotation:
            guard request.number("ROTATION") == 0 else { throw Fault(text: "The only ROTATION is 0.") }
        case .setTarget:
            guard let number = request.number("TARGET"), buffers.indices.contains(number) else {
                throw Fault(text: "TARGET is 0, what is shown, or 1, the store behind it.")
            }
            target = number
            return number
        case .setImageFromStore:
            guard request.number("STORE_ID") == Self.storeTarget else { throw Fault(text: "The only STORE_ID is 1.") }
            buffers[target] = buffers[Self.storeTarget]
        case .erase: buffers[target] = Buffer()
        case .eraseRect: try erase(try rectangle(request))
        case .setText:
            let (x, y) = (try request.pixels("X_POS"), try request.pixels("Y_POS"))
            try draw(request, in: PixelRect(minX: x, minY: y, maxX: x + 1, maxY: y + 1))
        case .setTextInRect: try draw(request, in: try rectangle(request))
        case .setImage: try drawPicture(request)
        // Our page has its own place to sign.
        case .setSignRect: _ = try rectangle(request)
        case .addHotSpot:
            let place = try rectangle(request)
            guard hotSpots.count < Self.hotSpotLimit, !place.isEmpty else {
                throw Fault(text: "This pad has \(Self.hotSpotLimit) hot spots, its buttons Accept, Clear and Cancel.")
            }
            hotSpots.append(place)
            return hotSpots.count - 1
        case .clearHotSpots: hotSpots = []
        case .loadPDF: pdf = try Self.pdf(request)
        case .setPDF:
            // People turn the pages of the whole file themselves.
            guard pdf != nil else { throw Fault(text: "No PDF file was loaded.") }
        }
        return 0
    }

    /// A side of 0 reaches to the display's edge.
    private func rectangle(_ request: SignotecRequest) throws(Fault) -> PixelRect {
        let (left, top) = (try request.pixels("LEFT"), try request.pixels("TOP"))
        let (width, height) = (try request.pixels("WIDTH"), try request.pixels("HEIGHT"))
        return PixelRect(
            minX: left, minY: top, maxX: width == 0 ? size.width : left + width,
            maxY: height == 0 ? size.height : top + height)
    }

    private mutating func draw(_ request: SignotecRequest, in place: PixelRect) throws(Fault) {
        guard let text = request["TEXT"]?.text else { throw Fault(text: "TEXT must be a text.") }
        let drawn = DrawnText(text: text, place: place)
        // The same once more is what it was.
        if buffers[target].texts.contains(drawn) { return }
        let byteCount = buffers[target].texts.reduce(text.utf8.count) { $0 + $1.text.utf8.count }
        guard buffers[target].texts.count < Self.textLimit, byteCount <= Self.byteLimit else {
            throw Fault(
                text: "The display has room for \(Self.textLimit) texts with \(Self.byteLimit) bytes in all: erase it.")
        }
        buffers[target].texts.append(drawn)
    }

    private mutating func erase(_ place: PixelRect) throws(Fault) {
        if place.contains(PixelRect(size: size)) {
            buffers[target] = Buffer()
            return
        }
        let rest = buffers[target].texts.filter { !place.contains($0.place) }
        guard buffers[target].picture == nil, rest.allSatisfy({ $0.place.intersection(place).isEmpty }) else {
            throw Fault(text: "This pad does not erase parts of a text or of a picture.")
        }
        buffers[target].texts = rest
    }

    private mutating func drawPicture(_ request: SignotecRequest) throws(Fault) {
        guard let picture = request["BITMAP"]?.text.flatMap({ Data(base64Encoded: $0) }),
            let drawn = PNGStructure(picture)?.size
        else { throw Fault(text: "BITMAP must be a PNG file in Base64.") }
        guard request.number("X_POS") == 0, request.number("Y_POS") == 0, drawn.width >= size.width,
            drawn.height >= size.height
        else {
            throw Fault(
                text: "This pad shows pictures as a page that people read before they sign: at X_POS 0 and Y_POS 0, "
                    + "and at least as large as the display, \(size.width) x \(size.height) pixels.")
        }
        if buffers[target] == Buffer(picture: picture) { return }
        guard buffers[target] == Buffer() else {
            throw Fault(text: "A picture would cover what was drawn before: erase that first.")
        }
        buffers[target].picture = picture
    }

    private static func pdf(_ request: SignotecRequest) throws(Fault) -> Data {
        guard try request.text("PASSWORD").isEmpty else { throw Fault(text: "This pad opens no encrypted files.") }
        guard let pdf = request["DOCUMENT"]?.text.flatMap({ Data(base64Encoded: $0) }), pdf.starts(with: "%PDF-".utf8)
        else { throw Fault(text: "DOCUMENT must be a PDF file in Base64.") }
        return pdf
    }
}
