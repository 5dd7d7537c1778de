// SPDX-License-Identifier: Apache-2.0
import CPango

/// The fonts of this machine, as fontconfig knows them. Finding them takes tens of milliseconds, so one value is made
/// and kept, and only by who writes something.
///
/// One thread at a time in the process writes, whatever fonts and lines it has: with two at once, each with its own
/// fonts, Pango 1.50 has been seen to leave out glyphs.
public struct Fonts: ~Copyable {
    /// A PangoContext.
    let context: UnsafeMutableRawPointer

    /// - Throws: ``TextError/noFonts``.
    public init() throws(TextError) {
        guard let context = cpango_context() else { throw .noFonts }
        self.context = context
    }

    deinit { cpango_release(context) }
}
