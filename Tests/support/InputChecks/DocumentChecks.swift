// SPDX-License-Identifier: Apache-2.0
import Document
import Geometry
import PDF

/// Checks what is read of documents, and what the program that reads them and the pad say to each other.
enum DocumentChecks {
    /// Facts of any document are such as the pad reads.
    static func check(_ bytes: [UInt8]) throws(CheckedInput.Fault) -> Bool {
        let facts: DocumentFacts
        do throws(PDFError) { facts = try PDFInspection.facts(of: bytes) } catch {
            try require(!error.fault.reason.isEmpty, "a refusal without words")
            return false
        }
        guard let json = facts.json() else { throw CheckedInput.Fault("facts beyond the limits") }
        let read: DocumentFacts
        do throws(HelperResultFault) { read = try DocumentFacts(json: json) } catch {
            throw CheckedInput.Fault("facts that are not read: \(error)")
        }
        try require(read == facts, "other facts when they are read")
        return true
    }

    /// The document of pictures is one that can be shown, without anything to warn of.
    static func checkPictures(_ bytes: [UInt8]) throws(CheckedInput.Fault) -> Bool {
        let document: [UInt8]
        do throws(PDFError) { document = try PicturePages.document(of: bytes) } catch {
            try require(!error.fault.reason.isEmpty, "a refusal without words")
            return false
        }
        guard let facts = try? PDFInspection.facts(of: document) else {
            throw CheckedInput.Fault("a document of pictures that is refused")
        }
        try require(facts.fields.isEmpty && facts.warnings.isEmpty, "a document of pictures that has more in it")
        let isA4 = facts.pages.allSatisfy { abs(max($0.width, $0.height) - 842) < 1 }
        try require(isA4 && (try? PicturePages.document(of: bytes)) == document, "another page, or other bytes")
        return true
    }

    static func checkRequest(_ bytes: [UInt8]) throws(CheckedInput.Fault) -> Bool {
        guard let request = try? HelperRequest(line: bytes) else { return false }
        guard let line = try? request.line(), let again = try? HelperRequest(line: line.dropLast()) else {
            throw CheckedInput.Fault("a request that is not written, or not read again")
        }
        try require(again == request, "another request when it is read again")
        try require(request.longestAnswer <= 64 << 20, "a request for a very long answer")
        return true
    }

    /// The first line, and what follows it as each of the results.
    static func checkAnswer(_ bytes: [UInt8]) throws(CheckedInput.Fault) -> Bool {
        guard let answer = try? HelperAnswer.read(bytes, longest: HelperLimits.facts) else { return false }
        switch answer {
        case .failure(let fault):
            try require(fault.reason.unicodeScalars.count <= 500, "a long reason")
            return true
        case .success(let body):
            let size = PixelSize(width: 2, height: 1)
            if let picture = try? PagePicture(file: body, size: size) {
                try require(picture.file.count - picture.pixelOffset == 6, "a picture of another size")
                return true
            }
            if let hits = try? DocumentHits(json: body) {
                try require(hits.places.allSatisfy { $0.rectangle.width > 0 }, "a place without a width")
                return true
            }
            guard let facts = try? DocumentFacts(json: body) else { return false }
            try require(facts.fields.allSatisfy { $0.page <= facts.pages.count }, "a field on no page")
            return true
        }
    }
}
