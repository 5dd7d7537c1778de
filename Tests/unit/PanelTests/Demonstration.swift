// SPDX-License-Identifier: Apache-2.0
import Touch

extension Recording {
    /// The recording that `inkpanel demo` plays.
    static func demonstration() throws(RecordingError) -> Recording {
        let top = #filePath.split(separator: "/").dropLast(4).reduce("") { $0 + "/" + $1 }
        return try Recording(path: top + "/Sources/inkpanel/Demo/demo.events")
    }
}
