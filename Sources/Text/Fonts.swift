// SPDX-License-Identifier: Apache-2.0
import CPango
import Synchronization

/// The fonts of this machine, as fontconfig knows them. Finding them takes tens of milliseconds, so one value is made
/// and kept, and only by who writes something.
///
/// Any thread: calls of this module take turns in the whole process, whatever fonts they are of. With two threads at
/// once, each with its own fonts, Pango 1.50 has been seen to leave out glyphs.
public struct Fonts: ~Copyable {
    /// A PangoContext.
    let context: UnsafeMutableRawPointer
    /// The caches of Pango, FreeType and fontconfig are the process', and so is who may use them.
    static let lock = Mutex(())

    /// - Throws: ``TextError/noFonts``.
    public init() throws(TextError) {
        guard let context = Self.lock.withLock({ _ in cpango_context() }) else { throw .noFonts }
        self.context = context
    }

    deinit { Self.release(context) }

    /// Lets go of an object of Pango's. A function of its own: Swift 6.0 crashes over a closure in a move-only value's
    /// deinit.
    static func release(_ object: UnsafeMutableRawPointer) {
        lock.withLock { _ in cpango_release(object) }
    }
}
