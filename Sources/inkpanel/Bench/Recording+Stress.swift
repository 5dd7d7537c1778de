// SPDX-License-Identifier: Apache-2.0
import Touch

extension Recording {
    /// A finger that never rests: 1000 reports a second on a panel of 4096 x 4096 units, wide loops over all of the
    /// page, lifted for 10 ms once a second. More than any real device sends, for as long as one likes.
    static func stress(seconds: Int) -> Recording {
        let slots = AxisInfo(minimum: 0, maximum: 9)
        let range = AxisInfo(minimum: 0, maximum: 4095)
        let device = DeviceDescription(
            name: "1000 reports a second", properties: [EventCode.propertyDirect], keys: [EventCode.touch],
            axes: [
                EventCode.mtSlot: slots, EventCode.mtPositionX: range, EventCode.mtPositionY: range,
                EventCode.mtTrackingID: AxisInfo(minimum: 0, maximum: 65535),
            ])
        var events: [InputEvent] = []
        events.reserveCapacity(seconds * 3000)
        for millisecond in 0..<seconds * 1000 {
            func add(_ type: UInt16, _ code: UInt16, _ value: Int32) {
                events.append(InputEvent(
                    microseconds: Int64(millisecond) * 1000, type: type, code: code, value: value))
            }
            let phase = millisecond % 1000
            if phase == 990 { add(EventCode.typeAbs, EventCode.mtTrackingID, -1) }
            if phase < 990 {
                if phase == 0 { add(EventCode.typeAbs, EventCode.mtTrackingID, Int32(millisecond / 1000)) }
                // Two triangle waves whose periods share no factor: the path covers the page before it repeats.
                add(EventCode.typeAbs, EventCode.mtPositionX, triangle(millisecond, period: 1613))
                add(EventCode.typeAbs, EventCode.mtPositionY, triangle(millisecond, period: 1021))
            }
            add(EventCode.typeSyn, EventCode.synReport, 0)
        }
        return Recording(device: device, events: events)
    }

    private static func triangle(_ time: Int, period: Int) -> Int32 {
        let phase = time % period * 2
        return Int32((phase < period ? phase : 2 * period - phase) * 4095 / period)
    }
}
