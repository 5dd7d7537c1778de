// SPDX-License-Identifier: Apache-2.0
import Geometry
import Testing
import Touch

@Suite("The contact that draws")
struct ContactOwnerTests {
    /// What happened, with the x of the device: enough to tell contacts apart.
    private enum Seen: Equatable {
        case down(Int32), motion(Int32), up(Int32), cancel(Int32)

        init(_ event: TouchEvent) {
            switch event {
            case .down(let sample), .resume(let sample): self = .down(sample.device.x)
            case .motion(let sample): self = .motion(sample.device.x)
            case .up(let sample): self = .up(sample.device.x)
            case .cancel(let sample): self = .cancel(sample.device.x)
            }
        }
    }

    private var page: BarePage {
        BarePage(PanelMapping(.multitouch(), panel: PixelSize(width: 800, height: 480))!)
    }

    private func contact(
        _ slot: Int, _ id: Int32, _ phase: Contact.Phase, _ x: Int32, resumed: Bool = false
    ) -> Contact {
        Contact(slot: slot, trackingID: id, phase: phase, reading: DeviceReading(x: x, y: 0), isResumed: resumed)
    }

    private func feed(_ page: inout BarePage, dropped: Bool = false, _ contacts: Contact...) -> [Seen] {
        page.update(with: TouchFrame(microseconds: 1, contacts: contacts, isAfterDrop: dropped)).map(Seen.init)
    }

    @Test("one contact is down, motion, up, with time, pixels and device units")
    func one() {
        var page = page
        let frame = TouchFrame(microseconds: 123, contacts: [contact(0, 1, .began, 10)])
        let sample = TouchSample(
            microseconds: 123, position: Point(x: 10.5, y: 0.5), pressure: nil, device: DeviceReading(x: 10, y: 0))
        #expect(page.update(with: frame) == [.down(sample)])
        #expect(page.owner.isDrawing)
        #expect(feed(&page, contact(0, 1, .moved, 11)) == [.motion(11)])
        #expect(feed(&page, contact(0, 1, .ended, 11)) == [.up(11)])
        #expect(!page.owner.isDrawing)
    }

    @Test("a second contact draws nothing, not even after the first has lifted")
    func second() {
        var page = page
        _ = feed(&page, contact(0, 1, .began, 10))
        #expect(feed(&page, contact(1, 2, .began, 20)) == [])
        #expect(feed(&page, contact(0, 1, .moved, 11), contact(1, 2, .moved, 21)) == [.motion(11)])
        #expect(feed(&page, contact(0, 1, .ended, 11)) == [.up(11)])
        #expect(feed(&page, contact(1, 2, .moved, 22)) == [])
        // A new contact draws although the resting one is still there.
        #expect(feed(&page, contact(0, 3, .began, 30)) == [.down(30)])
        #expect(feed(&page, contact(1, 2, .ended, 22)) == [])
        #expect(feed(&page, contact(0, 3, .ended, 30)) == [.up(30)])
    }

    @Test("of two contacts that begin together the lower slot draws")
    func together() {
        var page = page
        #expect(feed(&page, contact(0, 1, .began, 10), contact(1, 2, .began, 20)) == [.down(10)])
    }

    @Test("the next contact may begin in the frame of the owner's lift, in a lower slot too")
    func handover() {
        var page = page
        _ = feed(&page, contact(1, 1, .began, 10))
        #expect(feed(&page, contact(0, 2, .began, 20), contact(1, 1, .ended, 10)) == [.up(10), .down(20)])
    }

    @Test("a tap within one frame is down and up, also after another's lift")
    func tap() {
        var page = page
        #expect(feed(&page, contact(0, 1, .began, 5), contact(0, 1, .ended, 5)) == [.down(5), .up(5)])
        _ = feed(&page, contact(1, 2, .began, 6))
        #expect(
            feed(&page, contact(1, 2, .ended, 6), contact(1, 3, .began, 7), contact(1, 3, .ended, 7))
                == [.up(6), .down(7), .up(7)])
    }

    @Test("a palm's stroke is cancelled")
    func cancel() {
        var page = page
        _ = feed(&page, contact(0, 1, .began, 10))
        #expect(feed(&page, contact(0, 1, .cancelled, 10)) == [.cancel(10)])
        #expect(feed(&page, contact(0, 2, .began, 20)) == [.down(20)])
    }

    @Test("after lost events the one who drew draws on in a new stroke, a resting contact does not take over")
    func drop() {
        var page = page
        _ = feed(&page, contact(0, 1, .began, 10), contact(1, 2, .began, 20))
        #expect(feed(&page, dropped: true, contact(0, 1, .ended, 10), contact(1, 2, .ended, 20)) == [.up(10)])
        var lifted = page
        #expect(
            feed(&page, contact(0, 1, .began, 15, resumed: true), contact(1, 2, .began, 20, resumed: true))
                == [.down(15)])
        #expect(feed(&lifted, contact(1, 2, .began, 20, resumed: true)) == [])
        #expect(feed(&lifted, contact(0, 3, .began, 30)) == [.down(30)])
    }

    @Test("a second drop before anything is heard changes nothing")
    func twoDrops() {
        var page = page
        _ = feed(&page, contact(1, 1, .began, 10))
        _ = feed(&page, dropped: true, contact(1, 1, .ended, 10))
        #expect(feed(&page, dropped: true) == [])
        #expect(feed(&page, contact(1, 1, .began, 12, resumed: true)) == [.down(12)])
    }

    @Test("frames that make no sense do no harm")
    func nonsense() {
        var page = page
        #expect(feed(&page, contact(0, 1, .moved, 1), contact(0, 1, .ended, 1), contact(3, 1, .cancelled, 1)) == [])
        _ = feed(&page, contact(0, 1, .began, 1))
        #expect(feed(&page, contact(0, 1, .began, 2)) == [])
        #expect(feed(&page, contact(0, 1, .ended, 2), contact(0, 1, .ended, 2)) == [.up(2)])
    }
}
