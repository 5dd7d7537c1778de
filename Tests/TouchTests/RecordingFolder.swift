// SPDX-License-Identifier: Apache-2.0
import Testing
@testable import Touch

/// The recordings beside this file.
let recordings = #filePath.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/Recordings/"

extension DeviceDescription {
    /// Of a `.desc` or `.device` file.
    static func described(_ name: String) throws -> DeviceDescription {
        var parser = RecordingParser(path: name)
        try RecordingFile.forEachLine(of: recordings + name) { line throws(RecordingError) in
            try parser.take(line)
        }
        return try #require(parser.device)
    }
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// A complete small recording: a multitouch panel and one tap.
let smallRecording = """
    # EVEMU 1.3
    N: A panel
    I: 0018 0123 abcd 0100
    P: 02 00 00 00 00 00 00 00
    B: 00 0b 00 00 00 00 00 00 00
    B: 01 00 00 00 00 00 00 00 00
    B: 01 00 00 00 00 00 00 00 00
    B: 01 00 00 00 00 00 00 00 00
    B: 01 00 00 00 00 00 00 00 00
    B: 01 00 00 00 00 00 00 00 00
    B: 01 00 04 00 00 00 00 00 00
    A: 00 0 799 0 0 0
    A: 01 0 479 0 0 0
    A: 2f 0 4 0 0 0
    A: 35 0 799 4 0 10
    A: 36 -5 479 0 0
    A: 39 0 65535 0 0 0
    E: 0.000001 0003 0039 0006\t# EV_ABS / ABS_MT_TRACKING_ID   6
    E: 0.000001 0003 0035 0361
    E: 0.000001 0003 0036 -004
    E: 0.000001 0001 014a 0001
    E: 0.000001 0000 0000 0000\t# ------------ SYN_REPORT (0) ---------- +0ms
    E: 1.020003 0003 0039 -001
    E: 1.020003 0000 0000 0000

    """
