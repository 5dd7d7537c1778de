// SPDX-License-Identifier: Apache-2.0
import Geometry
import Glibc
import Ink
import Pad
import Pages
import Raster

/// Prints the time of a picture while a document is scrolled, while it is zoomed, and while a finger is on a field.
func printScrolling(_ panel: Panel) throws {
    let messages = MessageTable(.english)
    let density = panel.dotsPerInch.map(PixelDensity.init(dotsPerInch:))
    let screen = PadScreen(
        name: "scrolling", panelSize: panel.size, rotation: .none, density: density ?? .standard, pageDensity: density)
    let painter = PagePainter(theme: .light, fonts: try Fonts())
    var picture = PadPicture(pen: Pen(), color: .black, paper: .white, screen: screen, painter: painter)
    _ = picture.apply(.show(readingPage(messages)))
    let shown = picture.shown
    guard let page = shown else { return }
    let buffer = PixelBuffer(size: panel.size)
    picture.compose(picture.takeDamage(), onto: buffer.surface)

    func milliseconds(_ name: String, _ scenes: [DocumentScene]) {
        var (best, worst, draw) = (Double.infinity, 0.0, Double.infinity)
        for (index, scene) in scenes.enumerated() {
            let start = seconds()
            _ = picture.apply(.document(scene))
            let drawn = seconds()
            picture.compose(picture.takeDamage(), onto: buffer.surface)
            let time = (seconds() - start) * 1000
            // The first ones make texts and ink.
            if index > 2 {
                (best, worst, draw) = (min(best, time), max(worst, time), min(draw, (drawn - start) * 1000))
            }
        }
        let times = "\(rounded(draw)) ms to draw, \(rounded(best))...\(rounded(worst)) ms with the frame"
        print("\(panel.size) \(name): \(times)")
    }
    for state in [State.reading, .signedDocument] {
        let scene = try scene(state, page, messages, .light)
        milliseconds("scrolling, \(state)", (0..<60).map { scene.moved(y: Double($0 % 12)) })
    }
    let scene = try scene(.signedDocument, page, messages, .light)
    milliseconds("zooming", (0..<40).map { scene.zoomed(1 + Double($0 + 1) / 20) })
    milliseconds(
        "a pressed field",
        (0..<20).map {
            var scene = scene
            scene.marks[3].isPressed = $0 % 2 == 1
            return scene
        })
}

private func seconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

private func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }

extension DocumentScene {
    private func mapped(_ place: (Rect) -> Rect) -> DocumentScene {
        var scene = self
        for index in sheets.indices { scene.sheets[index].place = place(sheets[index].place) }
        for index in marks.indices { scene.marks[index].place = place(marks[index].place) }
        return scene
    }

    fileprivate func moved(y: Double) -> DocumentScene {
        mapped { Rect(minX: $0.minX, minY: $0.minY + y, maxX: $0.maxX, maxY: $0.maxY + y) }
    }

    fileprivate func zoomed(_ factor: Double) -> DocumentScene {
        var scene = mapped {
            Rect(minX: $0.minX * factor, minY: $0.minY * factor, maxX: $0.maxX * factor, maxY: $0.maxY * factor)
        }
        for index in sheets.indices {
            scene.sheets[index].pixelsPerPoint = sheets[index].pixelsPerPoint.map { $0 * factor }
        }
        return scene
    }
}
