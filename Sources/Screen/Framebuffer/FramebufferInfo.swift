// SPDX-License-Identifier: Apache-2.0
import CLinux
public import Geometry

/// What a framebuffer device says of itself (`fb_var_screeninfo`, `fb_fix_screeninfo`).
public struct FramebufferInfo: Equatable, Sendable {
    /// Where a colour is in a pixel, in bits.
    public struct Channel: Equatable, Sendable {
        /// From the right.
        public var offset: Int
        public var length: Int
        /// The most significant bit is the right one.
        public var isReversed = false

        public init(offset: Int, length: Int) {
            self.offset = offset
            self.length = length
        }
    }

    /// The driver's name.
    public var name = ""
    public var size: PixelSize
    /// Of all rows that are in memory: those shown and those that panning can show.
    public var virtualHeight: Int
    /// The first column and row that are shown.
    public var x = 0
    public var y = 0
    public var bitsPerPixel: Int
    public var red, green, blue: Channel
    /// Of length 0 where there is none.
    public var transparency = Channel(offset: 0, length: 0)
    /// 1 for a grey screen, a FOURCC or 0.
    public var grayscale = 0
    public var millimetres: PixelSize?
    /// From one row to the next.
    public var lineLength: Int
    /// Of the memory.
    public var byteCount: Int
    /// Rows by which the picture can be moved; 0 where it cannot.
    public var panStep = 0
    /// `FB_TYPE_*` and `FB_VISUAL_*`
    public var type = 0
    public var visual = CLINUX_FB_VISUAL_TRUECOLOR

    /// Whether the driver of a graphics card has made it, for programs that do not know KMS.
    public var isEmulated = false

    /// Packed pixels in true colour, no row more than is shown.
    public init(size: PixelSize, bitsPerPixel: Int, red: Channel, green: Channel, blue: Channel, lineLength: Int) {
        self.size = size
        virtualHeight = size.height
        self.bitsPerPixel = bitsPerPixel
        self.red = red
        self.green = green
        self.blue = blue
        self.lineLength = lineLength
        byteCount = lineLength * size.height
    }

    init(_ info: clinux_fb_info) {
        self.init(
            size: PixelSize(width: Int(info.width), height: Int(info.height)), bitsPerPixel: Int(info.bits_per_pixel),
            red: Channel(info.red), green: Channel(info.green), blue: Channel(info.blue),
            lineLength: Int(info.line_length))
        name = String(field: info.name)
        virtualHeight = Int(info.virtual_height)
        (x, y) = (Int(info.x), Int(info.y))
        transparency = Channel(info.transparency)
        grayscale = Int(info.grayscale)
        // Unknown is 0, or -1 as fb.h says.
        if 1...9999 ~= info.width_mm, 1...9999 ~= info.height_mm {
            millimetres = PixelSize(width: Int(info.width_mm), height: Int(info.height_mm))
        }
        byteCount = Int(info.byte_count)
        panStep = Int(info.y_pan_step)
        (type, visual) = (Int(info.type), Int(info.visual))
    }

    /// Whether both are the same mode, whatever part of the memory is shown.
    func isSameMode(as other: FramebufferInfo) -> Bool {
        var other = other
        (other.x, other.y) = (x, y)
        return self == other
    }
}

extension FramebufferInfo.Channel {
    init(_ channel: clinux_fb_channel) {
        self.init(offset: Int(channel.offset), length: Int(channel.length))
        isReversed = channel.msb_right != 0
    }
}
