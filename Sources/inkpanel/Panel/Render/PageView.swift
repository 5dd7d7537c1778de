// SPDX-License-Identifier: Apache-2.0
import Capture
import Raster

/// A page as it is to be seen, but for ink and pressed buttons.
enum PageView: Equatable, Sendable {
    /// A few words in the middle.
    case words(String)
    /// As large as fits, in the middle.
    case picture(Picture)
    case sketch(SketchLayout, SketchTools, [SketchButton: SketchButtonState])
    /// - Parameter message: in the place of prompt and reason.
    case signature(SignatureLayout, message: String?, hasButtons: Bool)
}
