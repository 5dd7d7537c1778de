// SPDX-License-Identifier: Apache-2.0
import CExpat

/// What an ``XMLReader`` finds, in the order of the document. Names are without a namespace's prefix.
protocol XMLReaderDelegate: AnyObject {
    func begin(_ element: String, _ attributes: [String: String]) throws(ImportError)
    /// May come in several parts.
    func text(_ bytes: UnsafeBufferPointer<UInt8>) throws(ImportError)
    func end(_ element: String) throws(ImportError)
}

/// Reads a document of XML 1.0 from memory, by expat. It never opens a file, and documents that define entities or
/// defaults of attributes, with which a small file grows beyond all memory, are refused.
final class XMLReader {
    /// Of elements in one another; InkML needs ten or so.
    private static let maximumDepth = 100

    private let delegate: any XMLReaderDelegate
    private let parser: XML_Parser
    private var depth = 0
    private var error: ImportError?

    private init(_ delegate: any XMLReaderDelegate, _ parser: XML_Parser) {
        self.delegate = delegate
        self.parser = parser
    }

    /// - Throws: ``ImportError/malformedInkML(_:line:)``, the delegate's too, with the line where it came about.
    static func read(_ bytes: [UInt8], into delegate: any XMLReaderDelegate) throws(ImportError) {
        guard let parser = XML_ParserCreate(nil) else { throw .malformedInkML("memory ran out", line: nil) }
        defer { XML_ParserFree(parser) }
        let reader = XMLReader(delegate, parser)
        try reader.parse(bytes)
    }

    private func parse(_ bytes: [UInt8]) throws(ImportError) {
        // Not retained: the reader lives until the parser is done.
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(
            parser,
            { context, name, attributes in XMLReader.of(context).begin(name!, attributes!) },
            { context, name in XMLReader.of(context).end(name!) })
        XML_SetCharacterDataHandler(parser) { context, start, count in
            let bytes = UnsafeRawBufferPointer(start: start, count: Int(count))
            XMLReader.of(context).act { reader throws(ImportError) in
                try reader.delegate.text(bytes.assumingMemoryBound(to: UInt8.self))
            }
        }
        XML_SetEntityDeclHandler(parser) { context, _, _, _, _, _, _, _, _ in
            XMLReader.of(context).act { reader throws(ImportError) in
                throw .malformedInkML("it defines entities, which InkML does not need", line: reader.line)
            }
        }
        // A default of an attribute, stated once, would be a string of each element that leaves it out.
        XML_SetAttlistDeclHandler(parser) { context, _, _, _, _, _ in
            XMLReader.of(context).act { reader throws(ImportError) in
                throw .malformedInkML("it declares attributes (ATTLIST), which InkML does not need", line: reader.line)
            }
        }
        // The caller's limit on files keeps it far below what the count can hold.
        let status = bytes.withUnsafeBytes {
            XML_Parse(parser, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: $0.count), 1)
        }
        if let error { throw error }
        guard status == XML_STATUS_OK else {
            let reason = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "unknown error"
            throw .malformedInkML("the XML is cut or malformed (\(reason))", line: line)
        }
    }

    private var line: Int { Int(XML_GetCurrentLineNumber(parser)) }

    private static func of(_ context: UnsafeMutableRawPointer?) -> XMLReader {
        Unmanaged<XMLReader>.fromOpaque(context!).takeUnretainedValue()
    }

    private func begin(
        _ name: UnsafePointer<CChar>, _ list: UnsafeMutablePointer<UnsafePointer<CChar>?>
    ) {
        act { reader throws(ImportError) in
            reader.depth += 1
            if reader.depth > Self.maximumDepth {
                throw .malformedInkML("elements lie more than \(Self.maximumDepth) deep", line: nil)
            }
            // Names and values in turn, until nil.
            var attributes: [String: String] = [:]
            var index = 0
            while let name = list[index], let value = list[index + 1] {
                attributes[String(cString: name)] = String(cString: value)
                index += 2
            }
            try reader.delegate.begin(Self.localName(name), attributes)
        }
    }

    private func end(_ name: UnsafePointer<CChar>) {
        act { reader throws(ImportError) in
            reader.depth -= 1
            try reader.delegate.end(Self.localName(name))
        }
    }

    private static func localName(_ name: UnsafePointer<CChar>) -> String {
        let name = String(cString: name)
        return name.lastIndex(of: ":").map { String(name[name.index(after: $0)...]) } ?? name
    }

    /// Errors must not cross C: the first one stops the parser and is thrown afterwards. Some handlers are called once
    /// more before it has stopped.
    private func act(_ body: (XMLReader) throws(ImportError) -> Void) {
        if error != nil { return }
        do throws(ImportError) {
            try body(self)
        } catch {
            self.error = error.inLine(line)
            XML_StopParser(parser, 0)
        }
    }
}
