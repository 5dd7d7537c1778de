// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import PadFixtures
import Raster
import Record
import Testing

@testable import Pad

@Suite("Idle pages")
struct IdlePageTests {
    private static let minute: Int64 = 60_000_000
    private static let pictures: [Page] = (1...3).map {
        Page([.picture(Picture(size: PixelSize(width: 1, height: 1), pixels: [UInt32($0)]))])
    }

    /// A pad with these idle pages, at 14:26:20.
    private static func pad(_ pages: [Page], showsClock: Bool = false) -> PadDriver {
        var driver = PadDriver()
        var settings = PadDriver.settings(policy: PadDriver.policy)
        (settings.idle, settings.showsClock) = (pages, showsClock)
        driver.pad = Pad(settings, screen: PadDriver.screen(PadDriver.size))
        _ = driver.pad.start(at: driver.now)
        driver.handle(.devices(["touch"], [PadDriver.device]))
        driver.rendered = []
        driver.handle(.stored(.storeChanged(fault: nil)))
        return driver
    }

    /// Sends the time of the deadline.
    private func wait(_ driver: inout PadDriver) throws -> [RenderAction] {
        driver.now = try #require(driver.pad.deadline)
        driver.rendered = []
        driver.handle(.time)
        return driver.rendered
    }

    @Test("pictures are shown in turn, and each fades into the next")
    func slides() throws {
        var driver = Self.pad(Self.pictures)
        #expect(driver.rendered == [.show(Self.pictures[0])])
        for index in [1, 2, 0, 1] {
            let before = driver.now
            var page = Self.pictures[index]
            page.fadesIn = true
            #expect(try wait(&driver) == [.show(page)])
            #expect(driver.now - before >= PadTimes().slide - .seconds(1))
        }
    }

    @Test("a capture ends the turn, which goes on after it without a fade")
    func slidesAndCapture() throws {
        var driver = Self.pad(Self.pictures)
        _ = try wait(&driver)
        let call = driver.capture()
        #expect(driver.runningID != nil)
        driver.rendered = []
        driver.handle(.call(CallID(99), .cancel(driver.runningID), .all))
        #expect(driver.last(call)?.isFinal == true)
        #expect(driver.rendered.contains(.show(Self.pictures[1])))
    }

    @Test("one page stays, and the pad waits for no time")
    func still() {
        #expect(Self.pad([Self.pictures[0]]).pad.deadline == nil)
        #expect(Self.pad([.words("idle")]).pad.deadline == nil)
    }

    @Test("without a display no time is waited for")
    func noDisplay() {
        var driver = Self.pad(Self.pictures)
        driver.handle(.displayLost(reason: "nothing is connected"))
        #expect(driver.pad.deadline == nil)
    }

    @Test("the clock changes with each minute, and is not over pictures")
    func clock() throws {
        var driver = Self.pad([.words("idle")], showsClock: true)
        guard case .show(let page) = try #require(driver.rendered.first) else {
            Issue.record("no page")
            return
        }
        #expect(page.elements.last == .text(PageText("14:26", .corner)))
        // 1,700,000,000 seconds are 20 seconds after a minute.
        let start = try #require(driver.pad.deadline)
        #expect(try wait(&driver).count == 1)
        #expect(driver.now == start)
        // The test's wall clock stands still.
        #expect(driver.pad.deadline == driver.now + .seconds(40))
        #expect(Self.pad([Self.pictures[0]], showsClock: true).pad.deadline == nil)
    }

    @Test("the clock does not restart the time of a page")
    func clockAndPages() throws {
        var driver = Self.pad([.words("one"), .words("two")], showsClock: true)
        let end = try #require(driver.pad.slideEnd)
        driver.pad.minuteEnd = end - .microseconds(1)
        _ = try wait(&driver)
        #expect(driver.pad.slideEnd == end && driver.pad.slide == 0)
        _ = try wait(&driver)
        #expect(driver.pad.slide == 1)
    }

    @Test("a logo keeps its proportions, above the headline; the clock is in the corner")
    func logo() throws {
        let wide = Picture(
            size: PixelSize(width: 400, height: 100), pixels: [UInt32](repeating: 0xFF00_00FF, count: 40000))
        let tall = Picture(size: PixelSize(width: 10, height: 80), pixels: [UInt32](repeating: 0xFF00_00FF, count: 800))
        let messages = MessageTable.shipped[.arabic]!
        for (logo, size) in [(wide, PixelSize(width: 320, height: 240)), (tall, PixelSize(width: 1280, height: 800))] {
            for messages in [MessageTable.shipped[.english]!, messages] {
                var page = messages.idlePage(logo: logo)
                page.elements.append(.text(PageText("14:26", .corner)))
                let measure = PlainMeasure()
                let placed = try PlacedPage(page, size: size, density: nil, measure: { measure.measure($0, $1, $2) })
                #expect(placed.elements.count == 4)
                let picture = try #require(placed.elements.first { $0.element == .logo(logo) }).rect
                let texts = placed.elements.filter {
                    if case .text(let text) = $0.element { text.role != .corner } else { false }
                }
                let clock = try #require(
                    placed.elements.first {
                        if case .text(let text) = $0.element { text.role == .corner } else { false }
                    }
                ).rect
                #expect(picture.maxY <= texts.map(\.rect.minY).min()! && clock.maxY <= picture.minY)
                #expect(picture.height <= 240 / 4 || size.height > 240)
                #expect(
                    Double(picture.height) * Double(logo.size.width) / Double(logo.size.height) <= Double(size.width)
                        / 2)
                #expect(messages.direction == .leftToRight ? clock.minX > size.width / 2 : clock.maxX < size.width / 2)
            }
        }
    }
}
