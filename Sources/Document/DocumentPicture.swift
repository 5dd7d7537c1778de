// SPDX-License-Identifier: Apache-2.0

/// Pictures in place of a PDF file: PNG and JPEG files, one after the other, each of them a page.
public enum DocumentPicture {
    /// How a PNG file begins (ISO/IEC 15948, 5.2), and a JPEG file (ITU-T T.81, B.1.1.3).
    package static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    package static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF]

    /// Whether a document is pictures: a PDF file begins otherwise.
    public static func begins(_ document: [UInt8]) -> Bool {
        document.starts(with: png) || document.starts(with: jpeg)
    }
}
