// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// Why a picture could not be made.
public enum ExportError: Error, Equatable, CustomStringConvertible {
    case pngRefused(size: PixelSize)

    public var description: String {
        switch self {
        case .pngRefused(let size):
            "a PNG of \(size) pixels cannot be made: name a --size that is not empty"
        }
    }
}
