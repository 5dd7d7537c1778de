// SPDX-License-Identifier: Apache-2.0
import CExpat

/// The strokes of an InkML document and the elements that describe them. Elements may come after the traces that refer
/// to them, so references are resolved at the end.
final class InkMLDocument {
    struct Context {
        var contextRef, formatRef, sourceRef: String?
        var format: InkMLFormat?
        var source: InkMLSource?
    }

    enum ContextChoice: Hashable {
        /// Named by the trace or by one of its groups.
        case named(String)
        /// The last one beside the traces, by number.
        case current(Int)
    }

    struct Trace {
        var id: String?
        var context: ContextChoice
        /// Continues the trace `priorRef`, or the previous one.
        var isContinuation: Bool
        var priorRef: String?
        var bytes: [UInt8] = []
    }

    private(set) var formats: [String: InkMLFormat] = [:]
    private(set) var sources: [String: InkMLSource] = [:]
    private(set) var contexts: [String: Context] = [:]
    /// The contexts beside the traces; the first one is the default of InkML.
    private(set) var currentContexts = [Context()]
    /// The traces of ink, without those in the air.
    private(set) var traces: [Trace] = []

    /// The maximum size of a name, because names are hashed for each trace.
    private static let longestName = 1024
    /// The maximum number of channels of a trace format. Digitizers have about ten.
    private static let mostChannels = 64

    private var traceIDs: Set<String> = []
    private var path: [String] = []
    /// The depth of an element with content of other languages.
    private var foreignDepth: Int?
    private var groupContexts: [String?] = []
    private var format: (id: String?, InkMLFormat)?
    private var source: (id: String?, InkMLSource)?
    private var context: (id: String?, Context)?
    private var trace: Trace?

    init(_ bytes: [UInt8]) throws(ImportError) { try XMLReader.read(bytes, into: self) }

    // MARK: the elements in the order of the document, without prefixes of namespaces

    fileprivate func begin(_ element: String, _ attributes: [String: String]) throws(ImportError) {
        defer { path.append(element) }
        if path.isEmpty, element != "ink" {
            throw .malformedInkML("the document is <\(element)>, not InkML's <ink>", line: nil)
        }
        if foreignDepth != nil { return }
        let id = attributes["xml:id"] ?? attributes["id"]
        for name in ["xml:id", "id", "contextRef", "traceFormatRef", "inkSourceRef", "priorRef"] {
            if let value = attributes[name], value.utf8.count > Self.longestName {
                throw .malformedInkML("\(name) has more than \(Self.longestName) bytes", line: nil)
            }
        }
        func reference(_ name: String) -> String? {
            // References lead only to the same document, whatever precedes the fragment.
            attributes[name].map { String($0.split(separator: "#", omittingEmptySubsequences: false).last ?? "") }
        }
        switch element {
        case "annotationXML": foreignDepth = path.count
        case "traceFormat": format = (id, InkMLFormat())
        case "channel":
            guard format != nil else { break }
            guard let channel = InkMLChannel(attributes) else {
                throw .malformedInkML("a channel has no name", line: nil)
            }
            guard format!.1.channels.count < Self.mostChannels else {
                throw .malformedInkML("a trace format has more than \(Self.mostChannels) channels", line: nil)
            }
            format!.1.channels.append(channel)
            if path.last != "intermittentChannels" { format!.1.regularCount = format!.1.channels.count }
        case "inkSource": source = (id, InkMLSource())
        case "sampleRate":
            if let rate = attributes["value"].flatMap(Double.init), rate > 0, rate.isFinite {
                source?.1.sampleRate = rate
            }
        case "channelProperty":
            guard attributes["name"] == "resolution", let channel = attributes["channel"],
                let value = attributes["value"].flatMap(Double.init), value > 0, value.isFinite
            else { break }
            source?.1.resolutions[channel] = InkMLResolution(value: value, units: attributes["units"] ?? "")
        case "context":
            context = (
                id,
                Context(
                    contextRef: reference("contextRef"), formatRef: reference("traceFormatRef"),
                    sourceRef: reference("inkSourceRef"))
            )
        case "traceGroup": groupContexts.append(reference("contextRef"))
        case "trace":
            if path.contains("definitions") || attributes["type"] == "penUp" { break }
            let named = reference("contextRef") ?? groupContexts.last { $0 != nil } ?? nil
            let continuation = attributes["continuation"]
            trace = Trace(
                id: id, context: named.map { .named($0) } ?? .current(currentContexts.count - 1),
                isContinuation: continuation == "middle" || continuation == "end", priorRef: reference("priorRef"))
        default: break
        }
    }

    /// A text may come in several parts.
    fileprivate func text(_ bytes: UnsafeBufferPointer<UInt8>) throws(ImportError) {
        if path.last == "trace" { trace?.bytes.append(contentsOf: bytes) }
    }

    fileprivate func end(_ element: String) throws(ImportError) {
        path.removeLast()
        if let depth = foreignDepth {
            if path.count == depth { foreignDepth = nil }
            return
        }
        switch element {
        case "traceFormat": try endFormat()
        case "inkSource": try endSource()
        case "context": try endContext()
        case "traceGroup": groupContexts.removeLast()
        case "trace":
            if let id = trace?.id, !traceIDs.insert(id).inserted { throw Self.twice("traces", id) }
            if let trace { traces.append(trace) }
            trace = nil
        default: break
        }
    }

    private static func twice(_ elements: String, _ id: String) -> ImportError {
        .malformedInkML("two \(elements) have the id \(id)", line: nil)
    }

    private func endFormat() throws(ImportError) {
        guard let (id, format) = format.take() else { return }
        if let id, formats.updateValue(format, forKey: id) != nil { throw Self.twice("trace formats", id) }
        if source != nil {
            source!.1.format = format
        } else if context != nil {
            context!.1.format = format
        } else if path.last == "ink" {
            // The Recommendation does not have it here, but many files do.
            currentContexts.append(Context(format: format))
        }
    }

    private func endSource() throws(ImportError) {
        guard let (id, source) = source.take() else { return }
        if let id, sources.updateValue(source, forKey: id) != nil { throw Self.twice("ink sources", id) }
        if context != nil {
            context!.1.source = source
        } else if path.last == "ink" {
            currentContexts.append(Context(source: source))
        }
    }

    private func endContext() throws(ImportError) {
        guard let (id, context) = context.take() else { return }
        if let id, contexts.updateValue(context, forKey: id) != nil { throw Self.twice("contexts", id) }
        if !path.contains("definitions") { currentContexts.append(context) }
    }
}

/// The meaning of the values of a trace.
struct InkMLLayout {
    let format: InkMLFormat
    let x, y: Int
    let force, time: Int?
    let unit: ImportedInk.Unit
    /// Converts values to ``unit``.
    let xScale, yScale: Double
    /// Converts values to milliseconds.
    let timeScale: Double
    /// Samples per second, if known.
    let sampleRate: Double?

    var forceChannel: InkMLChannel? { force.map { format.channels[$0] } }

    init(_ format: InkMLFormat, _ source: InkMLSource?) throws(ImportError) {
        func index(_ name: String) -> Int? { format.channels.firstIndex { $0.name == name } }
        guard let x = index("X"), let y = index("Y") else {
            throw .malformedInkML("a trace format has no channels X and Y", line: nil)
        }
        // Otherwise a file of commas would have a sample per byte.
        guard x < format.regularCount, y < format.regularCount else {
            throw .malformedInkML("a trace format has X or Y among its intermittent channels", line: nil)
        }
        (self.format, self.x, self.y, force, time) = (format, x, y, index("F"), index("T"))
        let (xUnit, xScale) = try InkMLScale.position(format.channels[x], source)
        let (yUnit, yScale) = try InkMLScale.position(format.channels[y], source)
        guard xUnit == yUnit else {
            throw .malformedInkML("the channels X and Y of a trace format have different kinds of units", line: nil)
        }
        (unit, self.xScale, self.yScale) = (xUnit, xScale, yScale)
        if let time {
            timeScale = try InkMLScale.milliseconds(format.channels[time], source)
        } else {
            timeScale = 1
        }
        sampleRate = source?.sampleRate
    }
}

extension InkMLDocument {
    /// Limits chains of contexts, which are followed for each trace.
    private static var mostReferences: Int { 32 }

    /// - Throws: ``ImportError/malformedInkML(_:line:)`` for an unknown name and for contexts in a circle.
    func layout(of choice: ContextChoice) throws(ImportError) -> InkMLLayout {
        var context: Context
        switch choice {
        case .current(let number): context = currentContexts[number]
        case .named(let name): context = try find(name, "contextRef", in: contexts) ?? Context()
        }
        var (format, source): (InkMLFormat?, InkMLSource?) = (nil, nil)
        // A context inherits from the one that it refers to.
        for _ in 0...Self.mostReferences {
            source = source ?? context.source
            if source == nil, let name = context.sourceRef { source = try find(name, "inkSourceRef", in: sources) }
            format = format ?? context.format
            if format == nil, let name = context.formatRef { format = try find(name, "traceFormatRef", in: formats) }
            format = format ?? source?.format
            guard let next = context.contextRef else { return try InkMLLayout(format ?? .standard, source) }
            context = try find(next, "contextRef", in: contexts) ?? Context()
        }
        throw .malformedInkML(
            "contexts refer to each other in a circle, or more than \(Self.mostReferences) deep", line: nil)
    }

    /// - Returns: nil for the names of the defaults of InkML.
    private func find<Part>(
        _ name: String, _ attribute: String, in parts: [String: Part]
    ) throws(ImportError) -> Part? {
        if let part = parts[name] { return part }
        if ["DefaultContext", "DefaultTraceFormat", "DefaultInkSource"].contains(name) { return nil }
        throw .malformedInkML("\(attribute)=\"#\(name)\" refers to nothing in the file", line: nil)
    }
}

/// One channel of an InkML `traceFormat`.
struct InkMLChannel {
    var name: String
    /// Empty if missing.
    var units: String
    var isInteger: Bool
    /// Whether values grow to the left, or up.
    var isReversed: Bool
    var minimum, maximum: Double?

    init?(_ attributes: [String: String]) {
        guard let name = attributes["name"] else { return nil }
        self.name = name
        units = attributes["units"] ?? ""
        isInteger = attributes["type"]?.lowercased() == "integer"
        isReversed = attributes["orientation"]?.lowercased() == "-ve"
        minimum = attributes["min"].flatMap(Double.init)
        maximum = attributes["max"].flatMap(Double.init)
    }
}

/// The channels of traces, in the order of their values.
struct InkMLFormat {
    var channels: [InkMLChannel] = []
    /// The number of channels that every point has; the rest may be omitted.
    var regularCount = 0

    /// The default of InkML: X and Y.
    static var standard: InkMLFormat {
        InkMLFormat(
            channels: ["X", "Y"].compactMap { InkMLChannel(["name": $0]) }, regularCount: 2)
    }
}

/// The device of an InkML `inkSource`.
struct InkMLSource {
    var format: InkMLFormat?
    /// Samples per second.
    var sampleRate: Double?
    /// The resolutions that the file states, by the name of the channel.
    var resolutions: [String: InkMLResolution] = [:]
}

/// Reads an XML document from memory with expat. It opens no files, and refuses documents that define entities or
/// attribute defaults, with which a small file can exhaust memory.
private final class XMLReader {
    /// The maximum depth of elements; InkML needs about ten.
    private static let maximumDepth = 100

    private let document: InkMLDocument
    private let parser: XML_Parser
    private var depth = 0
    private var error: ImportError?

    private init(_ document: InkMLDocument, _ parser: XML_Parser) {
        self.document = document
        self.parser = parser
    }

    static func read(_ bytes: [UInt8], into document: InkMLDocument) throws(ImportError) {
        guard let parser = XML_ParserCreate(nil) else { throw .malformedInkML("out of memory", line: nil) }
        defer { XML_ParserFree(parser) }
        let reader = XMLReader(document, parser)
        try reader.parse(bytes)
    }

    private func parse(_ bytes: [UInt8]) throws(ImportError) {
        // Not retained: the reader outlives the parser.
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(
            parser,
            { context, name, attributes in XMLReader.of(context).begin(name!, attributes!) },
            { context, name in XMLReader.of(context).end(name!) })
        XML_SetCharacterDataHandler(parser) { context, start, count in
            let bytes = UnsafeRawBufferPointer(start: start, count: Int(count))
            XMLReader.of(context).act { reader throws(ImportError) in
                try reader.document.text(bytes.assumingMemoryBound(to: UInt8.self))
            }
        }
        XML_SetEntityDeclHandler(parser) { context, _, _, _, _, _, _, _, _ in
            XMLReader.of(context).act { reader throws(ImportError) in
                throw .malformedInkML("it defines entities, which InkML does not need", line: reader.line)
            }
        }
        // A default that is stated once would become a string of each element without the attribute.
        XML_SetAttlistDeclHandler(parser) { context, _, _, _, _, _ in
            XMLReader.of(context).act { reader throws(ImportError) in
                throw .malformedInkML("it declares attributes (ATTLIST), which InkML does not need", line: reader.line)
            }
        }
        let status = bytes.withUnsafeBytes {
            XML_Parse(parser, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: $0.count), 1)
        }
        if let error { throw error }
        guard status == XML_STATUS_OK else {
            let reason = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "unknown error"
            throw .malformedInkML("the XML is truncated or malformed (\(reason))", line: line)
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
                throw .malformedInkML("elements are nested more than \(Self.maximumDepth) deep", line: nil)
            }
            // Names and values alternate, up to nil.
            var attributes: [String: String] = [:]
            var index = 0
            while let name = list[index], let value = list[index + 1] {
                attributes[String(cString: name)] = String(cString: value)
                index += 2
            }
            try reader.document.begin(Self.localName(name), attributes)
        }
    }

    private func end(_ name: UnsafePointer<CChar>) {
        act { reader throws(ImportError) in
            reader.depth -= 1
            try reader.document.end(Self.localName(name))
        }
    }

    private static func localName(_ name: UnsafePointer<CChar>) -> String {
        let name = String(cString: name)
        return name.lastIndex(of: ":").map { String(name[name.index(after: $0)...]) } ?? name
    }

    /// Swift errors cannot pass through C: the first one stops the parser and is thrown afterwards. Some handlers are
    /// called once more before it stops.
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
