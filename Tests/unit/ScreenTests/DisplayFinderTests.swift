// SPDX-License-Identifier: Apache-2.0
import CLibdrm
import Geometry
import Linux
import TestSupport
import Testing

@testable import Screen

@Suite("Choice of the display")
struct DisplayFinderTests {
    @Test(
        "skips a card that only renders, and closes it at once",
        arguments: [Errno.notSupported, .invalidArgument])
    func renderOnlyFirst(error: Errno) throws {
        let gpu = try FakeCard.renderOnly(path: "/dev/dri/card0", error: error)
        let panel = try FakeCard.panel(path: "/dev/dri/card1")
        let display = try finder(gpu, panel).open()
        #expect(display.details.card == "/dev/dri/card1")
        #expect(gpu.isClosed)
        #expect(!panel.isClosed)
        let inventory = finder(gpu, panel).inventory()
        #expect(inventory.cards[0].rejection == .onlyRenders)
        #expect(inventory.cards[0].driver == "v3d")
    }

    @Test("skips a card without dumb buffers")
    func noDumbBuffers() throws {
        let card = try FakeCard.panel()
        card.hasDumbBuffers = false
        let inventory = finder(card).inventory()
        #expect(inventory.cards[0].rejection == .noDumbBuffers)
        #expect(card.isClosed)
        #expect(throws: ScreenError.noDisplay(reasons: ["/dev/dri/card0: the driver has no dumb buffers"])) {
            _ = try finder(card).open()
        }
    }

    @Test("prefers a built-in panel to a monitor, in any order of the cards")
    func builtInFirst() throws {
        let monitor = try FakeCard.panel(path: "/dev/dri/card0", type: DRM_MODE_CONNECTOR_HDMIA)
        let panel = try FakeCard.panel(path: "/dev/dri/card1", type: DRM_MODE_CONNECTOR_DSI)
        let display = try finder(monitor, panel).open()
        #expect(display.details.name == "DSI-1")
        #expect(monitor.isClosed)
        let inventory = finder(try .panel(type: DRM_MODE_CONNECTOR_HDMIA), panel).inventory()
        #expect(inventory.chosen?.connector.name == "DSI-1")
        #expect(inventory.cards[0].connectors[0].verdict == .rejected(.outranked(by: "DSI-1 on /dev/dri/card1")))
        #expect(panel.isClosed)
    }

    @Test("a connector is requested by name, with its card if two have the same name")
    func byName() throws {
        let first = try FakeCard.panel(path: "/dev/dri/card0", type: DRM_MODE_CONNECTOR_HDMIA)
        first.addConnector(id: 11, type: DRM_MODE_CONNECTOR_DSI)
        let second = try FakeCard.panel(path: "/dev/dri/card1", type: DRM_MODE_CONNECTOR_HDMIA)
        #expect(finder(first, second).inventory(for: DisplayRequest("HDMI-A-1")).chosen?.card.path == "/dev/dri/card0")
        let chosen = finder(first, second).inventory(for: DisplayRequest("card1-HDMI-A-1")).chosen
        #expect(chosen?.card.path == "/dev/dri/card1")
        let byCard = finder(first, second).inventory(for: DisplayRequest("/dev/dri/card1")).chosen
        #expect(byCard?.card.path == "/dev/dri/card1")
    }

    @Test("the error for a missing connector lists those that exist")
    func noSuchConnector() throws {
        let card = try FakeCard.panel()
        #expect(throws: ScreenError.noSuchDisplay("HDMI-A-9", known: ["DSI-1 (/dev/dri/card0)"])) {
            _ = try finder(card).open(.connector("HDMI-A-9"))
        }
        #expect(card.isClosed)
    }

    @Test("a monitor without modes is not opened")
    func noModes() throws {
        let card = try FakeCard.panel()
        card.connectors[0].modes = []
        do {
            _ = try finder(card).open()
            Issue.record("opened a connector without modes")
        } catch {
            #expect(error == .noDisplay(reasons: ["DSI-1 on /dev/dri/card0: connected, but reports no modes"]))
        }
        #expect(card.isClosed)
    }

    @Test("a connector of unknown status is used if it has modes, and comes last")
    func unknownStatus() throws {
        let card = try FakeCard.panel()
        card.connectors[0].status = .unknown
        card.addConnector(id: 11, type: DRM_MODE_CONNECTOR_HDMIA, status: .unknown)
        card.connectors[1].modes = []
        #expect(finder(card).inventory().chosen?.connector.name == "DSI-1")
        let both = try FakeCard.panel()
        both.connectors[0].status = .unknown
        both.addConnector(id: 11, type: DRM_MODE_CONNECTOR_HDMIA)
        #expect(finder(both).inventory().chosen?.connector.name == "HDMI-A-1")
    }

    @Test("a headset and a disconnected connector are not used")
    func notScreens() throws {
        let card = try FakeCard.panel()
        card.properties[10]?["non-desktop"] = 1
        card.addConnector(id: 11, type: DRM_MODE_CONNECTOR_HDMIA, status: .disconnected)
        let connectors = finder(card).inventory().cards[0].connectors
        #expect(connectors.map(\.verdict) == [.rejected(.notDesktop), .rejected(.disconnected)])
    }

    @Test("an encoder without CRTC gets an idle one")
    func encoderWithoutCRTC() throws {
        let card = try FakeCard.panel()
        card.crtcs.append(CRTC(id: 31, framebuffer: 0, mode: nil))
        card.encoders = [
            Encoder(id: 20, currentCRTC: 0, possibleCRTCs: 0b11), Encoder(id: 21, currentCRTC: 30, possibleCRTCs: 0b11),
        ]
        card.addConnector(id: 11, type: DRM_MODE_CONNECTOR_HDMIA, encoders: [21], currentEncoder: 21)
        card.addPlane(50, type: "Primary", possibleCRTCs: 0b10)
        card.properties[31] = ["MODE_ID": 0, "ACTIVE": 0]
        let display = try finder(card).open()
        try display.start(showing: 0)
        let modeset = try #require(card.requests.last { !$0.flags.contains(.testOnly) })
        #expect(modeset.request.assignments.contains { $0.object == 31 })
        #expect(modeset.request.assignments.contains { $0.object == 50 })
    }

    @Test("reports a missing CRTC, and a missing plane for our format")
    func noWay() throws {
        let card = try FakeCard.panel()
        card.encoders[0].possibleCRTCs = 0
        #expect(finder(card).inventory().cards[0].connectors[0].verdict == .rejected(.noCRTC))
        let spi = try FakeCard.panel()
        spi.planeList[0].formats = [rgb565]
        #expect(finder(spi).inventory().cards[0].connectors[0].verdict == .rejected(.noPlane(formats: ["RG16"])))
    }

    @Test("the kernel's panel orientation rotates the picture")
    func orientation() throws {
        let card = try FakeCard.panel()
        card.properties[10]?["panel orientation"] = 2
        card.valueNames[10] = ["panel orientation": "Left Side Up"]
        #expect(try finder(card).open().details.orientation == .clockwise270)
    }

    @Test("reports that there are no cards, or that none may be opened")
    func nothing() {
        #expect(throws: ScreenError.noCard) { _ = try finder().open() }
        for paths in [["/nowhere/card0"], ["/nowhere/card0", "/nowhere/card1"]] {
            let forbidden = DisplayFinder(paths: paths) { _ throws(Errno) in throw .permissionDenied }
            #expect(throws: ScreenError.refused(card: "/nowhere/card0", .byPolicy)) { _ = try forbidden.open() }
        }
    }

    @Test("a card that udev has not set up yet is not opened, and the error says so")
    func awaitsUdev() throws {
        var awaited = true
        let card = try FakeCard.panel()
        var openings = 0
        let finder = DisplayFinder(
            paths: ["/dev/dri/card0"], awaitsUdev: { _ in awaited },
            openCard: { _ throws(Errno) in
                openings += 1
                return card
            })
        let error = ScreenError.refused(card: "/dev/dri/card0", .notInitialized)
        #expect(throws: error) { _ = try finder.open() }
        #expect(openings == 0 && error.description.contains("udev"))
        awaited = false
        _ = try finder.open()
        #expect(openings == 1)
    }

    @Test("if another program is master, the card is closed and the error says so")
    func notMaster() throws {
        let card = try FakeCard.panel()
        card.isMaster = false
        #expect(throws: ScreenError.lostMaster(card: "/dev/dri/card0")) { _ = try finder(card).open() }
        #expect(card.isClosed && card.isClean)
        #expect(finder(card).inventory().chosen != nil, "the inventory still lists it")
    }

    @Test("skips a real file that is not a graphics card")
    func notACard() throws {
        let finder = DisplayFinder(paths: ["/dev/null", "/nonexistent"]) { path throws(Errno) in try Card(path: path) }
        let cards = finder.inventory().cards
        #expect(cards[0].rejection == .unreadable(call: "MODE_GETRESOURCES", .notATerminal))
        #expect(cards[1].rejection == .cannotOpen(.noSuchFile))
    }

    @Test("the inventory as text marks the choice")
    func description() throws {
        let panel = try FakeCard.panel(path: "/dev/dri/card1")
        panel.connectors[0].millimetres = PixelSize(width: 154, height: 86)
        panel.addConnector(id: 11, type: DRM_MODE_CONNECTOR_HDMIA, status: .disconnected)
        panel.connectors[1].modes = []
        let text = finder(try .renderOnly(), panel).inventory().description
        #expect(
            text == """
                /dev/dri/card0 (v3d): renders only, has no display outputs
                /dev/dri/card1 (fake, atomic)
                  * DSI-1: 64x48 at 59.90 Hz, 154x86 mm
                      64x48 at 59.90 Hz (preferred)
                    HDMI-A-1: not used: nothing connected
                    plane 40 (Primary): XR24
                    plane 41 (Cursor): XR24
                """)
    }

    @Test("cards are listed by number, without other files")
    func cardList() throws {
        let directory = try TemporaryDirectory()
        for name in ["card10", "card2", "renderD128", "controlD64", "by-path", "card", "cardx"] {
            try directory.write(name, [])
        }
        #expect(DisplayFinder.cardPaths(in: directory.path) == ["card2", "card10"].map { "\(directory.path)/\($0)" })
        #expect(DisplayFinder.cardPaths(in: "/nonexistent") == [])
    }
}
