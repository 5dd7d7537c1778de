// SPDX-License-Identifier: Apache-2.0
//
// What libFuzzer calls with its bytes; the program's main function is libFuzzer's own.

/// - Returns: 0, as libFuzzer wants it.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    // A rasterizer of its own for each input, so that what is found does not hang on what was filled before.
    var checks = FuzzChecks()
    checks.run(FuzzInput(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}
