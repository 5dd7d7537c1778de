// SPDX-License-Identifier: Apache-2.0

/// Writes a centre line and the outline around it to the ink of a stroke: final nodes once, wet ones again and again.
/// Keeps its memory from one report to the next.
struct CenterlineWriter {
    /// Has taken in the final nodes only.
    private var dry = StrokeOutliner()
    /// Goes on from there with the wet ones.
    private var wet = StrokeOutliner()

    /// Takes the wet tail back. Then come the report's dry nodes, ``beginWet(_:)``, its wet nodes and
    /// ``endReport(_:)``.
    mutating func beginReport(_ ink: inout StrokeInk) { ink.removeWet() }

    /// A node that follows those given as dry before, and never changes again.
    mutating func add(dry node: CenterlinePoint, to ink: inout StrokeInk) {
        ink.append(node)
        dry.add(node, to: &ink)
    }

    mutating func beginWet(_ ink: inout StrokeInk) {
        ink.dry()
        wet.copy(dry)
    }

    /// A node between the dry ones and the tip, valid until the next report.
    mutating func add(wet node: CenterlinePoint, to ink: inout StrokeInk) {
        ink.append(node)
        wet.add(node, to: &ink)
    }

    /// Ends the ink round at the last node.
    mutating func endReport(_ ink: inout StrokeInk) { wet.finish(&ink) }

    /// A whole report of nodes that are made already.
    mutating func write(
        dry: some Sequence<CenterlinePoint>, wet: some Sequence<CenterlinePoint>, to ink: inout StrokeInk
    ) {
        beginReport(&ink)
        for node in dry { add(dry: node, to: &ink) }
        beginWet(&ink)
        for node in wet { add(wet: node, to: &ink) }
        endReport(&ink)
    }
}
