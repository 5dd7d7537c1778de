// SPDX-License-Identifier: Apache-2.0
import Configuration
import Geometry
import Linux
import PNG
import Pad
import Raster
import Record
import TestSupport
import Testing

@testable import inkpanel

@Suite("Content files of the pad")
struct PadContentTests {
    private static func idlePage(_ headline: String, _ line: String) -> Page {
        Page([.text(PageText(headline, .headline)), .text(PageText(line, .body))])
    }

    @Test("without files, the messages are those of the language")
    func shipped() throws {
        var pad = Configuration().pad
        pad.language = .german
        let content = try PadContent(pad)
        #expect(content.messages == MessageTable(.german))
        #expect(content.idle == [Self.idlePage("Willkommen", "Bitte warten Sie auf das Personal.")])
        pad.idleText = "Guten Tag"
        #expect(try PadContent(pad).idle == [.words("Guten Tag")])
        pad.idleText = "Guten Tag\nMontag bis Freitag\n9 bis 17 Uhr"
        #expect(try PadContent(pad).idle == [Self.idlePage("Guten Tag", "Montag bis Freitag\n9 bis 17 Uhr")])
    }

    @Test("a file's messages override the language's, and a picture is decoded")
    func files() throws {
        let directory = try TemporaryDirectory()
        var pad = Configuration().pad
        pad.messages = directory.path + "/fr.messages"
        try AtomicFile.write(Array("idle = Bonjour\n".utf8), to: pad.messages!)
        let content = try PadContent(pad)
        #expect(content.idle == [Self.idlePage("Bonjour", "Please wait for a staff member.")])
        #expect(content.messages[.accept] == "Accept")
        let path = directory.path + "/idle.png"
        let pixels = PixelBuffer(size: PixelSize(width: 3, height: 2))
        pixels.surface.fill(pixels.surface.bounds, with: Color(red: 1, green: 2, blue: 3))
        try AtomicFile.write(try PNGEncoder.encode(pixels.surface), to: path)
        let picture = Picture(
            size: PixelSize(width: 3, height: 2), pixels: [UInt32](repeating: 0xFF01_0203, count: 6))
        pad.idlePictures = [path, path]
        #expect(try PadContent(pad).idle == [Page([.picture(picture)]), Page([.picture(picture)])])
        pad.idlePictures = []
        pad.logo = path
        var elements: [PageElement] = [.logo(picture)]
        elements += Self.idlePage("Bonjour", "Please wait for a staff member.").elements
        #expect(try PadContent(pad).idle == [Page(elements)])
    }

    @Test("the error for an invalid file names it")
    func refused() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/file"
        var words = Configuration().pad
        words.messages = path
        var picture = Configuration().pad
        picture.idlePictures = [path]
        func failure(_ pad: Configuration.Pad) -> CommandError? { thrownError { try PadContent(pad) } as? CommandError }
        #expect(failure(words)?.status == 66 && failure(picture)?.status == 66)
        try AtomicFile.write(Array("idle\n".utf8), to: path)
        #expect(failure(words)?.message == "\(path): line 1: expected key = text")
        #expect(failure(words)?.status == 78)
        #expect(failure(picture)?.message.hasPrefix("\(path): this PNG cannot be read") == true)
        try AtomicFile.write([0xFF, 0xFE], to: path)
        #expect(failure(words)?.message == "\(path): the file is not UTF-8 text")
    }
}
