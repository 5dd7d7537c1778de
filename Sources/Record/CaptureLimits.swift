// SPDX-License-Identifier: Apache-2.0

/// How large the parts of a record may be: a bound for memory when a file is hostile, beyond what a capture needs.
public enum CaptureLimits {
    /// Half an hour of drawing at 1000 reports a second and 30 bytes a report is 54 MB.
    public static let recordByteCount = 64 << 20
    /// Samples of strokes that a capture keeps; where they are reached, ink ends. At 1000 reports a second more than the
    /// five minutes that a capture usually has, and at 200 half an hour. With those in the air a record has 18 MB then.
    public static let strokeSampleCount = 400_000
    /// Room that a capture takes when it begins and gives back when it ends, so that a disk that fills up meanwhile
    /// does not take a signature away that somebody has just written: 35,000 reports of 30 bytes, three minutes at 200
    /// a second with the pen on the panel or above it. Most captures are a tenth of that.
    public static let reservedByteCount = 1 << 20
    /// A header is some 800 bytes and the request's texts.
    public static let headerByteCount = 64 << 10
    /// Samples in the air that a capture keeps; a pen that is laid down beside the panel's edge may be felt for hours.
    /// Eight minutes at 200 reports a second, more than the five that a capture usually has: some 3 MB.
    public static let inAirSampleCount = 100_000
    /// Twelve numbers and their names, some 300 bytes.
    public static let endByteCount = 4 << 10
}
