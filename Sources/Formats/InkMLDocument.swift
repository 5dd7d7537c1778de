// SPDX-License-Identifier: Apache-2.0

/// The parts of an InkML document that say where its strokes are, as they are read. What traces refer to may come after
/// them, so that all is looked up in the end.
final class InkMLDocument: XMLReaderDelegate {
    struct Context {
        var contextRef, formatRef, sourceRef: String?
        var format: InkMLFormat?
        var source: InkMLSource?
    }

    /// Which context counts for a trace.
    enum ContextChoice: Hashable {
        /// The one that was named, else that of the trace's groups.
        case named(String)
        /// The last one that stood beside the traces, by number.
        case current(Int)
    }

    struct Trace {
        var id: String?
        var context: ContextChoice
        /// Goes on with the trace of that name, or with the one before.
        var isContinuation: Bool
        var priorRef: String?
        var bytes: [UInt8] = []
    }

    private(set) var formats: [String: InkMLFormat] = [:]
    private(set) var sources: [String: InkMLSource] = [:]
    private(set) var contexts: [String: Context] = [:]
    /// Those that counted one after the other; the first is what the standard has.
    private(set) var currentContexts = [Context()]
    /// Ink as it was drawn, without what the pen did in the air.
    private(set) var traces: [Trace] = []

    /// Bytes of a name: names are hashed for each trace that has one, also through its group.
    private static let longestName = 1024
    /// Of a trace format. Digitizers have ten or so; each point has a value for each.
    private static let mostChannels = 64

    private var traceIDs: Set<String> = []
    private var path: [String] = []
    /// Elements of other languages lie below here.
    private var foreignDepth: Int?
    private var groupContexts: [String?] = []
    private var format: (id: String?, InkMLFormat)?
    private var source: (id: String?, InkMLSource)?
    private var context: (id: String?, Context)?
    private var trace: Trace?

    func begin(_ element: String, _ attributes: [String: String]) throws(ImportError) {
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
            // Only what is in the same document can be found, whatever is before the fragment.
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
                let value = attributes["value"].flatMap(Double.init),
                let resolution = InkMLUnit.perMillimetre(value, attributes["units"] ?? "")
            else { break }
            source?.1.resolutions[channel] = resolution
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

    func text(_ bytes: UnsafeBufferPointer<UInt8>) throws(ImportError) {
        if path.last == "trace" { trace?.bytes.append(contentsOf: bytes) }
    }

    func end(_ element: String) throws(ImportError) {
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
            // Not where the Recommendation has it, but where many files do.
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
