// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import HostAPI

extension ReplyEncoder {
    /// A file as ``GetReply``. A file may have tens of megabytes, and JSONEncoder would need several times that memory.
    static func message(_ file: [UInt8], format: ExportFormat) -> [UInt8] {
        // A record may have been put into the store by another program, and contain anything.
        if format.isText, String(validating: file, as: UTF8.self) == nil {
            return Self.message(Array(String(decoding: file, as: UTF8.self).utf8), format: format)
        }
        var message: [UInt8] = []
        // Base64 adds a third. Texts have few bytes to escape, except those of JSON.
        message.reserveCapacity(file.count + file.count / 3 + 256)
        // The media type comes first, for programs that pass the file on while they read it.
        let member = format.isText ? "text" : "base64"
        message += Array("{\"parameters\":{\"mediaType\":\"\(format.mediaType)\",\"\(member)\":\"".utf8)
        if format.isText {
            appendEscaped(file, to: &message)
        } else {
            // A portion is a multiple of three bytes, which needs no padding.
            for start in stride(from: 0, to: file.count, by: 3 << 16) {
                message += Data(file[start..<min(start + (3 << 16), file.count)]).base64EncodedData()
            }
        }
        message += Array("\"}}".utf8)
        message.append(0)
        return message
    }

    /// - Parameter text: UTF-8.
    private static func appendEscaped(_ text: [UInt8], to message: inout [UInt8]) {
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): message += [UInt8(ascii: "\\"), byte]
            case 0x08: message += Array("\\b".utf8)
            case 0x0C: message += Array("\\f".utf8)
            case UInt8(ascii: "\n"): message += Array("\\n".utf8)
            case UInt8(ascii: "\r"): message += Array("\\r".utf8)
            case UInt8(ascii: "\t"): message += Array("\\t".utf8)
            case 0..<0x20:
                message += Array("\\u00".utf8) + [byte >> 4, byte & 15].map { $0 + ($0 < 10 ? 0x30 : 0x57) }
            default: message.append(byte)
            }
        }
    }
}
