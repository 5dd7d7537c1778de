// SPDX-License-Identifier: Apache-2.0
import Control
package import Formats
import HostAPI
package import Pad
import Pages
package import Record

/// Adds a caption with prompt, rows, signer and date to a record's picture, in the language of the pad. The date is the
/// record's own, independent of this machine's time zone.
package struct RecordCaptions: Sendable {
    private let messages: MessageTable

    package init(messages: MessageTable = MessageTable(.english)) { self.messages = messages }

    package func png(
        of picture: CapturePicture, of record: CaptureRecord, isTransparent: Bool
    ) throws(CaptionError) -> [UInt8] {
        let caption = caption(of: record)
        let fonts: Fonts
        do throws(TextError) { fonts = try Fonts() } catch { throw CaptionError(error.description) }
        do throws(ExportError) {
            let captioned = try CaptionedPicture(
                of: picture, caption: caption, isTransparent: isTransparent, fonts: fonts)
            return try captioned.png()
        } catch {
            throw CaptionError(error.description)
        }
    }

    func caption(of record: CaptureRecord) -> CaptionedPicture.Caption {
        let header = record.header
        let rows = header.request.rows ?? []
        return CaptionedPicture.Caption(
            notice: record.isAccepted ? nil : messages[.notAccepted],
            prompt: (header.request.prompt + rows.map(\.line)).map(\.withoutHiddenCharacters),
            signer: header.request.signer.map { messages.text(.signer, of: $0.withoutHiddenCharacters) },
            date: header.shownDate, direction: messages.direction)
    }
}
