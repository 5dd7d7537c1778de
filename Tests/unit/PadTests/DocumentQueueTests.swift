// SPDX-License-Identifier: Apache-2.0
import Document
import Geometry
import HostAPI
import Testing

@testable import Pad

@Suite("The order in which documents are drawn")
struct DocumentQueueTests {
    private let one = CaptureID("one")!
    private let other = CaptureID("other")!

    private func page(_ number: Int, width: Int = 100, crop: PixelRect? = nil) -> HelperRequest.Rendering {
        .init(page: number, size: PixelSize(width: width, height: 2 * width), crop: crop)
    }

    private func part(_ number: Int, _ minY: Int) -> HelperRequest.Rendering {
        page(number, crop: PixelRect(minX: 0, minY: minY, maxX: 100, maxY: minY + 50))
    }

    private func rest(_ queue: inout DocumentQueue) -> [DocumentAction] {
        var steps: [DocumentAction] = []
        while let step = queue.next() { steps.append(step) }
        return steps
    }

    @Test("What was asked for last comes first; of one moment, the first")
    func order() {
        var queue = DocumentQueue()
        queue.add([.draw(one, page(1)), .draw(one, page(2))])
        queue.add([.draw(one, page(7)), .draw(one, page(8))])
        #expect(queue.next() == .draw(one, page(7)))
        queue.add([.draw(one, page(9))])
        #expect(rest(&queue) == [9, 8, 1, 2].map { .draw(one, page($0)) })
        #expect(queue.next() == nil)
    }

    @Test("Texts are read when nothing is to be drawn, and not after the end")
    func texts() {
        var queue = DocumentQueue()
        queue.add([.read(one, page: 1)])
        queue.add([.draw(one, page(1)), .read(one, page: 2)])
        #expect(queue.next() == .draw(one, page(1)))
        #expect(queue.next() == .read(one, page: 1))
        queue.add([.close(one)])
        #expect(rest(&queue) == [.close(one)])
    }

    @Test("Pages are compared after they were opened, before pictures; not after the end")
    func comparison() {
        var queue = DocumentQueue()
        queue.add([.draw(one, page(1)), .compare(one)])
        #expect(rest(&queue) == [.compare(one), .draw(one, page(1))])
        queue.add([.compare(one), .compare(other), .close(one)])
        #expect(rest(&queue) == [.close(one), .compare(other)])
    }

    @Test("A page that is asked for again is drawn once, in the last size, and only the last part is drawn")
    func stale() {
        var queue = DocumentQueue()
        queue.add([.draw(one, page(1)), .draw(one, page(2)), .draw(one, part(1, 0))])
        queue.add([.draw(one, part(2, 0))])
        queue.add([.draw(one, page(2, width: 300)), .draw(one, part(2, 20))])
        #expect(rest(&queue) == [.draw(one, page(2, width: 300)), .draw(one, part(2, 20)), .draw(one, page(1))])
        // A reader who scrolls for hours does not fill the memory.
        for number in 0..<1000 { queue.add([.draw(one, page(number % 3)), .draw(one, part(1, number % 40))]) }
        #expect(rest(&queue).count == 4)
    }

    @Test("A capture that has ended leaves nothing to do")
    func close() {
        var queue = DocumentQueue()
        let call = CaptureCall(request: CaptureRequest(prompt: ["a"]))
        queue.add([.open(one, call, date: ""), .draw(one, page(1))])
        queue.add([.draw(other, page(1)), .close(one), .open(other, call, date: "")])
        #expect(rest(&queue) == [.close(one), .open(other, call, date: ""), .draw(other, page(1))])
    }
}
