// SPDX-License-Identifier: Apache-2.0
import Geometry
import Glibc

/// An 8-bit picture as a binary PGM file (P5), which needs no decoder.
struct GrayImage: Equatable {
    var size: PixelSize
    var bytes: [UInt8]

    init(size: PixelSize, bytes: [UInt8]) {
        self.size = size
        self.bytes = bytes
    }

    /// Reads what ``write(to:)`` wrote; nil for anything else.
    init?(path: String) {
        guard let file = fopen(path, "rb") else { return nil }
        defer { fclose(file) }
        var content = [UInt8](repeating: 0, count: 1 << 20)
        content.removeLast(content.count - fread(&content, 1, content.count, file))
        // "P5", width, height and 255, each ended by one white-space character.
        var fields: [Int] = []
        var index = 3
        while fields.count < 3, index < content.count {
            var number = 0
            while index < content.count, let digit = Character(UnicodeScalar(content[index])).wholeNumberValue {
                number = number * 10 + digit
                index += 1
            }
            fields.append(number)
            index += 1
        }
        guard content.starts(with: Array("P5".utf8)), fields.count == 3, fields[2] == 255,
            content.count - index == fields[0] * fields[1]
        else { return nil }
        size = PixelSize(width: fields[0], height: fields[1])
        bytes = Array(content[index...])
    }

    /// Whether the file was written.
    func write(to path: String) -> Bool {
        guard let file = fopen(path, "wb") else { return false }
        let content = Array("P5\n\(size.width) \(size.height)\n255\n".utf8) + bytes
        let written = fwrite(content, 1, content.count, file)
        return fclose(file) == 0 && written == content.count
    }
}
