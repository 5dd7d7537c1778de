// SPDX-License-Identifier: Apache-2.0
import Canvas
import Geometry
import Linux
import Raster

/// What it costs to change a page that has ink on it, until the change is composed into memory: processor time.
struct RedrawCost {
    /// In pixels, of the region that is drawn again.
    static let side = 200
    private static let count = 100

    /// Nanoseconds each.
    private(set) var undo = Distribution([])
    private(set) var redo = Distribution([])
    private(set) var redraw = Distribution([])

    /// - Parameter canvas: with a hundred strokes or more on it.
    init(on canvas: inout Canvas) {
        let screen = PixelBuffer(size: canvas.size)
        canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: .none)
        undo = Self.cost(&canvas, screen.surface) { canvas, _ in canvas.undo() }
        redo = Self.cost(&canvas, screen.surface) { canvas, _ in canvas.redo() }
        redraw = Self.cost(&canvas, screen.surface) { canvas, number in
            // Somewhere else each time.
            let x = number * 617 % (canvas.size.width - Self.side)
            let y = number * 431 % (canvas.size.height - Self.side)
            canvas.redraw(PixelRect(minX: x, minY: y, maxX: x + Self.side, maxY: y + Self.side))
        }
    }

    private static func cost(
        _ canvas: inout Canvas, _ screen: Surface, _ change: (inout Canvas, Int) -> Void
    ) -> Distribution {
        Distribution((0..<count).map { number in
            let start = Linux.Thread.processorNanoseconds
            change(&canvas, number)
            canvas.compose(canvas.takeDamage(), onto: screen, rotation: .none)
            return Double(Linux.Thread.processorNanoseconds - start)
        })
    }
}
