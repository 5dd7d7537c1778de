// SPDX-License-Identifier: Apache-2.0
//
// What libFuzzer calls with its bytes; the program's main function is libFuzzer's own.
import Glibc
import InputChecks

/// Which input is fuzzed: the name of a ``CheckedInput`` in the environment, because the arguments are libFuzzer's.
private let input: CheckedInput = {
    let name = getenv("FUZZED_INPUT").map { String(cString: $0) } ?? ""
    guard let input = CheckedInput(rawValue: name) else {
        print("FUZZED_INPUT is one of: \(CheckedInput.allCases.map(\.rawValue).joined(separator: ", "))")
        exit(EX_USAGE)
    }
    return input
}()

/// - Returns: 0, as libFuzzer wants it.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    do throws(CheckedInput.Fault) {
        _ = try input.check(Array(UnsafeBufferPointer(start: bytes, count: count)))
    } catch {
        fatalError(error.description)
    }
    return 0
}
