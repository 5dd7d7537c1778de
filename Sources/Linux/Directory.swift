// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Listing and changing directories.
public enum Directory {
    /// The names in it but `.` and `..`, in no order. The corresponding C function is `readdir`.
    public static func names(of path: String) throws(Errno) -> [String] {
        guard let stream = opendir(path) else { throw Errno.current }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            // The name is as long as its entry says, up to 256 bytes; copying the whole structure could read past its
            // end.
            let name = String(cString: UnsafeRawPointer(entry).advanced(by: MemoryLayout<dirent>.offset(of: \.d_name)!)
                .assumingMemoryBound(to: CChar.self))
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }

    /// Where a path leads when every link in it is followed; nil where it leads to nothing. The corresponding C function
    /// is `realpath`.
    public static func realPath(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }

    /// Bytes that this program may still write to the file system of `path`. The corresponding C function is `statvfs`.
    public static func freeByteCount(_ path: String) throws(Errno) -> Int {
        var status = statvfs()
        try retryingOnInterrupt { statvfs(path, &status) }
        let (bytes, isBeyond) = Int(clamping: status.f_bavail).multipliedReportingOverflow(
            by: Int(clamping: status.f_frsize))
        return isBeyond ? .max : bytes
    }
}
