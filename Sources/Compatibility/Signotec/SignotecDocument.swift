// SPDX-License-Identifier: Apache-2.0
import Document
import Foundation
import Geometry
import HostAPI
import PNG

extension SignotecDisplay.Document {
    /// The white page that follows a picture: a field on the picture could hide what it shows. Pixels.
    private static let whitePage = PixelSize(width: 160, height: 90)
    /// Points of the page that the panel makes of the white picture; its longer side has 842.
    private static let placeToSign = DocumentRectangle(minX: 171, minY: 140, maxX: 671, maxY: 340)

    /// The file that is uploaded.
    /// - Throws: ``PNGError``.
    func bytes() throws(PNGError) -> Data {
        switch self {
        case .picture(let picture):
            picture + (try RunningPicture(size: Self.whitePage, isTransparent: false).png())
        case .pdf(let file): file
        }
    }

    /// How people read and sign it, without an id. They see all of it, as they do on a pad that shows it at once; where
    /// they cannot sign in a file, it is refused.
    var reading: ReadDocument {
        let fields: [RequestedField] =
            switch self {
            case .picture: [RequestedField(place: .rectangle(page: 2, Self.placeToSign))]
            // The file's own signature fields.
            case .pdf: []
            }
        return ReadDocument(id: "", fields: fields, policy: ReadingPolicy(mustSeeAllPages: true), signed: true)
    }
}

/// The parts of a PNG file (ISO/IEC 15948, 5). This process opens no pictures of others: `inkpanel-document` does.
struct PNGStructure {
    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    /// Bytes of a chunk's length, type and check, and of the first chunk.
    private static let (frame, head) = (12, 13)

    let size: PixelSize

    /// - Returns: nil if it is no PNG file, or more than one: what follows would be another page.
    init?(_ file: Data) {
        let bytes = [UInt8](file)
        func number(at place: Int) -> Int { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
        guard bytes.starts(with: Self.signature) else { return nil }
        var (place, size) = (Self.signature.count, PixelSize?.none)
        while bytes.count - place >= Self.frame {
            let (length, type) = (number(at: place), bytes[place + 4..<place + 8])
            guard length <= bytes.count - place - Self.frame else { return nil }
            if size == nil {
                guard type.elementsEqual("IHDR".utf8), length == Self.head else { return nil }
                size = PixelSize(width: number(at: place + 8), height: number(at: place + 12))
            }
            place += Self.frame + length
            if type.elementsEqual("IEND".utf8) { break }
        }
        guard let size, place == bytes.count, bytes.suffix(8).starts(with: "IEND".utf8) else { return nil }
        self.size = size
    }
}
