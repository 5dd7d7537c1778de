// SPDX-License-Identifier: Apache-2.0
import Glibc
import Pad

extension SpeechTone {
    private static let rate = 22_050

    /// A WAV file (RIFF, PCM of 16 bits): two rising notes where the field is, one low note beyond its edge.
    func sound(_ volume: SpeechVolume) -> [UInt8] {
        let notes: [Double] = self == .field ? [660, 880] : [330]
        let amplitude = 12_000 / Double(1 << (SpeechVolume.allCases.count - 1 - volume.rawValue))
        let count = Self.rate * 7 / 100
        let samples = notes.flatMap { note in
            (0..<count).map { index in
                // Rises and falls in a hundredth of a second: an abrupt tone clicks.
                let edge = min(1, Double(min(index, count - 1 - index)) / Double(Self.rate / 100))
                return Int16(amplitude * edge * sin(2 * .pi * note * Double(index) / Double(Self.rate)))
            }
        }
        let size = samples.count * 2
        func bytes(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 0xFF) } }
        var file = Array("RIFF".utf8) + bytes(36 + size, 4) + Array("WAVEfmt ".utf8)
        file += bytes(16, 4) + bytes(1, 2) + bytes(1, 2) + bytes(Self.rate, 4) + bytes(2 * Self.rate, 4)
        file += bytes(2, 2) + bytes(16, 2) + Array("data".utf8) + bytes(size, 4)
        for sample in samples { file += bytes(Int(UInt16(bitPattern: sample)), 2) }
        return file
    }
}
