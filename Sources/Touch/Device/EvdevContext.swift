// SPDX-License-Identifier: Apache-2.0
import CLibevdev
import Glibc
import Linux

/// An open evdev file with its libevdev context; both end with the value.
struct EvdevContext: ~Copyable {
    /// `struct libevdev *`, valid while this value lives.
    let handle: OpaquePointer
    private let descriptor: FileDescriptor

    /// Opens for reading only, which suffices for grabbing and for choosing the clock. Non-blocking: a FIFO in the
    /// place of a device must not hold up the caller either.
    init(path: String) throws(TouchError) {
        let descriptor = try Self.open(path)
        var handle: OpaquePointer?
        let result = libevdev_new_from_fd(descriptor.number, &handle)
        guard result == 0, let handle else { throw .notAnInputDevice(path: path, Errno(code: -result)) }
        self.handle = handle
        self.descriptor = descriptor
    }

    deinit {
        // Before the descriptor closes, which stored properties do after this body.
        libevdev_free(handle)
    }

    var number: CInt { descriptor.number }

    private static func open(_ path: String) throws(TouchError) -> FileDescriptor {
        if DeviceNode.awaitsUdev(path) { throw .refused(path: path, .notInitialized) }
        do {
            return try FileDescriptor(opening: path, O_RDONLY | O_NONBLOCK)
        } catch {
            guard error == .permissionDenied || error == .notPermitted else { throw .cannotOpen(path: path, error) }
            throw .refused(path: path, NodeRefusal(of: path, writing: false))
        }
    }
}
