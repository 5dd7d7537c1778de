// SPDX-License-Identifier: Apache-2.0

/// Writes a centre line and the outline around it to the ink of a stroke: final nodes once, wet ones again and again.
struct CenterlineWriter {
    /// Has taken in the final nodes only.
    private var outliner = StrokeOutliner()

    /// Replaces the wet tail.
    /// - Parameters:
    ///   - dry: nodes that follow those given as dry before; they never change again.
    ///   - wet: nodes after them up to the tip, valid until the next call; the ink ends round at the last one.
    mutating func write(
        dry: some Sequence<CenterlinePoint>, wet: some Sequence<CenterlinePoint>, to ink: inout StrokeInk
    ) {
        ink.removeWet()
        for node in dry {
            ink.append(node)
            outliner.add(node, to: &ink)
        }
        ink.dry()
        var tail = outliner
        for node in wet {
            ink.append(node)
            tail.add(node, to: &ink)
        }
        tail.finish(&ink)
    }
}
