// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// Why a file with strokes could not be read.
public enum ImportError: Error, Equatable, CustomStringConvertible {
    /// Not JSON, or not of the expected shape; the text says where.
    case malformed(String)
    /// Not XML, or not InkML.
    case malformedInkML(String, line: Int?)

    /// The ink needs a page of this size, which cannot be drawn.
    case pageTooLarge(PixelSize)

    public var description: String {
        switch self {
        case .malformed(let reason): "not signature_pad's toData() JSON: \(reason)"
        case .malformedInkML(let reason, let line?): "not readable as InkML: line \(line): \(reason)"
        case .pageTooLarge(let size): "needs a page of \(size) pixels, which is too large"
        case .malformedInkML(let reason, nil): "not readable as InkML: \(reason)"
        }
    }

    /// The same with the line where it came about, unless that is known already.
    func inLine(_ line: Int) -> ImportError {
        if case .malformedInkML(let reason, nil) = self { .malformedInkML(reason, line: line) } else { self }
    }
}
