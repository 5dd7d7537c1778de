// SPDX-License-Identifier: Apache-2.0
import Pad
import Configuration
import Formats
import Linux
import Raster
import Record

/// The pad's words and its idle page, read from where the configuration says they are.
struct PadContent {
    enum IdlePage: Equatable, Sendable {
        /// Lines, separated by line feeds.
        case text(String)
        case picture(Picture)
    }

    let messages: MessageTable
    let idle: IdlePage

    /// Reads files and waits for them.
    /// - Throws: ``CommandError``.
    init(_ pad: Configuration.Pad) throws(CommandError) {
        messages = try Self.messages(pad)
        idle = try Self.picture(pad).map { .picture($0) } ?? .text(pad.idleText ?? messages[.idle])
    }

    /// The language's, with those of the file that the configuration names.
    static func messages(_ pad: Configuration.Pad) throws(CommandError) -> MessageTable {
        let messages = MessageTable(pad.language)
        guard let path = pad.messages else { return messages }
        // All messages at their longest are a tenth of this.
        let bytes = try Self.read(path, maximumByteCount: 1 << 18)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .wrongConfiguration("\(path): this is not text in UTF-8")
        }
        do throws(MessageError) {
            return try MessageTable(parsing: text, fallback: messages)
        } catch {
            throw .wrongConfiguration("\(path): \(error)")
        }
    }

    /// Nil when the configuration names none.
    static func picture(_ pad: Configuration.Pad) throws(CommandError) -> Picture? {
        guard let path = pad.idlePicture else { return nil }
        let bytes = try Self.read(path, maximumByteCount: PNGDecoder.maximumByteCount)
        do throws(PNGError) {
            return try PNGDecoder.decode(bytes)
        } catch {
            throw .wrongConfiguration("\(path): \(error)")
        }
    }

    private static func read(_ path: String, maximumByteCount: Int) throws(CommandError) -> [UInt8] {
        let bytes: [UInt8]?
        do throws(Errno) {
            bytes = try InputFile.read(path, maximumByteCount: maximumByteCount)
        } catch {
            throw .cannotRead(path, error)
        }
        guard let bytes else {
            throw .wrongConfiguration("\(path) has more than \(maximumByteCount) bytes, too many for what it should be")
        }
        return bytes
    }
}
