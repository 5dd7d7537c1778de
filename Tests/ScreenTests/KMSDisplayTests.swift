// SPDX-License-Identifier: Apache-2.0
import CLibdrm
import Geometry
import Linux
import Raster
import TestSupport
import Testing

@testable import Screen

@Suite("KMS display")
struct KMSDisplayTests {
    @Test("uses the pitch the driver chose")
    func pitch() throws {
        let card = try FakeCard.panel()
        card.pitchPadding = 128
        let display = try finder(card).open()
        #expect(display.surfaces.map(\.strideBytes) == [384, 384, 384])
        display.surfaces[0].row(5)[7] = 0x123456
        try display.start(showing: 0)
        #expect(card.shownPixel(x: 7, y: 5) == 0x123456)
    }

    @Test("a connector that nothing is plugged to any more is told, and another screen on it")
    func connection() throws {
        let card = try FakeCard.panel()
        let display = try finder(card).open()
        try display.start(showing: 0)
        try display.checkConnection()
        let connector = card.connectors[0]
        var mode = connector.modes[0]
        mode.hdisplay += 8
        card.connectors[0].modes = [mode]
        guard case .modeGone? = thrownError(by: display.checkConnection) as? ScreenError else {
            Issue.record("the last screen's mode is still believed")
            return
        }
        card.connectors[0] = connector
        card.connectors[0].status = .disconnected
        let name = display.details.name
        let expected = ScreenError.disconnected(card: card.path, connector: name)
        let thrown = thrownError(by: display.checkConnection) as? ScreenError
        #expect(thrown == expected)
    }

    @Test("a link that has failed is set up again by a modeset that says so")
    func badLink() throws {
        let card = try FakeCard.panel()
        card.properties[10]?["link-status"] = 0
        let display = try finder(card).open()
        try display.start(showing: 0)
        try display.checkConnection()
        let link = FakeCard.propertyID("link-status")
        #expect(!card.requests[0].request.assignments.contains { $0.property == link }, "nothing is wrong")
        card.properties[10]?["link-status"] = 1
        let expected = ScreenError.linkFailed(card: card.path, connector: display.details.name)
        let thrown = thrownError(by: display.checkConnection) as? ScreenError
        #expect(thrown == expected)
        display.close()
        let again = try finder(card).open()
        // Not before the modeset that mends it.
        try again.checkConnection()
        try again.start(showing: 0)
        try again.checkConnection()
        #expect(card.properties[10]?["link-status"] == 0)
    }

    @Test("an answer that cannot be true is an error, not a crash")
    func wrongPitch() throws {
        let card = try FakeCard.panel()
        card.pitchPadding = 2
        do {
            _ = try finder(card).open()
            Issue.record("a pitch that is no multiple of 4 was taken")
        } catch {
            guard case .badBuffer = error else {
                Issue.record("\(error)")
                return
            }
        }
        #expect(card.isClean && card.isClosed)
    }

    @Test("tests an atomic modeset before making it, and flips without waiting")
    func atomic() throws {
        let card = try FakeCard.panel()
        let display = try finder(card).open()
        #expect(display.details.commitStyle == "atomic")
        try display.start(showing: 0)
        _ = try display.present(1, damage: Damage())
        #expect(card.requests.map(\.flags) == [[.testOnly, .allowModeset], .allowModeset, [.nonblocking, .event]])
        #expect(card.requests[0].request == card.requests[1].request)
        #expect(card.calls("setCRTC") == 0)
    }

    @Test("falls back to legacy when the driver has no atomic, or says no to it", arguments: [true, false])
    func legacy(hasAtomic: Bool) throws {
        let card = try FakeCard.panel(isAtomic: hasAtomic)
        card.failures["test"] = .invalidArgument
        let display = try finder(card).open()
        try display.start(showing: 0)
        #expect(display.details.commitStyle == "legacy")
        #expect(try display.present(1, damage: Damage()) == .queued)
        #expect(card.calls("pageFlip") == 1 && card.calls("modeset") == 0)
    }

    @Test("a driver without page flips is given every frame by a modeset")
    func noFlips() throws {
        let card = try FakeCard.panel(isAtomic: false)
        card.failures["pageFlip"] = .invalidArgument
        let display = try finder(card).open()
        try display.start(showing: 0)
        display.surfaces[1].row(0)[0] = 5
        #expect(try display.present(1, damage: Damage()) == .shown)
        #expect(card.shownPixel() == 5)
    }

    @Test(
        "takes off the pointer, the overlay, the rotation and the colours of whoever was there",
        arguments: [true, false])
    func leftovers(isAtomic: Bool) throws {
        let card = try FakeCard.panel(isAtomic: isAtomic)
        card.addLeftovers()
        let display = try finder(card).open()
        try display.start(showing: 0)
        #expect(card.planeList[1].framebuffer == 0 && card.planeList[1].currentCRTC == 0, "pointer")
        #expect(card.planeList[2].framebuffer == 0 && card.planeList[2].currentCRTC == 0, "overlay")
        #expect(card.properties[40]?["rotation"] == 1)
        #expect(card.calls("hideCursor") == 1)
        if isAtomic {
            #expect(card.properties[30]?["ACTIVE"] == 1)
            #expect(card.properties[30]?["GAMMA_LUT"] == 0)
            #expect(card.properties[40]?["alpha"] == 0xFFFF)
        }
    }

    @Test("another connector on our CRTC is taken off it")
    func clone() throws {
        let card = try FakeCard.panel()
        card.addLeftovers()
        card.addConnector(id: 11, type: DRM_MODE_CONNECTOR_HDMIA, currentEncoder: 20)
        card.properties[11]?["CRTC_ID"] = 30
        let display = try finder(card).open()
        try display.start(showing: 0)
        #expect(card.properties[11]?["CRTC_ID"] == 0)
        display.close()
        #expect(card.isClean)
    }

    @Test("closing restores what was on the CRTC, or switches it off where nothing was", arguments: [true, false])
    func restores(wasUsed: Bool) throws {
        let card = try FakeCard.panel()
        if wasUsed { card.addLeftovers() }
        let before = card.crtcs[0]
        let display = try finder(card).open()
        try display.start(showing: 0)
        _ = try display.present(1, damage: Damage())
        card.vblank()
        display.close()
        #expect(card.crtcs[0] == before)
        #expect(card.isClean && card.isClosed)
        let restored = try #require(card.log.lastIndex(of: "setCRTC"))
        let removed = try #require(card.log.firstIndex(of: "removeFramebuffer"))
        #expect(restored < removed)
    }

    @Test("closing waits for the outstanding flip")
    func closingDuringFlip() throws {
        let card = try FakeCard.panel()
        let display = try finder(card).open()
        try display.start(showing: 0)
        _ = try display.present(1, damage: Damage())
        card.completesAtOnce = true
        display.close()
        #expect(card.isClean, "\(card.violations)")
    }

    @Test(
        "DIRTYFB that is not there is asked for once",
        arguments: [Errno.notImplemented, .notSupported, .invalidArgument])
    func dirty(error: Errno) throws {
        let card = try FakeCard.panel()
        card.failures["markDirty"] = error
        let display = try finder(card).open()
        for index in 0..<3 { try display.start(showing: index) }
        #expect(card.calls("markDirty") == 1)
    }

    @Test("DIRTYFB follows a modeset and no flip")
    func dirtyAfterModeset() throws {
        let card = try FakeCard.panel()
        card.completesAtOnce = true
        let display = try finder(card).open()
        try display.start(showing: 0)
        for index in [1, 2, 0] {
            _ = try display.present(index, damage: Damage())
            _ = try display.readEvents()
        }
        #expect(card.calls("markDirty") == 1)
    }

    @Test("damage goes along where the plane takes it")
    func damageClips() throws {
        let card = try FakeCard.panel()
        card.properties[40]?["FB_DAMAGE_CLIPS"] = 0
        let display = try finder(card).open()
        try display.start(showing: 0)
        let rect = PixelRect(minX: 3, minY: 4, maxX: 9, maxY: 8)
        _ = try display.present(1, damage: Damage(rect))
        #expect(card.clips == [[rect]])
        #expect(
            card.requests.last?.request.assignments.contains { $0.property == FakeCard.propertyID("FB_DAMAGE_CLIPS") }
                == true)
        #expect(card.blobs.isEmpty)
    }

    @Test("two buffers do where there is no memory for a third")
    func twoBuffers() throws {
        let card = try FakeCard.panel()
        card.completesAtOnce = true
        let count = try FakeCard.panel().callsBeforeThirdBuffer()
        card.failure = (count, Errno(code: 12))
        var panel = TestPanel(try finder(card).open())
        #expect(panel.display.surfaces.count == 2)
        for _ in 0..<20 {
            panel.draw()
            try panel.present()
            try panel.readEvents()
        }
        panel.repaint()
        try panel.present()
        try panel.readEvents()
        #expect(card.shownPixel() == panel.color)
        panel.display.close()
        #expect(card.isClean && card.isClosed)
    }
}

extension FakeCard {
    /// The number of the call that creates the third buffer, found by looking.
    func callsBeforeThirdBuffer() throws -> Int {
        _ = try finder(self).open()
        let creations = log.indices.filter { log[$0] == "createDumbBuffer" }
        return creations[2]
    }
}
