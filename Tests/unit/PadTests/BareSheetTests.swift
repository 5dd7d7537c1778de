// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Pad
import Testing
import Touch

@Suite("The contact that draws on a bare sheet")
struct BareSheetTests {
    /// An event with the x of the device, which identifies the contact.
    private enum Seen: Equatable {
        case begin(Int32)
        case move(Int32)
        case end, cancel

        init(_ event: StrokeEvent) {
            switch event {
            case .begin(let sample): self = .begin(Int32(sample.position.x))
            case .move(let sample): self = .move(Int32(sample.position.x))
            case .end: self = .end
            case .cancel: self = .cancel
            }
        }
    }

    /// A device with as many units as the sheet has pixels.
    private struct Sheet {
        var gate: ContactGate
        var contacts = PageContacts()

        init() {
            let (x, y) = (AxisInfo(minimum: 0, maximum: 799), AxisInfo(minimum: 0, maximum: 479))
            gate = ContactGate(mappings: [PanelMapping(x: x, y: y, panel: PixelSize(width: 800, height: 480))])
        }

        mutating func update(with frame: TouchFrame) -> [StrokeEvent] {
            contacts.strokes(of: gate.update(with: frame, of: 0))
        }
    }

    private func contact(
        _ slot: Int, _ id: Int32, _ phase: Contact.Phase, _ x: Int32
    ) -> Contact {
        Contact(slot: slot, trackingID: id, phase: phase, reading: DeviceReading(x: x, y: 0))
    }

    private func feed(_ sheet: inout Sheet, dropped: Bool = false, _ contacts: Contact...) -> [Seen] {
        sheet.update(with: TouchFrame(time: Timestamp(microseconds: 1), contacts: contacts, isAfterDrop: dropped)).map(
            Seen.init)
    }

    @Test("one contact begins, moves and ends a stroke, with time and pixels")
    func one() {
        var sheet = Sheet()
        let frame = TouchFrame(time: Timestamp(microseconds: 123), contacts: [contact(0, 1, .began, 10)])
        let sample = Sample(time: Timestamp(microseconds: 123), position: Point(x: 10.5, y: 0.5))
        #expect(sheet.update(with: frame) == [.begin(sample)])
        #expect(sheet.contacts.isOwned)
        #expect(feed(&sheet, contact(0, 1, .moved, 11)) == [.move(11)])
        #expect(feed(&sheet, contact(0, 1, .ended, 11)) == [.end])
        #expect(!sheet.contacts.isOwned)
    }

    @Test("a second contact draws nothing, not even after the first has lifted")
    func second() {
        var sheet = Sheet()
        _ = feed(&sheet, contact(0, 1, .began, 10))
        #expect(feed(&sheet, contact(1, 2, .began, 20)) == [])
        #expect(feed(&sheet, contact(0, 1, .moved, 11), contact(1, 2, .moved, 21)) == [.move(11)])
        #expect(feed(&sheet, contact(0, 1, .ended, 11)) == [.end])
        #expect(feed(&sheet, contact(1, 2, .moved, 22)) == [])
        // A new contact draws although the resting one is still there.
        #expect(feed(&sheet, contact(0, 3, .began, 30)) == [.begin(30)])
        #expect(feed(&sheet, contact(1, 2, .ended, 22)) == [])
        #expect(feed(&sheet, contact(0, 3, .ended, 30)) == [.end])
    }

    @Test("if two contacts begin together, the lower slot draws")
    func together() {
        var sheet = Sheet()
        #expect(feed(&sheet, contact(0, 1, .began, 10), contact(1, 2, .began, 20)) == [.begin(10)])
    }

    @Test("the next contact may begin in the frame of the owner's lift, in a lower slot too")
    func handover() {
        var sheet = Sheet()
        _ = feed(&sheet, contact(1, 1, .began, 10))
        #expect(feed(&sheet, contact(0, 2, .began, 20), contact(1, 1, .ended, 10)) == [.end, .begin(20)])
    }

    @Test("a tap within one frame is a stroke, also after another's lift")
    func tap() {
        var sheet = Sheet()
        #expect(feed(&sheet, contact(0, 1, .began, 5), contact(0, 1, .ended, 5)) == [.begin(5), .end])
        _ = feed(&sheet, contact(1, 2, .began, 6))
        #expect(
            feed(&sheet, contact(1, 2, .ended, 6), contact(1, 3, .began, 7), contact(1, 3, .ended, 7))
                == [.end, .begin(7), .end])
    }

    @Test("a palm's stroke is cancelled")
    func cancel() {
        var sheet = Sheet()
        _ = feed(&sheet, contact(0, 1, .began, 10))
        #expect(feed(&sheet, contact(0, 1, .cancelled, 10)) == [.cancel])
        #expect(feed(&sheet, contact(0, 2, .began, 20)) == [.begin(20)])
    }

    @Test("after lost events the owner continues in a new stroke, and a resting contact does not take over")
    func drop() {
        var sheet = Sheet()
        _ = feed(&sheet, contact(0, 1, .began, 10), contact(1, 2, .began, 20))
        #expect(feed(&sheet, dropped: true, contact(0, 1, .ended, 10), contact(1, 2, .ended, 20)) == [.end])
        var lifted = sheet
        #expect(
            feed(&sheet, contact(0, 1, .resumed, 15), contact(1, 2, .resumed, 20))
                == [.begin(15)])
        #expect(feed(&lifted, contact(1, 2, .resumed, 20)) == [])
        #expect(feed(&lifted, contact(0, 3, .began, 30)) == [.begin(30)])
    }

    @Test("a second drop before any report changes nothing")
    func twoDrops() {
        var sheet = Sheet()
        _ = feed(&sheet, contact(1, 1, .began, 10))
        _ = feed(&sheet, dropped: true, contact(1, 1, .ended, 10))
        #expect(feed(&sheet, dropped: true) == [])
        #expect(feed(&sheet, contact(1, 1, .resumed, 12)) == [.begin(12)])
    }

    @Test("senseless frames are ignored")
    func nonsense() {
        var sheet = Sheet()
        #expect(feed(&sheet, contact(0, 1, .moved, 1), contact(0, 1, .ended, 1), contact(3, 1, .cancelled, 1)) == [])
        _ = feed(&sheet, contact(0, 1, .began, 1))
        #expect(feed(&sheet, contact(0, 1, .began, 2)) == [])
        #expect(feed(&sheet, contact(0, 1, .ended, 2), contact(0, 1, .ended, 2)) == [.end])
    }
}
