// SPDX-License-Identifier: Apache-2.0
public import Glibc

/// An open file. The descriptor is closed when the value ends.
public struct FileDescriptor: ~Copyable, Sendable {
    /// The kernel's number, for passing to calls. Valid while this value lives.
    public let number: CInt

    /// Takes over a descriptor that nobody else closes.
    public init(owning number: CInt) { self.number = number }

    /// Opens `path`, always close-on-exec. The corresponding C function is `open`.
    public init(opening path: String, _ flags: CInt, permissions: mode_t = 0) throws(Errno) {
        number = try retryingOnInterrupt { open(path, flags | O_CLOEXEC, permissions) }
    }

    deinit { close(number) }

    /// Reads at most `buffer.count` bytes; 0 at the end of the file. The corresponding C function is `read`.
    public func read(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
        try retryingOnInterrupt { Glibc.read(number, buffer.baseAddress, buffer.count) }
    }

    /// The same for an array, which keeps its size.
    public func read(into bytes: inout [UInt8]) throws(Errno) -> Int {
        // A result, because the array's closure does not carry a typed error on Swift 6.0.
        let result: Result<Int, Errno> = bytes.withUnsafeMutableBytes { buffer in
            do throws(Errno) { return .success(try read(into: buffer)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// Writes all bytes, however many calls that takes. The corresponding C function is `write`.
    public func writeAll(_ bytes: UnsafeRawBufferPointer) throws(Errno) {
        var offset = 0
        while offset < bytes.count {
            offset += try retryingOnInterrupt {
                Glibc.write(number, bytes.baseAddress! + offset, bytes.count - offset)
            }
        }
    }

    /// The same for an array.
    public func writeAll(_ bytes: [UInt8]) throws(Errno) {
        let result: Result<Void, Errno> = bytes.withUnsafeBytes { buffer in
            do throws(Errno) { return .success(try writeAll(buffer)) } catch { return .failure(error) }
        }
        try result.get()
    }

    /// Forces contents to the medium. The corresponding C function is `fsync`.
    public func synchronize() throws(Errno) { try retryingOnInterrupt { fsync(number) } }

    /// The same without what is not needed to read them, as times. The corresponding C function is `fdatasync`.
    public func synchronizeData() throws(Errno) { try retryingOnInterrupt { fdatasync(number) } }
}
