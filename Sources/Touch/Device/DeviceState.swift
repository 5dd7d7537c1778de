// SPDX-License-Identifier: Apache-2.0

/// All that a device holds at one moment, for starting and for starting again after lost events.
public struct DeviceState: Equatable, Sendable {
    /// One slot of a multitouch device, or the one contact of the others.
    public struct Slot: Equatable, Sendable {
        /// Nil when no contact is in the slot. Devices without tracking ids leave it nil.
        public var trackingID: Int32?
        public var x: Int32
        public var y: Int32
        public var pressure: Int32?
        /// ABS_MT_DISTANCE, above 0 of a contact that hovers, or ABS_DISTANCE of a pen; nil where the device has none.
        public var distance: Int32?
        /// ABS_MT_TOOL_TYPE.
        public var toolType: Int32
        /// As the axes of ``ContactSize`` have it; nil where the device has none.
        public var major: Int32?
        public var minor: Int32?

        public init(
            trackingID: Int32? = nil, x: Int32 = 0, y: Int32 = 0, pressure: Int32? = nil, distance: Int32? = nil,
            toolType: Int32 = 0, major: Int32? = nil, minor: Int32? = nil
        ) {
            self.trackingID = trackingID
            self.x = x
            self.y = y
            self.pressure = pressure
            self.distance = distance
            self.toolType = toolType
            self.major = major
            self.minor = minor
        }
    }

    /// Multitouch: one for each slot. Others: one.
    public var slots: [Slot]
    /// The slot that the next event without ABS_MT_SLOT is about.
    public var currentSlot: Int
    /// BTN_TOUCH.
    public var isTouching: Bool
    /// BTN_TOOL_PEN.
    public var isPenNear: Bool
    /// BTN_TOOL_RUBBER.
    public var isRubberNear: Bool

    public init(
        slots: [Slot], currentSlot: Int = 0, isTouching: Bool = false, isPenNear: Bool = false,
        isRubberNear: Bool = false
    ) {
        self.slots = slots
        self.currentSlot = currentSlot
        self.isTouching = isTouching
        self.isPenNear = isPenNear
        self.isRubberNear = isRubberNear
    }
}
