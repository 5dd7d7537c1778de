// SPDX-License-Identifier: Apache-2.0

/// Why a file of polygons cannot be used.
struct RasterWorkloadError: Error, Equatable {
    var path: String
    /// What of the file is wrong, by its name in the format: `magic`, `nPoints`, `contours[3].firstPoint` ...
    var field: String
    var reason: String

    var message: String { "\(path): \(field) \(reason)" }
}
