// SPDX-License-Identifier: Apache-2.0

/// Where the parts of the boundaries of a row are to be found.
struct SweptRow {
    let parts: EdgePartList
    /// Pixels.
    let width: Int32
}
