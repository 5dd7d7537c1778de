// SPDX-License-Identifier: Apache-2.0
import CLibdrm
import Geometry
import Linux
import Screen
import TestSupport
import Testing

@Suite("Choice of the display")
struct DisplayFinderTests {
    @Test(
        "passes over a card that only renders, and closes it at once",
        arguments: [Errno.notSupported, .invalidArgument])
    func renderOnlyFirst(error: Errno) throws {
        let gpu = try FakeCard.renderOnly(path: "/dev/dri/card0", error: error)
        let panel = try FakeCard.panel(path: "/dev/dri/card1")
        let display = try finder(gpu, panel).open()
        #expect(display.details.card == "/dev/dri/card1")
        #expect(gpu.isClosed)
        #expect(!panel.isClosed)
        let inventory = finder(gpu, panel).inventory()
        #expect(inventory.cards[0].passedOver == .onlyRenders)
        #expect(inventory.cards[0].driver == "v3d")
    }

    @Test("a card without dumb buffers is passed over")
    func noDumbBuffers() throws {
        let card = try FakeCard.panel()
        card.hasDumbBuffers = 0
        let inventory = finder(card).inventory()
        #expect(inventory.cards[0].passedOver == .noDumbBuffers)
        #expect(card.isClosed)
        #expect(throws: ScreenError.noDisplay(reasons: ["/dev/dri/card0: the driver has no dumb buffers"])) {
            _ = try finder(card).open()
        }
    }

    @Test("prefers a built-in panel to a monitor, whatever the order of the cards")
    func builtInFirst() throws {
        let monitor = try FakeCard.panel(path: "/dev/dri/card0", type: DRM_MODE_CONNECTOR_HDMIA)
        let panel = try FakeCard.panel(path: "/dev/dri/card1", type: DRM_MODE_CONNECTOR_DSI)
        let display = try finder(monitor, panel).open()
        #expect(display.details.name == "DSI-1")
        #expect(monitor.isClosed)
        let inventory = finder(try .panel(type: DRM_MODE_CONNECTOR_HDMIA), panel).inventory()
        #expect(inventory.chosen?.connector.name == "DSI-1")
        #expect(inventory.cards[0].connectors[0].verdict == .passedOver(.outranked(by: "DSI-1 on /dev/dri/card1")))
        #expect(panel.isClosed)
    }

    @Test("a connector can be asked for by name, with its card when two have the same")
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

    @Test("a connector that does not exist is named, with those that do")
    func noSuchConnector() throws {
        let card = try FakeCard.panel()
        #expect(throws: ScreenError.noSuchDisplay("HDMI-A-9", known: ["DSI-1 (/dev/dri/card0)"])) {
            _ = try finder(card).open(.connector("HDMI-A-9"))
        }
        #expect(card.isClosed)
    }

    @Test("a monitor that has no modes yet is waited for")
    func noModes() throws {
        let card = try FakeCard.panel()
        card.connectors[0].modes = []
        do {
            _ = try finder(card).open()
            Issue.record("opened a connector without modes")
        } catch {
            #expect(error == .noDisplay(reasons: ["DSI-1 on /dev/dri/card0: connected, but reports no modes (yet)"]))
        }
        #expect(card.isClosed)
    }

    @Test("a connector of unknown status counts when it has modes, and comes last")
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

    @Test("a headset and a disconnected socket are no screens")
    func notScreens() throws {
        let card = try FakeCard.panel()
        card.properties[10]?["non-desktop"] = 1
        card.addConnector(id: 11, type: DRM_MODE_CONNECTOR_HDMIA, status: .disconnected)
        let connectors = finder(card).inventory().cards[0].connectors
        #expect(connectors.map(\.verdict) == [.passedOver(.notDesktop), .passedOver(.disconnected)])
    }

    @Test("an encoder without CRTC gets one that drives nothing else")
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

    @Test("no CRTC at all, or no plane with our format, is said")
    func noWay() throws {
        let card = try FakeCard.panel()
        card.encoders[0].possibleCRTCs = 0
        #expect(finder(card).inventory().cards[0].connectors[0].verdict == .passedOver(.noCRTC))
        let spi = try FakeCard.panel()
        spi.planeList[0].formats = [rgb565]
        #expect(finder(spi).inventory().cards[0].connectors[0].verdict == .passedOver(.noPlane(formats: ["RG16"])))
    }

    @Test("the kernel's word on how the panel is built in turns the picture")
    func orientation() throws {
        let card = try FakeCard.panel()
        card.properties[10]?["panel orientation"] = 2
        card.valueNames[10] = ["panel orientation": "Left Side Up"]
        #expect(try finder(card).open().details.orientation == .clockwise270)
    }

    @Test("without any card, and with cards none of which may be opened, the message says what to do")
    func nothing() {
        #expect(throws: ScreenError.noCard) { _ = try finder().open() }
        for paths in [["/nowhere/card0"], ["/nowhere/card0", "/nowhere/card1"]] {
            let forbidden = DisplayFinder(paths: paths) { _ throws(Errno) in throw .permissionDenied }
            #expect(throws: ScreenError.refused(card: "/nowhere/card0", .byPolicy)) { _ = try forbidden.open() }
        }
    }

    @Test("a card that udev has not set up yet is not opened, and the message says what is waited for")
    func awaitsUdev() throws {
        var awaited = true
        let card = try FakeCard.panel()
        var openings = 0
        let finder = DisplayFinder(paths: ["/dev/dri/card0"], awaitsUdev: { _ in awaited }) { _ throws(Errno) in
            openings += 1
            return card
        }
        let error = ScreenError.refused(card: "/dev/dri/card0", .notInitialized)
        #expect(throws: error) { _ = try finder.open() }
        #expect(openings == 0 && error.description.contains("udev"))
        awaited = false
        _ = try finder.open()
        #expect(openings == 1)
    }

    @Test("when somebody else is master the card is closed and the error says to wait")
    func notMaster() throws {
        let card = try FakeCard.panel()
        card.isMaster = false
        #expect(throws: ScreenError.lostMaster(card: "/dev/dri/card0")) { _ = try finder(card).open() }
        #expect(card.isClosed && card.isClean)
        #expect(finder(card).inventory().chosen != nil, "it can still be looked at")
    }

    @Test("a real descriptor that is no graphics card is passed over")
    func notACard() throws {
        let finder = DisplayFinder(paths: ["/dev/null", "/nonexistent"]) { path throws(Errno) in try Card(path: path) }
        let cards = finder.inventory().cards
        #expect(cards[0].passedOver == .unreadable(call: "MODE_GETRESOURCES", .notATerminal))
        #expect(cards[1].passedOver == .cannotOpen(.noSuchFile))
    }

    @Test("the inventory reads as a list with the choice marked")
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

    @Test("cards are listed by number, and nothing else is")
    func cardList() throws {
        let directory = try TemporaryDirectory()
        for name in ["card10", "card2", "renderD128", "controlD64", "by-path", "card", "cardx"] {
            try directory.write(name, [])
        }
        #expect(CardList.paths(in: directory.path) == ["card2", "card10"].map { "\(directory.path)/\($0)" })
        #expect(CardList.paths(in: "/nonexistent") == [])
    }
}
