// SPDX-License-Identifier: Apache-2.0
// Draws every page of the pad, in every state, size, theme and language, into contact sheets: `make faces`.
// `faces FOLDER STATE` draws the pages of one state, and `faces FOLDER scrolling` prints how long pictures of a
// document take.
import Geometry
import Glibc
import HostAPI
import PNG
import Pad
import PadFixtures
import Pages
import Raster
import Record
import Touch

struct Panel {
    var name: String
    var size: PixelSize
    var dotsPerInch: Double?
}

let panels = [
    Panel(name: "2.8 inch", size: PixelSize(width: 320, height: 240), dotsPerInch: 143),
    Panel(name: "3.5 inch", size: PixelSize(width: 480, height: 320), dotsPerInch: 165),
    Panel(name: "5 inch", size: PixelSize(width: 800, height: 480), dotsPerInch: 187),
    Panel(name: "7 inch", size: PixelSize(width: 1024, height: 600), dotsPerInch: 170),
    Panel(name: "10 inch", size: PixelSize(width: 1280, height: 800), dotsPerInch: 149),
    Panel(name: "15 inch", size: PixelSize(width: 1920, height: 1080), dotsPerInch: 141),
    Panel(name: "27 inch", size: PixelSize(width: 3840, height: 2160), dotsPerInch: 163),
    Panel(name: "square", size: PixelSize(width: 720, height: 720), dotsPerInch: 254),
    Panel(name: "5 inch portrait", size: PixelSize(width: 480, height: 800), dotsPerInch: 187),
    Panel(name: "10 inch portrait", size: PixelSize(width: 800, height: 1280), dotsPerInch: 149),
    Panel(name: "bar", size: PixelSize(width: 1280, height: 400), dotsPerInch: 170),
]

enum State: String, CaseIterable {
    case starting, fault, unstored, idle, pairing, signing, signed, pressed, refused, saving, thanks, failed
    case sketch, notice, gloves, large, largeTexts, glovedSketch, calibration, selfTest, identity
    case reading, signedDocument, loading, readFirst, glovedReading
    case check, choice, chosen, manyChoices, rating, rated, note, initials, witness, handOver, declining, declined

    var isOfFlow: Bool {
        switch self {
        case .reading, .signedDocument, .loading, .readFirst, .glovedReading, .check, .choice, .chosen, .manyChoices,
            .rating, .rated, .note, .initials, .witness, .handOver, .declining, .declined:
            true
        default: false
        }
    }
}

struct Theme {
    var name: String
    var colors: PageTheme
    /// Whether the idle page has a logo, texts of its own and the clock.
    var isBrand = false

    static func all() throws -> [Theme] {
        [
            Theme(name: "light", colors: .light), Theme(name: "dark", colors: .dark),
            Theme(name: "high-contrast", colors: .highContrast),
            Theme(name: "brand", colors: try .light.accented(0x5B2A86), isBrand: true),
        ]
    }
}

/// Three bars, a logo.
let logo: Picture = {
    let buffer = PixelBuffer(size: PixelSize(width: 210, height: 150))
    for (index, height) in [70, 150, 110].enumerated() {
        let bar = PixelRect(minX: index * 75, minY: 150 - height, maxX: index * 75 + 60, maxY: 150)
        buffer.surface.fill(bar, with: 0x5B2A86)
    }
    let opaque: UInt32 = 0xFF5B_2A86
    let pixels = (0..<150).flatMap { y in (0..<210).map { buffer.surface.row(y)[$0] == opaque ? opaque : 0 } }
    return Picture(size: buffer.surface.size, pixels: pixels)
}()

func draw(_ state: State, _ panel: Panel, _ theme: Theme, _ messages: MessageTable) throws -> Picture {
    let sketches: [State] = [.sketch, .notice, .glovedSketch]
    let idle =
        theme.isBrand
        ? messages.idlePage("Nordhaven Bank\nPlease take a seat. We will be with you soon.", logo: logo) : nil
    var face = try Face(
        size: panel.size, density: panel.dotsPerInch.map(PixelDensity.init(dotsPerInch:)), theme: theme.colors,
        messages: messages, idle: idle, sketch: sketches.contains(state),
        gloves: [.gloves, .glovedSketch, .glovedReading].contains(state),
        letters: [.large, .largeTexts].contains(state) ? 4.9 : nil,
        isKnown: state != .starting, hasTouch: state != .fault)
    if state.isOfFlow { try show(state, messages, theme.colors, on: &face) }
    switch state {
    case .starting, .fault, .idle: break
    case .pairing:
        let key = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
        let request = PairingRequest(name: "Till 3, ground floor", digits: "123456", key: key)
        face.handle(.call(CallID(2), .pair(request), .all))
    case .identity:
        face.handle(.call(CallID(2), .identify(gatewayKey: "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="), .all))
        face.handle(.stored(.key(CallID(2), fingerprint: "SHA256:rLHDIW9lD1yFSpTO6y1ZlSvcmBhGfUxKMKEfqUa9uUw")))
    case .calibration:
        let place = Point(x: Double(panel.size.width) / 8, y: Double(panel.size.height) / 8)
        face.show(
            Page([.target(place), .text(PageText("Touch the middle of the cross and lift (1 of 4)", .headline))]))
    case .selfTest:
        let (width, height) = (Double(panel.size.width), Double(panel.size.height))
        let line = PageElement.line(
            from: Point(x: 0.08 * width, y: 0.36 * height), to: Point(x: 0.92 * width, y: 0.08 * height))
        let text = "Draw along the line from the dot to its end, with a ruler, and lift (6 of 6)"
        face.show(Page([line, .text(PageText(text, .headline))]))
    case .unstored: face.handle(.stored(.storeChanged(fault: "read-only")))
    case .signing, .largeTexts: face.ask()
    case .signed, .pressed, .saving, .thanks, .failed, .gloves, .large:
        face.ask()
        // What small panels show before.
        while face.placed?.page.isLargeTexts == true { face.press(.next) }
        face.write(signature)
        if [.signed, .gloves, .large].contains(state) { break }
        face.press(.accept, lifts: state != .pressed)
        if state == .thanks { face.store() }
        if state == .failed { face.fail() }
    case .refused:
        face.ask()
        face.write(.dash)
        face.press(.accept)
    case .sketch, .glovedSketch: face.write(signature)
    case .notice:
        face.write(signature)
        face.handle(.stored(.sketchKept(fault: "read-only")))
    default: break
    }
    return face.pixels()
}

/// Puts pictures on a grid, each scaled to a cell.
func sheet(_ rows: [[Picture]], cell: PixelSize) -> Picture {
    let gap = 12
    let columns = rows.map { $0.count }.max() ?? 0
    let size = PixelSize(width: columns * (cell.width + gap) + gap, height: rows.count * (cell.height + gap) + gap)
    let buffer = PixelBuffer(size: size)
    buffer.surface.fill(buffer.surface.bounds, with: 0x50555E)
    for (y, row) in rows.enumerated() {
        for (x, picture) in row.enumerated() {
            buffer.surface.blend(
                picture.fitted(in: cell), x: gap + x * (cell.width + gap), y: gap + y * (cell.height + gap))
        }
    }
    return Picture(buffer.surface)
}

let signature = try Signature(Recording(path: "Sources/inkpanel/Demo/demo.events"))
let folder = CommandLine.arguments.dropFirst().first ?? "out/faces"
let only = CommandLine.arguments.dropFirst(2).first
let english = MessageTable(.english)

struct WriteError: Error {
    var path: String
}

func write(_ picture: Picture, _ name: String) throws {
    let buffer = PixelBuffer(size: picture.size)
    buffer.surface.blend(picture, x: 0, y: 0)
    let bytes = try PNGEncoder.encode(buffer.surface, dotsPerInch: 96)
    let path = folder + "/" + name + ".png"
    guard let file = fopen(path, "wb") else { throw WriteError(path: path) }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
}
if only == nil || only == "states" {
    for theme in try Theme.all() {
        let rows = try panels.map { panel in
            try State.allCases.filter { !$0.isOfFlow }.map { try draw($0, panel, theme, english) }
        }
        try write(sheet(rows, cell: PixelSize(width: 400, height: 300)), "states-" + theme.name)
    }
}
if only == nil || only == "flow" {
    for theme in try Theme.all() {
        let rows = try panels.map { panel in
            try State.allCases.filter(\.isOfFlow).map { try draw($0, panel, theme, english) }
        }
        try write(sheet(rows, cell: PixelSize(width: 400, height: 300)), "flow-" + theme.name)
    }
}
let light = try Theme.all()[0]
if only == nil || only == "overview" {
    // For docs/pictures: one panel, the states of a capture in two themes.
    let states: [State] = [.idle, .pairing, .signing, .signed, .pressed, .refused, .saving, .thanks, .fault]
    let rows = try Theme.all().prefix(2).flatMap { theme in
        try [states[..<4], states[4...]].map { try $0.map { try draw($0, panels[2], theme, english) } }
    }
    try write(sheet(rows, cell: PixelSize(width: 400, height: 240)), "overview")
}
if only == nil || only == "document-pages" {
    // For docs/pictures, too.
    let states: [State] = [.reading, .signedDocument, .check, .chosen, .rated, .initials, .handOver, .declining]
    let pictures = try states.map { try draw($0, panels[2], light, english) }
    let rows = [Array(pictures[..<4]), Array(pictures[4...])]
    try write(sheet(rows, cell: PixelSize(width: 400, height: 240)), "document-pages")
}
if only == nil || only == "languages" {
    let rows = try MessageTable.Language.allCases.map { language in
        try [State.idle, .signing, .refused, .thanks].map { try draw($0, panels[2], light, MessageTable(language)) }
            + [try draw(.signing, panels[0], light, MessageTable(language))]
    }
    try write(sheet(rows, cell: PixelSize(width: 400, height: 240)), "languages")
    let states: [State] = [.reading, .choice, .initials, .witness, .handOver, .declining, .declined]
    let flows = try MessageTable.Language.allCases.map { language in
        try states.map { try draw($0, panels[2], light, MessageTable(language)) }
            + [try draw(.reading, panels[0], light, MessageTable(language))]
    }
    try write(sheet(flows, cell: PixelSize(width: 400, height: 240)), "flow-languages")
}
if let only, let state = State(rawValue: only) {
    for panel in panels {
        try write(try draw(state, panel, light, english), only + "-" + panel.name)
    }
}
if only == "scrolling" {
    for panel in panels { try printScrolling(panel) }
}
