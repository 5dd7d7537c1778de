// SPDX-License-Identifier: Apache-2.0
import Geometry
import PadFixtures
import Testing

@testable import Pad

extension PlacedPage {
    /// The faults of the page: elements that overlap, leave the page, are too small or miss; texts that are cut.
    /// - Parameter density: of the screen, as given to the layout.
    func faults(_ measure: PlainMeasure, density: PixelDensity?) -> [String] {
        var faults: [String] = []
        func expect(_ holds: Bool, _ fault: @autoclosure () -> String) { if !holds { faults.append(fault()) } }
        let whole = PixelRect(size: size)

        expect(Set(buttons.map(\.button)) == Set(page.buttons) && buttons.count == page.buttons.count, "other buttons")
        expect(inkField.isEmpty == (page.inkField == nil), "no ink field")
        for (index, element) in elements.enumerated() {
            expect(!element.rect.isEmpty && whole.contains(element.rect), "off the page: \(element)")
            for other in elements[..<index] {
                expect(element.rect.intersection(other.rect).isEmpty, "overlap: \(element) and \(other)")
            }
        }

        for button in buttons {
            expect(min(button.rect.width, button.rect.height) >= design.target, "too small to touch: \(button)")
            guard let label = button.words, let style = button.style else { continue }
            let isOption = button.option != nil
            expect(!isOption || style.em >= design.smallestEm, "too small to read: \(button)")
            expect(style.em >= design.smallestLabelEm, "too small to read: \(button)")
            expect(measure.isWhole(label, style, in: self.label(of: button).rect), "a cut label: \(button)")
        }
        for (index, button) in buttons.enumerated() {
            let (gap, rect) = (design.targetGap, button.rect)
            let around = PixelRect(
                minX: rect.minX - gap, minY: rect.minY - gap, maxX: rect.maxX + gap, maxY: rect.maxY + gap)
            for other in buttons[..<index] where !around.intersection(other.rect).isEmpty {
                faults.append("too near each other: \(button) and \(other)")
            }
        }
        // Touch targets are smaller than the design's only on pages that are scaled down as a whole: on tiny screens,
        // or because answers have no room otherwise.
        let unit = PageDesign.unit(size: size, density: density)
        let shorter = Double(min(size.width, size.height)) / unit
        expect(design.unit == unit || shorter < 36 || page.hasOptions, "scaled down to \(design.unit / unit)")
        expect(Double(design.target) >= 9 * design.unit, "targets of \(design.target) pixels")

        let drawnTexts = elements.compactMap(\.text)
        if page.inkField != nil {
            expect(drawnTexts.map(\.text) == page.allTexts, "other texts: \(drawnTexts)")
        } else if page.hasOptions {
            let labels = buttons.filter { $0.option != nil }.compactMap(\.words)
            expect(
                (drawnTexts.map(\.text) + labels).sorted() == page.allTexts.sorted(), "other texts: \(drawnTexts)")
        }
        if page.isLargeTexts {
            // The number of the page may have no room.
            var unnumbered = page
            unnumbered.elements.removeAll { if case .text(let text) = $0 { text.role == .corner } else { false } }
            let texts = drawnTexts.map(\.text)
            expect(texts == page.allTexts || texts == unnumbered.allTexts, "other texts: \(drawnTexts)")
        }
        for element in elements {
            guard let text = element.text, let style = element.style else { continue }
            expect(style.em >= design.smallestEm, "too small to read: \(element)")
            expect(measure.isWhole(text.text, style, in: element.rect), "a cut text: \(element)")
        }
        if case .signing = page.inkField { faults += signingFaults() }
        for button in buttons where !inkArea.bounds.isEmpty {
            expect(
                button.rect.intersection(inkArea.bounds).isEmpty || inkArea.icons.contains(button.rect),
                "takes ink: \(button)")
        }
        expect(inkArea.bounds.contains(inkField), "the line is where no ink is")
        expect(inkField.intersection(inkArea.icons).isEmpty, "the line is below icons")
        if page.hasDocument { faults += readingFaults() }
        if page.hasOptions { faults += questionFaults() }
        return faults
    }

    private func signingFaults() -> [String] {
        var faults: [String] = []
        func expect(_ holds: Bool, _ fault: @autoclosure () -> String) { if !holds { faults.append(fault()) } }
        expect(PixelRect(size: size).contains(frame) && frame.contains(inkField), "the field is not on its card")
        expect(Double(inkField.width) >= Double(frame.width) * 0.55, "a narrow field: \(inkField)")
        let least = design.fieldHeight(.least, width: inkField.width, page: size)
        expect(inkField.height >= least, "a low field: \(inkField)")
        expect(!signingLine.isEmpty && inkField.contains(signingLine), "no signing line")
        if let hint {
            expect(!hint.rect.isEmpty && inkField.contains(hint.rect), "the hint is off the field")
            expect(hint.rect.intersection(signingLine).isEmpty, "the hint is on the line")
        } else {
            faults.append("no hint")
        }
        // Texts before the field are above it, or on wide pages beside it; those after it below it, and buttons with
        // labels below those.
        let isWide = Double(size.width) >= Double(size.height) * PageDesign.besideRatio
        func isBeside(_ rect: PixelRect) -> Bool { isWide && (rect.maxX <= frame.minX || rect.minX >= frame.maxX) }
        expect(frame.width <= design.widestColumn || isWide, "a wide card: \(frame)")
        var isAbove = true
        var bottom = frame.maxY
        for element in elements {
            switch element.element {
            case .inkField: isAbove = false
            case .text where isAbove:
                expect(element.rect.maxY <= frame.minY || isBeside(element.rect), "not above the card: \(element)")
            case .text:
                expect(element.rect.minY >= frame.maxY, "not below the card: \(element)")
                bottom = max(bottom, element.rect.maxY)
            case .button(_, let label):
                let isOnCard = frame.contains(element.rect)
                expect(isOnCard && label == nil || element.rect.minY >= frame.maxY, "in between: \(element)")
            default: break
            }
        }
        for button in buttons where !frame.contains(button.rect) {
            expect(button.rect.minY >= bottom, "not below the texts: \(button)")
        }
        return faults
    }

    private func readingFaults() -> [String] {
        var faults: [String] = []
        func expect(_ holds: Bool, _ fault: @autoclosure () -> String) { if !holds { faults.append(fault()) } }
        let area = documentArea
        expect(area.minX == 0 && area.minY == 0 && area.maxX == size.width, "not from edge to edge: \(area)")
        expect(Double(area.height) >= 0.4 * Double(size.height), "a low document: \(area)")
        expect(frame == PixelRect(size: size).excluding(area).first, "the foot is elsewhere: \(frame)")
        for button in buttons { expect(frame.contains(button.rect), "not in the foot: \(button)") }
        return faults
    }

    private func questionFaults() -> [String] {
        var faults: [String] = []
        func expect(_ holds: Bool, _ fault: @autoclosure () -> String) { if !holds { faults.append(fault()) } }
        let options = buttons.filter { $0.option != nil }
        let texts = elements.filter { $0.text != nil }
        for option in options {
            for text in texts { expect(text.rect.maxY <= option.rect.minY, "below an answer: \(text)") }
            for other in buttons where other.option == nil {
                expect(other.rect.minY >= option.rect.maxY, "above an answer: \(other)")
            }
            if case .option(_, _, .rating) = option.element { continue }
            let (mark, label) = (mark(of: option), label(of: option).rect)
            expect(option.rect.contains(mark) && option.rect.contains(label), "off its answer: \(mark) \(label)")
            expect(mark.intersection(label).isEmpty, "a box in a label: \(option)")
        }
        expect(Set(options.map(\.rect.width)).count == 1, "answers of different widths")
        return faults
    }

    /// All rectangles, mirrored.
    var mirroredRects: [PixelRect] {
        rects.map { rect in
            PixelRect(minX: size.width - rect.maxX, minY: rect.minY, maxX: size.width - rect.minX, maxY: rect.maxY)
        }
    }

    var rects: [PixelRect] {
        elements.map(\.rect) + [frame, signingLine, hint?.rect ?? .empty].filter { !$0.isEmpty }
    }
}

extension PlacedElement {
    var option: Int? { if case .option(let index, _, _) = element { index } else { nil } }

    /// The label of a button or an answer; nil for an icon.
    var words: String? {
        switch element {
        case .button(_, let label): label
        case .option(_, let label, _): label
        default: nil
        }
    }
}

extension PlainMeasure {
    /// Whether the text is complete in the rectangle.
    func isWhole(_ text: String, _ style: TextStyle, in rect: PixelRect) -> Bool {
        let size = measure(text, style, rect.width)
        return size.width <= rect.width && size.height <= rect.height
    }

    /// Whether a hint is complete on one line after the pen, which takes 1.3 em.
    func isWhole(_ hint: PlacedElement) -> Bool {
        guard let style = hint.style, let text = hint.text else { return false }
        let size = measure(text.text, style, 1 << 20)
        return size.width + Int(style.em * 1.3) <= hint.rect.width && Int(style.em) <= hint.rect.height
    }
}

extension Page {
    var buttons: [PageButton] {
        elements.compactMap { element in
            switch element {
            case .button(let button, _): button
            case .option(let index, _, _): .option(index)
            default: nil
            }
        }
    }

    /// Texts and rows.
    var allTexts: [String] {
        elements.flatMap { element -> [String] in
            switch element {
            case .text(let text): [text.text]
            case .row(let label, let value, _): [label, value]
            case .picture, .logo, .tick, .warningSign, .sign, .inkField, .button, .target, .line, .document: []
            case .option(_, let label, _): [label]
            }
        }
    }
}
