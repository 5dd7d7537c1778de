// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import PadFixtures
import TestSupport
import Testing
import Touch

@testable import Pad

@Suite("The area that takes ink")
struct InkAreaTests {
    /// A card of 100 x 100 with icons in its upper right corner.
    private static let area = InkArea(
        PixelRect(minX: 0, minY: 0, maxX: 100, maxY: 100), except: PixelRect(minX: 60, minY: 0, maxX: 100, maxY: 20))

    /// The strokes of a way with a report every 10 ms.
    private static func strokes(_ way: [Point], in area: InkArea = area) -> [[Sample]] {
        var cutter = StrokeCutter(area: area)
        var strokes: [[Sample]] = []
        for (index, place) in way.enumerated() {
            let sample = Sample(time: .zero + .milliseconds(10 * index), position: place, pressure: Double(index))
            let event = TouchEvent(
                index == 0 ? .began : .moved, contact: 1, sample: sample,
                reading: DeviceReading(x: Int32(place.x), y: Int32(place.y)))
            for case .ink(let ink, _) in cutter.move(to: event) {
                switch ink {
                case .begin(let sample): strokes.append([sample])
                case .move(let sample): strokes[strokes.count - 1].append(sample)
                case .end, .cancel: break
                }
            }
        }
        return strokes
    }

    @Test("the place beside icons takes ink, and the icons do not")
    func besideIcons() {
        #expect(Self.area.contains(Point(x: 30, y: 10)) && Self.area.contains(Point(x: 80, y: 21)))
        #expect(!Self.area.contains(Point(x: 80, y: 10)) && !Self.area.contains(Point(x: 101, y: 50)))
        // A stroke along the lower edge of the icons stays whole.
        let along = [Point(x: 50, y: 20), Point(x: 99, y: 20)]
        #expect(Self.strokes(along).map { $0.map(\.position) } == [along])
    }

    @Test("a stroke onto the icons ends at their edge, and one from them begins there")
    func ontoIcons() {
        let strokes = Self.strokes([
            Point(x: 50, y: 10), Point(x: 70, y: 10), Point(x: 70, y: 15), Point(x: 70, y: 25),
        ])
        #expect(
            strokes.map { $0.map(\.position) } == [
                [Point(x: 50, y: 10), Point(x: 60, y: 10)], [Point(x: 70, y: 20), Point(x: 70, y: 25)],
            ])
        #expect(strokes.map { $0.map { $0.time.microseconds / 1000 } } == [[0, 5], [25, 30]])
        #expect(strokes.map { $0.map(\.pressure) } == [[0, 0.5], [2.5, 3]])
    }

    @Test("a fast stroke across the icons is cut, though no report is on them, and both parts are counted")
    func acrossIcons() throws {
        let strokes = Self.strokes([Point(x: 50, y: 0), Point(x: 90, y: 40)])
        #expect(
            strokes.map { $0.map(\.position) } == [
                [Point(x: 50, y: 0), Point(x: 60, y: 10)], [Point(x: 70, y: 20), Point(x: 90, y: 40)],
            ])
        // A palm's strokes are taken back, that before the icons, too.
        var page = try SigningPageTests.place(
            SigningPageTests.page(prompt: ["Sign"]), PixelSize(width: 480, height: 800), nil)
        page.elements.removeAll { $0.button?.isPrimary == true }
        let icons = page.inkArea.icons
        var contacts = PageContacts(page: page)
        var effects: [PageContacts.Effect] = []
        let way = [
            Point(x: Double(icons.minX) - 5, y: Double(icons.minY) + 1),
            Point(x: Double(icons.minX) + 20, y: Double(icons.maxY) + 20),
        ]
        for (phase, place) in zip([Contact.Phase.began, .moved, .cancelled], way + way.suffix(1)) {
            _ = contacts.receive(
                TouchEvent(
                    phase, contact: 1, sample: Sample(time: .zero, position: place),
                    reading: DeviceReading(x: 0, y: 0)),
                &effects)
        }
        #expect(effects.last == .undo(strokes: 1))
    }

    @Test(
        "whatever way a contact takes, ink is within the area and all reports within it have ink",
        arguments:
            Breadth.seeds(8, long: 40))
    func anyWay(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let bounds = PixelRect(minX: 10, minY: 20, maxX: 110, maxY: 220)
        let (width, height) = (Int.random(in: 1...60, using: &random), Int.random(in: 1...90, using: &random))
        let x = [10, 110 - width, 30].randomElement(using: &random)!
        let icons = PixelRect(minX: x, minY: 20, maxX: x + width, maxY: 20 + height)
        let area = InkArea(bounds, except: icons)
        let way = (0..<60).map { _ in
            let (x, y) = (Double.random(in: -30...150, using: &random), Double.random(in: -30...250, using: &random))
            // Some reports are on an edge.
            return Int.random(in: 0..<4, using: &random) == 0
                ? Point(x: [10, 110, Double(icons.minX)].randomElement(using: &random)!, y: y.rounded())
                : Point(x: x, y: y)
        }
        let strokes = Self.strokes(way, in: area)
        for stroke in strokes {
            for (one, other) in zip(stroke, stroke.dropFirst()) {
                #expect(area.contains(one.position) && area.contains(other.position), "seed \(seed)")
                for step in 1..<50 {
                    let between = one.position.interpolated(to: other.position, Double(step) / 50)
                    #expect(area.contains(area.clamped(between)))
                    // Rounding puts a point on an edge beside it.
                    #expect((area.clamped(between) - between).length < 1e-9, "seed \(seed)")
                }
            }
        }
        let inside = way.filter { area.contains($0) }
        let drawn = strokes.flatMap { $0.map(\.position) }
        #expect(inside.allSatisfy { drawn.contains($0) }, "seed \(seed)")
    }

    @Test("all of the card but its icons takes ink, on any panel", arguments: SigningPageTests.panels)
    func wholeCard(panel: PixelSize) {
        var cards = 0
        for density in SigningPageTests.densities {
            for (size, gloves) in [panel, panel.transposed].flatMap({ [($0, false), ($0, true)] }) {
                let page = SigningPageTests.page(prompt: ["Please sign here"], signer: "Ada Lovelace")
                guard let placed = try? SigningPageTests.place(page, size, density, gloves: gloves) else { continue }
                let (area, card, inset) = (placed.inkArea, placed.frame, placed.design.cardInset)
                let onCard = placed.buttons.filter { card.contains($0.rect) }
                cards += onCard.isEmpty ? 0 : 1
                // No larger than a border.
                #expect(Double(inset) <= placed.design.radius, "\(size)")
                let gap = placed.design.targetGap
                for y in stride(from: card.minY, to: card.maxY, by: 3) {
                    for x in stride(from: card.minX, to: card.maxX, by: 3) {
                        let isOnBorder =
                            x < card.minX + inset || x >= card.maxX - inset || y < card.minY + inset
                            || y >= card.maxY - inset
                        let isOnIcon = onCard.contains { icon in
                            x >= icon.rect.minX - gap && x < icon.rect.maxX + gap && y >= icon.rect.minY
                                && y < icon.rect.maxY + gap
                        }
                        let takesInk = area.contains(Point(x: Double(x) + 0.5, y: Double(y) + 0.5))
                        if isOnBorder || onCard.contains(where: { $0.rect.contains(x, y) }) {
                            #expect(!takesInk, "\(size) \(x) \(y)")
                        } else if !isOnIcon {
                            #expect(takesInk, "\(size) \(density.map { "\($0)" } ?? "-") \(x) \(y)")
                        }
                    }
                }
            }
        }
        #expect(cards > 0 || panel.width < 480)
    }
}

extension PixelRect {
    fileprivate func contains(_ x: Int, _ y: Int) -> Bool { x >= minX && x < maxX && y >= minY && y < maxY }
}
