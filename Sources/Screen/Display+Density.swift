// SPDX-License-Identifier: Apache-2.0
public import Geometry

extension Display {
    /// How dense the panel's pixels are, from the size its connector states; nil when it states none that can be true.
    public var statedDensity: PixelDensity? { PixelDensity(panel: size, stated: details.millimetres) }
}

extension PixelDensity {
    /// What EDIDs have in place of a size: the aspect ratio in metres, centimetres or millimetres. The list is that of
    /// GNOME's mutter (meta_monitor_has_aspect_as_size).
    private static let standIns: Set<PixelSize> = [
        PixelSize(width: 1600, height: 900), PixelSize(width: 1600, height: 1000),
        PixelSize(width: 160, height: 90), PixelSize(width: 160, height: 100),
        PixelSize(width: 16, height: 9), PixelSize(width: 16, height: 10),
    ]

    /// - Parameter millimetres: as the connector states them, both sides in the panel's own orientation.
    init?(panel size: PixelSize, stated millimetres: PixelSize?) {
        guard let millimetres, !Self.standIns.contains(millimetres) else { return nil }
        self.init(
            of: size, widthInMillimetres: Double(millimetres.width), heightInMillimetres: Double(millimetres.height))
    }
}
