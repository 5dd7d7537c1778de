// SPDX-License-Identifier: Apache-2.0
import Capture
import Configuration
import Control
import Linux
import Pages
import Record
import Text

/// Writes prompt, signer and date of a record under its picture, in the words of a pad.
struct RecordCaptions: CaptionPainter {
    var messages = MessageTable(.english)
    var dateFormat = DateFormat.iso8601

    func png(
        of picture: CapturePicture, of record: CaptureRecord, isTransparent: Bool
    ) throws(CaptionError) -> [UInt8] {
        let header = record.header
        let caption = CaptionedPicture.Caption(
            prompt: header.request.prompt, signer: header.request.signer.map { messages.text(.signer, of: $0) },
            date: dateFormat.text(LocalTime(microseconds: header.startedAt)), direction: messages.direction)
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
}
