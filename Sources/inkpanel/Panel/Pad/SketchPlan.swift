// SPDX-License-Identifier: Apache-2.0
import Capture
import Record
import Store

/// How the sketch page is to be: what its owner chooses.
struct SketchPlan {
    var tools: SketchTools
    var clearsOnDoubleTap: Bool
    /// Where pictures go.
    var folder: SketchFolder
}
