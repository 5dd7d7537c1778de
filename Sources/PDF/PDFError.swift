// SPDX-License-Identifier: Apache-2.0
public import Document

/// Why a document is refused, or something cannot be done with it.
public enum PDFError: Error, Equatable, Sendable, CustomStringConvertible {
    case encrypted
    /// Readers would have to guess what the file means; they would not all guess the same.
    case damaged(reason: String)
    /// poppler cannot draw the document anew as it is.
    case undrawn(reason: String)
    /// The file is of another kind.
    case noPDF
    /// The form is one of the XML Forms Architecture, which is shown instead of the pages where a viewer knows it.
    case xfa
    /// The file is longer than ``PDFLimits/byteCount``.
    case tooLarge(byteCount: Int)
    case noPages
    /// There are more pages than ``PDFLimits/pages``.
    case tooManyPages
    /// A side of a page is longer than ``PDFLimits/pageSide``.
    case pageTooLarge(page: Int)
    /// There are more objects, fields or names than this program looks at.
    case tooComplex(reason: String)
    /// - Parameter page: the number that was asked for, from 1.
    case noPage(Int)
    case fieldNotFound(name: String)
    /// A field cannot be made, filled or signed.
    case field(name: String, reason: String)
    /// The document's signatures do not let anything be added.
    case changesForbidden(reason: String)
    /// A program that is needed is not installed.
    case missingProgram(name: String, package: String)
    /// Something took longer than it may.
    case tooSlow(doing: String)
    /// A picture cannot become a page.
    /// - Parameter number: from 1.
    case picture(_ number: Int, reason: String)
    /// - Parameters:
    ///   - doing: what failed, after "cannot".
    ///   - reason: the library's or the program's words.
    case failed(doing: String, reason: String)

    /// Drawing the document anew makes a plain one, as poppler reads it. Rewriting it with qpdf would keep its faults.
    private static let remedy = "flatten it: inkpanel document flatten IN OUT"

    public var description: String {
        switch self {
        case .encrypted: "the document is encrypted: send it without a password"
        case .damaged(let reason): "the document is damaged (\(reason)): \(Self.remedy)"
        case .undrawn(let reason): "the document cannot be flattened: \(reason)"
        case .noPDF: "the document is damaged, or no PDF, PNG or JPEG file: convert it"
        case .xfa: "the document has an XFA form, which viewers show differently: print it to a PDF without a form"
        case .tooLarge(let count):
            "the document has \(count) bytes, more than \(PDFLimits.byteCount): make its pictures smaller"
        case .noPages: "the document has no pages"
        case .tooManyPages: "the document has more than \(PDFLimits.pages) pages: split it"
        case .pageTooLarge(let page):
            "page \(page) is longer than \(Int(PDFLimits.pageSide / 72)) inches (5.08 m): make it smaller"
        case .tooComplex(let reason): "the document is too complex (\(reason)): \(Self.remedy)"
        case .noPage(let page): "the document has no page \(page)"
        case .fieldNotFound(let name): "the document has no field \"\(name)\" that can be used so"
        case .field(let name, let reason): "the field \"\(name)\" cannot be used: \(reason)"
        case .changesForbidden(let reason):
            "nothing can be added to the document: \(reason): send one that is signed less strictly"
        case .missingProgram(let name, let package): "the program \(name) is missing: install \(package)"
        case .tooSlow(let action): "it takes too long to \(action): the page is too complex for this machine"
        case .picture(let number, let reason): "picture \(number) cannot be shown: \(reason)"
        case .failed(let action, let reason): "cannot \(action): \(reason)"
        }
    }
}

extension PDFError {
    /// The error as the helper answers it.
    public var fault: DocumentFault {
        let name: DocumentFault.Name =
            switch self {
            case .encrypted: .encrypted
            case .damaged, .noPDF, .undrawn: .damaged
            case .xfa: .xfa
            case .tooLarge: .tooLarge
            case .noPages: .noPages
            case .tooManyPages: .tooManyPages
            case .pageTooLarge: .pageTooLarge
            case .tooComplex: .tooComplex
            case .noPage: .noPage
            case .fieldNotFound: .fieldNotFound
            case .field: .field
            case .changesForbidden: .changesForbidden
            case .missingProgram: .missingProgram
            case .tooSlow: .tooSlow
            case .picture: .picture
            case .failed: .failed
            }
        return DocumentFault(name, description)
    }
}

/// Limits of what is read. They keep time and memory bounded for files that were made to be costly.
public enum PDFLimits {
    public static let byteCount = HelperLimits.document
    public static let pages = HelperLimits.pages
    /// The longest side of a page, in points: 200 inches, as viewers allow it (ISO 32000-1, C.2).
    public static let pageSide = 14_400.0
    /// The most objects that are looked at; those within others count, too.
    static let objects = 2_000_000
    /// The most objects that wait to be looked at; libqpdf needs about 200 bytes for each.
    static let waitingObjects = 400_000
    /// The most annotations of all pages.
    static let annotations = 100_000
    /// The most levels of the trees of pages and of fields.
    static let depth = 64
}
