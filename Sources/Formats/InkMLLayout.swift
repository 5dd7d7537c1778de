// SPDX-License-Identifier: Apache-2.0

/// How the values of a trace become a sample: which channel is what, and what its numbers count.
struct InkMLLayout {
    let format: InkMLFormat
    let x, y: Int
    let force, time: Int?
    let unit: ImportedInk.Unit
    /// From values to ``unit``.
    let xScale, yScale: Double
    /// From values to milliseconds.
    let timeScale: Double
    /// Samples per second, where times are not given.
    let sampleRate: Double?

    /// The channels of pressure; nil without one.
    var forceChannel: InkMLChannel? { force.map { format.channels[$0] } }

    init(_ format: InkMLFormat, _ source: InkMLSource?) throws(ImportError) {
        func index(_ name: String) -> Int? { format.channels.firstIndex { $0.name == name } }
        guard let x = index("X"), let y = index("Y") else {
            throw .malformedInkML("a trace format has no channels X and Y", line: nil)
        }
        // So that each point has bytes of its own; else a file of commas would be a sample a byte.
        guard x < format.regularCount, y < format.regularCount else {
            throw .malformedInkML("a trace format has X or Y among its intermittent channels", line: nil)
        }
        (self.format, self.x, self.y, force, time) = (format, x, y, index("F"), index("T"))
        let (xUnit, xScale) = Self.scale(format.channels[x], source)
        let (yUnit, yScale) = Self.scale(format.channels[y], source)
        guard xUnit == yUnit else {
            throw .malformedInkML("the channels X and Y of a trace format have different kinds of units", line: nil)
        }
        (unit, self.xScale, self.yScale) = (xUnit, xScale, yScale)
        timeScale = time.map { InkMLUnit.milliseconds(format.channels[$0].units) } ?? 1
        sampleRate = source?.sampleRate
    }

    private static func scale(_ channel: InkMLChannel, _ source: InkMLSource?) -> (ImportedInk.Unit, Double) {
        let sign = channel.isReversed ? -1.0 : 1
        let length = InkMLUnit.millimetres(channel.units)
        // Office states a length as the unit of whole numbers that are the device's, and how many there are to it.
        if channel.isInteger || length == nil, let resolution = source?.resolutions[channel.name] {
            return (.millimetres, sign / resolution)
        }
        if let length { return (.millimetres, sign * length) }
        return (channel.units == "px" ? .pixels : .arbitrary, sign)
    }
}

extension InkMLDocument {
    /// From one context to the next: of a chain of many thousand, each would be followed to the end.
    private static var mostReferences: Int { 32 }

    /// - Throws: ``ImportError/malformedInkML(_:line:)`` for a name that nothing has, and for contexts in a circle.
    func layout(of choice: ContextChoice) throws(ImportError) -> InkMLLayout {
        var context: Context
        switch choice {
        case .current(let number): context = currentContexts[number]
        case .named(let name): context = try find(name, "contextRef", in: contexts) ?? Context()
        }
        var (format, source): (InkMLFormat?, InkMLSource?) = (nil, nil)
        // What a context does not say, the one says that it refers to.
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

    /// Nil for the names of what the standard has.
    private func find<Part>(
        _ name: String, _ attribute: String, in parts: [String: Part]
    ) throws(ImportError) -> Part? {
        if let part = parts[name] { return part }
        if ["DefaultContext", "DefaultTraceFormat", "DefaultInkSource"].contains(name) { return nil }
        throw .malformedInkML("\(attribute)=\"#\(name)\" names nothing in the file", line: nil)
    }
}
