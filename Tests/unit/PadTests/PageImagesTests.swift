// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import HostAPI
import Record
import Testing

@testable import Pad

@Suite("Images of pages for records")
struct PageImagesTests {
    private let id = CaptureID("20261121-1")!
    private let accepted = CaptureEntry.flow(.accepted(AcceptedField(name: "S01")), microseconds: 1)

    private func header(hasFlow: Bool) -> CaptureHeader {
        var header = CaptureRecord.pad().header
        if hasFlow { header.flow = RecordedFlow() }
        return header
    }

    private var commit: StoreAction {
        .commit(id, CaptureEnd(outcome: .accepted, endedAt: 1, quality: CaptureQuality()))
    }

    /// The actions of an event, and whether an image is asked for.
    private func event(
        _ images: inout PageImages, _ actions: [StoreAction], isShown: Bool = false, takesInk: Bool = false
    ) -> (sent: [StoreAction], image: CaptureID?) {
        let sent = actions.filter { images.canSend($0) }
        if isShown { images.noteShown(takesInk: takesInk) }
        return (sent, images.endEvent())
    }

    @Test("A capture of one page has an image at its begin and its end, and its end waits for that")
    func onePage() {
        var images = PageImages()
        let begun = event(&images, [.begin(header(hasFlow: false))], isShown: true)
        #expect(begun.sent.count == 1 && begun.image == id)
        let shown = event(&images, [.append(id, accepted)], isShown: true)
        #expect(shown.sent.count == 1 && shown.image == nil)
        let first = images.receive(of: id)
        #expect(first == nil)
        let ended = event(&images, [commit])
        #expect(ended.sent.isEmpty && ended.image == id)
        let last = images.receive(of: id)
        #expect(last == commit)
        let none = images.receive(of: id)
        #expect(none == nil)
    }

    @Test("A page to sign on has an image of its own after its texts in large letters, each time that it comes")
    func largeTexts() {
        var images = PageImages()
        #expect(event(&images, [.begin(header(hasFlow: false))], isShown: true).image == id)
        #expect(event(&images, [], isShown: true).image == nil)
        for _ in 0..<2 { #expect(event(&images, [], isShown: true, takesInk: true).image == id) }
        #expect(event(&images, [commit]).image == id)
        #expect(event(&images, [], isShown: true, takesInk: true).image == nil)
        for _ in 0..<3 {
            let early = images.receive(of: id)
            #expect(early == nil)
        }
        let last = images.receive(of: id)
        #expect(last == commit)
    }

    @Test("A flow has an image of each page and each accepted field, and its end waits for all of them")
    func flow() {
        var images = PageImages()
        #expect(event(&images, [.begin(header(hasFlow: true))], isShown: true).image == id)
        #expect(event(&images, [], isShown: true).image == id)
        // One for all changes of an event.
        #expect(event(&images, [.append(id, accepted)], isShown: true).image == id)
        #expect(event(&images, [.append(id, .action(.undo, microseconds: 1))]).image == nil)
        #expect(event(&images, [.append(id, accepted), commit]).image == id)
        // Afterwards no page belongs to it.
        #expect(event(&images, [], isShown: true).image == nil)
        for _ in 0..<3 {
            let early = images.receive(of: id)
            #expect(early == nil)
        }
        let last = images.receive(of: id)
        #expect(last == commit)
    }

    @Test("A capture that is wiped while its end waits is not stored")
    func discarded() {
        var images = PageImages()
        _ = event(&images, [.begin(header(hasFlow: true))])
        _ = event(&images, [commit])
        let wiped = event(&images, [.discard(id)], isShown: true)
        #expect(wiped.sent == [.discard(id)] && wiped.image == nil)
        for _ in 0..<2 {
            let late = images.receive(of: id)
            #expect(late == nil)
        }
    }
}
