// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing
import Virtual
import VirtualFixtures

@Suite("Messages of a virtual panel's client")
struct ClientMessageTests {
    private func sample(_ random: inout SeededGenerator) -> PointerSample {
        let kind = PointerSample.Kind.allCases.randomElement(using: &random)!
        let measures = kind != .mouse && Bool.random(using: &random)
        return PointerSample(
            microseconds: .random(in: 0...PointerSample.latest, using: &random),
            contact: .random(in: 0 ... .max, using: &random), kind: kind,
            phase: PointerSample.Phase.allCases.randomElement(using: &random)!,
            x: .random(in: 0 ... .max, using: &random), y: .random(in: 0 ... .max, using: &random),
            pressure: measures ? .random(in: 0 ... .max, using: &random) : nil)
    }

    @Test("are read as they were written, in pieces of any size", arguments: 0..<40)
    func roundTrip(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let sent: [ClientMessage] = (0..<10).map { _ in
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1: return .shown(frame: .random(in: 0 ... .max, using: &random), microseconds: 7)
            case 2: return .describe
            case 3:
                let page = UInt32.random(in: 0 ... .max, using: &random)
                return .act(.press(page: page, control: .random(in: 0 ... .max, using: &random)))
            case 4: return .act(.move(.random(in: VirtualAct.steps, using: &random)))
            default: break
            }
            let count = [1, 2, 30, ClientMessageParser.sampleLimit].randomElement(using: &random)!
            return .samples((0..<count).map { _ in sample(&random) })
        }
        var rest = sent.flatMap(\.bytes)[...]
        var parser = ClientMessageParser()
        var received: [ClientMessage] = []
        while !rest.isEmpty {
            let piece = rest.prefix(.random(in: 1...9000, using: &random))
            parser.append(piece)
            rest = rest.dropFirst(piece.count)
            while let message = try parser.next() { received.append(message) }
        }
        #expect(received == sent)
    }

    private func fault(_ bytes: [UInt8]) -> VirtualFault? {
        var parser = ClientMessageParser()
        parser.append(bytes[...])
        do throws(VirtualFault) { _ = try parser.next() } catch { return error }
        return nil
    }

    @Test("are refused by their first eight bytes if they cannot be right")
    func header() {
        #expect(fault([0, 0, 0, 0, 0, 0, 0, 0]) == .unknownMessage(kind: 0))
        #expect(fault([6, 0, 0, 0, 8, 0, 0, 0]) == .unknownMessage(kind: 6))
        #expect(fault([3, 0, 0, 0, 8, 0, 0, 0]) == .wrongLength(kind: 3, length: 8))
        #expect(fault([4, 0, 0, 0, 4, 0, 0, 0]) == .wrongLength(kind: 4, length: 4))
        for step: UInt8 in [0, 12] {
            #expect(fault([5, 0, 0, 0, 4, 0, 0, 0, step, 0, 0, 0]) == .unknownStep(UInt32(step)))
        }
        #expect(fault([1, 0, 0, 0, 15, 0, 0, 0]) == .wrongLength(kind: 1, length: 15))
        #expect(fault([2, 0, 0, 0, 0, 0, 0, 0]) == .wrongLength(kind: 2, length: 0))
        #expect(fault([2, 0, 0, 0, 25, 0, 0, 0]) == .wrongLength(kind: 2, length: 25))
        #expect(fault([2, 0, 0, 0, 24, 24, 0, 0]) == .wrongLength(kind: 2, length: 6168))
        #expect(fault([2, 0, 0, 0, 255, 255, 255, 255]) == .wrongLength(kind: 2, length: .max))
        #expect(fault([2, 0, 0, 0, 0, 24, 0, 0]) == nil)
        #expect(fault([1, 0, 0]) == nil)
    }

    @Test("are refused if a field has a value that it cannot have")
    func fields() {
        let good = ClientMessage.samples([
            PointerSample(microseconds: 1, contact: 2, kind: .pen, phase: .move, x: 3, y: 4, pressure: 5)
        ]).bytes
        #expect(fault(good) == nil)
        func changed(_ place: Int, to value: UInt8) -> VirtualFault? {
            var bytes = good
            bytes[8 + place] = value
            return fault(bytes)
        }
        for value: UInt8 in [0, 4, 255] { #expect(changed(4, to: value) == .wrongSample(field: "kind")) }
        for value: UInt8 in [0, 5, 255] { #expect(changed(5, to: value) == .wrongSample(field: "phase")) }
        // A mouse with a pressure, a flag that is neither, a pressure that is not measured.
        #expect(changed(4, to: 1) == .wrongSample(field: "pressure"))
        #expect(changed(6, to: 2) == .wrongSample(field: "pressure"))
        #expect(changed(6, to: 0) == .wrongSample(field: "pressure"))
        #expect(changed(7, to: 1) == .unusedField(kind: 2))
        #expect(changed(23, to: 1) == .unusedField(kind: 2))
        #expect(changed(15, to: 0x80) == .wrongTime)
        #expect(changed(14, to: 0x21) == .wrongTime)
        var shown = ClientMessage.shown(frame: 1, microseconds: PointerSample.latest).bytes
        #expect(fault(shown) == nil)
        shown[8 + 8] = 1
        #expect(fault(shown) == .wrongTime)
        shown[8 + 8] = 0
        shown[8 + 4] = 1
        #expect(fault(shown) == .unusedField(kind: 1))
    }
}
