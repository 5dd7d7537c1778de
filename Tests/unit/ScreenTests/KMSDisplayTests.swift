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

    @Test("reports an unplugged screen, and another screen on the connector")
    func connection() throws {
        let card = try FakeCard.panel()
        let display = try finder(card).open()
        try display.start(showing: 0)
        try display.checkConnection()
        let connector = card.connectors[0]
        var mode = connector.modes[0]
        mode.kernelValue.hdisplay += 8
        card.connectors[0].modes = [mode]
        guard case .modeGone? = thrownError(by: display.checkConnection) as? ScreenError else {
            Issue.record("the new screen was not noticed")
            return
        }
        card.connectors[0] = connector
        card.connectors[0].status = .disconnected
        let name = display.details.name
        let expected = ScreenError.disconnected(card: card.path, connector: name)
        let thrown = thrownError(by: display.checkConnection) as? ScreenError
        #expect(thrown == expected)
    }

    @Test("reports a failed link; the next modeset resets link-status")
    func badLink() throws {
        let card = try FakeCard.panel()
        card.properties[10]?["link-status"] = 0
        let display = try finder(card).open()
        try display.start(showing: 0)
        try display.checkConnection()
        let link = FakeCard.propertyID("link-status")
        #expect(!card.requests[0].request.assignments.contains { $0.property == link }, "a good link is not reset")
        card.properties[10]?["link-status"] = 1
        let expected = ScreenError.linkFailed(card: card.path, connector: display.details.name)
        let thrown = thrownError(by: display.checkConnection) as? ScreenError
        #expect(thrown == expected)
        display.close()
        let again = try finder(card).open()
        // Before the modeset that repairs it the link is not checked.
        try again.checkConnection()
        try again.start(showing: 0)
        try again.checkConnection()
        #expect(card.properties[10]?["link-status"] == 0)
    }

    @Test("an impossible pitch is an error, not a crash")
    func wrongPitch() throws {
        let card = try FakeCard.panel()
        card.pitchPadding = 2
        do {
            _ = try finder(card).open()
            Issue.record("accepted a pitch that is not a multiple of 4")
        } catch {
            guard case .badBuffer = error else {
                Issue.record("\(error)")
                return
            }
        }
        #expect(card.isClean && card.isClosed)
    }

    @Test("tests an atomic modeset first, and flips without waiting")
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

    @Test("falls back to legacy if the driver does not support or rejects atomic commits", arguments: [true, false])
    func legacy(hasAtomic: Bool) throws {
        let card = try FakeCard.panel(isAtomic: hasAtomic)
        card.failures["test"] = .invalidArgument
        let display = try finder(card).open()
        try display.start(showing: 0)
        #expect(display.details.commitStyle == "legacy")
        #expect(try display.present(1, damage: Damage()) == .queued)
        #expect(card.calls("pageFlip") == 1 && card.calls("modeset") == 0)
    }

    @Test("without page flips, every frame is shown by a modeset")
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
        "removes the pointer, overlay, rotation and colour curves of the previous program",
        arguments: [true, false])
    func resets(isAtomic: Bool) throws {
        let card = try FakeCard.panel(isAtomic: isAtomic)
        card.addDesktop()
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

    @Test("detaches another connector from our CRTC")
    func clone() throws {
        let card = try FakeCard.panel()
        card.addDesktop()
        card.addConnector(id: 11, type: DRM_MODE_CONNECTOR_HDMIA, currentEncoder: 20)
        card.properties[11]?["CRTC_ID"] = 30
        let display = try finder(card).open()
        try display.start(showing: 0)
        #expect(card.properties[11]?["CRTC_ID"] == 0)
        display.close()
        #expect(card.isClean)
    }

    @Test("closing restores the CRTC, or switches it off if it was unused", arguments: [true, false])
    func restores(wasUsed: Bool) throws {
        let card = try FakeCard.panel()
        if wasUsed { card.addDesktop() }
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
        "unsupported DIRTYFB is called once only",
        arguments: [Errno.notImplemented, .notSupported, .invalidArgument])
    func dirty(error: Errno) throws {
        let card = try FakeCard.panel()
        card.failures["markDirty"] = error
        let display = try finder(card).open()
        for index in 0..<3 { try display.start(showing: index) }
        #expect(card.calls("markDirty") == 1)
    }

    @Test(
        "without DIRTYFB the driver scans out in place; with it, or if that is unknown, it may show a copy",
        arguments: [(Errno.notImplemented, true), (.notSupported, false), (.invalidArgument, false), (nil, false)]
            as [(Errno?, Bool)])
    func inPlace(error: Errno?, isInPlace: Bool) throws {
        let card = try FakeCard.panel()
        card.failures["markDirty"] = error
        let display = try finder(card).open()
        #expect(!display.scansOutInPlace)
        try display.start(showing: 0)
        #expect(display.scansOutInPlace == isInPlace)
        try display.start(showing: 1)
        #expect(display.scansOutInPlace == isInPlace)
    }

    @Test("a single failed call never makes a copy count as memory in place")
    func inPlaceAfterFailure() throws {
        for call in 0..<80 {
            let card = try FakeCard.panel()
            card.failure = (call, .interrupted)
            guard let display = try? finder(card).open(), (try? display.start(showing: 0)) != nil else { continue }
            #expect(!display.scansOutInPlace, "call \(call)")
        }
    }

    @Test("DIRTYFB follows a modeset but not a flip")
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

    @Test("passes damage to planes that support it")
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

    @Test("uses two buffers if there is no memory for a third")
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
    /// The number of the call that creates the third buffer.
    func callsBeforeThirdBuffer() throws -> Int {
        _ = try finder(self).open()
        let creations = log.indices.filter { log[$0] == "createDumbBuffer" }
        return creations[2]
    }
}
