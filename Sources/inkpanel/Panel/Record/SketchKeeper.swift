// SPDX-License-Identifier: Apache-2.0
import Raster
import Record
import Store

/// How the sketch is kept and saved.
struct SketchKeeper: Sendable {
    /// Nil while the page fits on no screen that is there.
    var page: SketchPage?
    /// Where pictures go.
    var folder: SketchFolder
    /// Of the pictures.
    var background: Color
}
