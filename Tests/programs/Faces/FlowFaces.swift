// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Pad
import Pages
import Raster

/// The pages of a capture with a document, questions and several people.
func show(_ state: State, _ messages: MessageTable, _ theme: PageTheme, on face: inout Face) throws {
    switch state {
    case .reading, .signedDocument, .loading, .readFirst, .glovedReading:
        face.show(readingPage(messages))
        guard let page = face.placed else { return }
        face.apply(.document(try scene(state, page, messages, theme)))
        if state == .signedDocument { face.apply(.label(.lead, messages[.done])) }
        if state == .readFirst {
            face.apply(.label(.lead, messages[.readOn]))
            face.apply(.banner(Banner(messages[.readFirst], isWarning: true)))
        }
    case .check:
        let text = "I would like to receive news about products and offers by e-mail. I can object at any time."
        // As many as the panel has room for.
        let boxes = [text, "I have read the data protection notice. *", "By telephone", "By letter"]
        for count in [4, 2] {
            let page = questionPage("May we write to you?", Array(boxes.prefix(count)), .check, messages)
            face.show(page)
            if face.placed?.page == page { break }
        }
        face.apply(.button(.option(0), ButtonState(isChosen: true)))
    case .choice, .chosen:
        face.show(questionPage("How would you like to get your receipt?", receipts, .choice, messages))
        if state == .choice { face.apply(.button(.next, ButtonState(isEnabled: false))) }
        if state == .chosen {
            face.apply(.button(.option(1), ButtonState(isChosen: true)))
            face.apply(.button(.option(2), ButtonState(isPressed: true)))
        }
    case .manyChoices:
        // As many as the panel has room for.
        for count in [8, 6, 4, 2] {
            let page = questionPage(
                "Which of these statements describes the condition of your vehicle best?",
                (1...count).map { "\($0). " + conditions[$0 % conditions.count] }, .choice, messages)
            face.show(page)
            if face.placed?.page == page { break }
        }
        face.apply(.button(.option(1), ButtonState(isChosen: true)))
    case .rating, .rated:
        face.show(questionPage("How satisfied are you with our service?", (1...5).map { "\($0)" }, .rating, messages))
        if state == .rated { face.apply(.button(.option(3), ButtonState(isChosen: true))) }
    case .note:
        face.show(
            Page(
                [
                    .text(PageText("Is anything damaged? Please describe it.", .heading, of: .prompt)),
                    .inkField(.note(hint: messages[.writeHere])), .button(.back, label: messages[.back]),
                    .button(.undo, label: nil), .button(.clear, label: nil), .button(.accept, label: messages[.next]),
                ], direction: messages.direction))
    case .initials:
        face.show(
            Page(
                [
                    .text(PageText("Page 3: conditions of cancellation", .heading, of: .prompt)),
                    .inkField(.signing(hint: messages[.initialHere])),
                    .text(PageText("Ada Lovelace", .detail, of: .signer)),
                    .button(.back, label: messages[.back]), .button(.again, label: messages[.applyAgain]),
                    .button(.undo, label: nil), .button(.clear, label: nil),
                    .button(.accept, label: messages[.accept]),
                ], direction: messages.direction))
    case .witness:
        face.show(
            Page(
                [
                    .text(PageText("Witness", .heading, of: .prompt)),
                    .text(PageText(messages.text(.witness, of: "Ada Lovelace"), .body)),
                    .inkField(.signing(hint: messages[.signHere])),
                    .text(PageText("Charles Babbage", .detail, of: .signer)),
                    .text(PageText("2026-03-14", .trailingDetail, of: .date)),
                    .button(.back, label: messages[.back]), .button(.undo, label: nil), .button(.clear, label: nil),
                    .button(.accept, label: messages[.accept]),
                ], direction: messages.direction))
    case .handOver:
        face.show(
            Page(
                [
                    .sign(.nextPerson), .text(PageText(messages.text(.handOver, of: "Witness, C. Babbage"), .headline)),
                    .text(PageText(messages[.handOverLine], .body)), .button(.cancel, label: messages[.cancel]),
                    .button(.next, label: messages[.next]),
                ], direction: messages.direction))
    case .declining:
        let reasons = ["The amount is wrong", "I did not order this", messages[.declineNoReason]]
        let options = reasons.enumerated().map { PageElement.option($0.offset, label: $0.element, .choice) }
        face.show(
            Page(
                [.text(PageText(messages[.declineWhy], .heading))] + options
                    + [.button(.back, label: messages[.back]), .button(.next, label: messages[.decline])],
                direction: messages.direction))
    case .declined:
        face.show(
            Page(
                [
                    .sign(.declined), .text(PageText(messages[.declined], .headline)),
                    .text(PageText(messages[.declinedLine], .body)),
                ], direction: messages.direction))
    default: break
    }
}

private let receipts = ["On paper", "By e-mail to a.lovelace@example.org", "As a text message", "I do not need one"]
private let conditions = [
    "No damage that was not in the list when the vehicle was handed over to the driver",
    "Light scratches at a door or a bumper, all of them shorter than a finger is long",
    "A dent, or a broken lamp or mirror, which the driver has already reported to us",
]

func readingPage(_ messages: MessageTable) -> Page {
    let lead = "2/3 · \(messages[.signature]) · \(messages.text(.page, of: "3"))"
    return Page(
        [
            .document, .button(.cancel, label: messages[.cancel]), .button(.decline, label: messages[.decline]),
            .button(.lead, label: lead),
        ], direction: messages.direction)
}

private func questionPage(
    _ question: String, _ options: [String], _ style: OptionStyle, _ messages: MessageTable
) -> Page {
    let texts: [PageElement] = [
        .text(PageText(question, .heading, of: .prompt)), .text(PageText("2/5", .trailingDetail)),
    ]
    let answers = options.enumerated().map { PageElement.option($0.offset, label: $0.element, style) }
    let buttons: [PageElement] = [
        .button(.cancel, label: messages[.cancel]), .button(.back, label: messages[.back]),
        .button(.next, label: messages[.next]),
    ]
    return Page(texts + answers + buttons, direction: messages.direction)
}

// MARK: a document

/// A contract with a field for each kind of answer, in points of an A4 page.
private enum Contract {
    static let size = (width: 595.0, height: 842.0)
    static let paragraphs = [
        "1. The lessor lets the vehicle named above to the lessee for the time named above. The lessee has checked the "
            + "vehicle and its accessories, and takes it over in the condition that the list of damages describes.",
        "2. The lessee may drive the vehicle in all countries of the European Union. It must not be used in races, for "
            + "driving lessons or for carrying goods for hire.",
        "3. The rent includes insurance for damage to others. For damage to the vehicle the lessee pays at most 950 €, "
            + "unless it was done on purpose or by gross negligence.",
        "4. The vehicle is to be returned with a full tank, at the time and the place agreed. A later return costs "
            + "the rent of one more day for each day begun.",
    ]
    static let checks = [Point(x: 72, y: 478), Point(x: 72, y: 506)]
    static let signature = Rect(minX: 72, minY: 610, maxX: 272, maxY: 666)
    static let other = Rect(minX: 323, minY: 610, maxX: 523, maxY: 666)
    static let initials = Rect(minX: 463, minY: 556, maxX: 523, maxY: 586)
    static let date = Rect(minX: 72, minY: 696, maxX: 172, maxY: 716)

    /// - Parameter width: in pixels.
    static func draw(page: Int, width: Int) throws -> DrawnPage {
        let scale = Double(width) / size.width
        let buffer = PixelBuffer(size: PixelSize(width: width, height: Int((size.height * scale).rounded())))
        let surface = buffer.surface
        surface.fill(surface.bounds, with: .white)
        let fonts = try Fonts()
        func write(_ text: String, _ x: Double, _ y: Double, em: Double, width: Double = 451, isBold: Bool = false)
            throws
        {
            let style = TextStyle(em: em * scale, weight: isBold ? .semibold : .regular)
            let block = try TextBlock(text, style: style, width: Int(width * scale), fonts: fonts)
            block.draw(on: surface, x: Int(x * scale), y: Int(y * scale), color: 0x202020)
        }
        func line(_ x: Double, _ y: Double, _ width: Double) {
            surface.fill(
                PixelRect(
                    minX: Int(x * scale), minY: Int(y * scale), maxX: Int((x + width) * scale),
                    maxY: Int(y * scale) + max(1, Int(scale * 0.7))), with: 0x404040)
        }
        try write("Contract of hire", 72, 66, em: 20, isBold: true)
        try write("No. 4711-0815, page \(page) of 3", 72, 96, em: 10)
        for (index, text) in paragraphs.enumerated() {
            try write(text, 72, 130 + Double(index) * 78, em: 11)
        }
        try write("I consent to", 72, 452, em: 11, isBold: true)
        for (place, text) in zip(checks, ["the storage of my data for three years", "news by e-mail"]) {
            for side in [0.0, 13] { line(place.x, place.y + side, 14) }
            for side in [0.0, 13] {
                surface.fill(
                    PixelRect(
                        minX: Int((place.x + side) * scale), minY: Int(place.y * scale),
                        maxX: Int((place.x + side) * scale) + max(1, Int(scale * 0.7)),
                        maxY: Int((place.y + 14) * scale)), with: 0x404040)
            }
            try write(text, place.x + 22, place.y + 1, em: 11)
        }
        try write("Initials of the lessee for the conditions of cancellation", 72, 564, em: 11)
        line(72, 668, 200)
        line(323, 668, 200)
        try write("Lessee", 72, 672, em: 9)
        try write("Lessor", 323, 672, em: 9)
        line(72, 718, 100)
        try write("Date", 72, 722, em: 9)
        return DrawnPage(buffer, sha256: nil)
    }
}

func scene(
    _ state: State, _ page: PlacedPage, _ messages: MessageTable, _ theme: PageTheme
) throws -> DocumentScene {
    let area = page.documentArea
    let margin = page.design.smallGap
    let width = min(area.width - 2 * margin, area.height * 5 / 2)
    let scale = Double(width) / Contract.size.width
    let x = Double((area.width - width) / 2)
    let height = (Contract.size.height * scale).rounded()
    // So that the signature is visible.
    let y = (Double(area.maxY) - min(740, 740) * scale).rounded()
    func placed(_ rect: Rect) -> Rect {
        Rect(
            minX: x + rect.minX * scale, minY: y + rect.minY * scale, maxX: x + rect.maxX * scale,
            maxY: y + rect.maxY * scale)
    }
    var sheets = (-1...1).map { number in
        let top = y + Double(number) * (height + Double(page.design.gap))
        return DocumentScene.Sheet(
            page: 2 + number, place: Rect(minX: x, minY: top, maxX: x + Double(width), maxY: top + height))
    }
    for index in sheets.indices {
        sheets[index].pixelsPerPoint = scale
        if state != .loading { sheets[index].picture = try Contract.draw(page: sheets[index].page, width: width) }
    }
    if state == .loading { return DocumentScene(sheets: sheets, visible: 0.3...0.55) }
    let isSigned = state == .signedDocument
    func written(_ signature: Signature, width: Double) -> SignedInk {
        let density = PixelDensity(dotsPerInch: 150)
        let strokes = signature.strokes.map { stroke in
            stroke.map {
                Sample(time: $0.time, position: Point(x: $0.place.x * width, y: $0.place.y * width + 300))
            }
        }
        return SignedInk(strokes: strokes, pen: Pen(), color: 0x0B1F5C, density: density)
    }
    let boxes = Contract.checks.map { placed(Rect(minX: $0.x, minY: $0.y, maxX: $0.x + 14, maxY: $0.y + 14)) }
    let marks: [DocumentScene.Mark] = [
        .init(.check, place: boxes[0], state: isSigned ? .ticked : .open(isRequired: true)),
        .init(.check, place: boxes[1], state: isSigned ? .empty : .open(isRequired: false)),
        .init(
            .initials, place: placed(Contract.initials),
            state: isSigned ? .ink(written(signature, width: 150)) : .open(isRequired: false),
            hint: messages[.initialHere]),
        .init(
            .signature, place: placed(Contract.signature),
            state: isSigned ? .ink(written(signature, width: 400)) : .open(isRequired: true),
            hint: messages[.signHere]),
        .init(.signature, place: placed(Contract.other), state: .foreign),
        .init(.words, place: placed(Contract.date), state: .words("2026-03-14")),
    ]
    return DocumentScene(sheets: sheets, marks: marks, visible: 0.45...0.7)
}
