// SPDX-License-Identifier: Apache-2.0
import Geometry
import Linux

/// The kernel's mode-setting calls, one method each. ``Card`` makes them; tests replace it by a simulated kernel.
///
/// Methods throw the `errno` of the call. For one thread.
protocol ModesettingDevice: AnyObject {
    /// e.g. `/dev/dri/card0`
    var path: String { get }
    /// Readable when ``readEvents()`` has something.
    var eventDescriptor: CInt { get }

    /// `DRM_IOCTL_VERSION`
    func driverName() throws(Errno) -> String
    /// `DRM_IOCTL_GET_CAP` with `DRM_CAP_DUMB_BUFFER`
    func supportsDumbBuffers() throws(Errno) -> Bool
    /// `DRM_IOCTL_SET_CLIENT_CAP`
    func enable(_ capability: ClientCapability) throws(Errno)
    /// Whether the kernel lets this descriptor change the screen.
    var isMaster: Bool { get }

    /// `DRM_IOCTL_MODE_GETRESOURCES`; fails on a card that only renders.
    func resources() throws(Errno) -> CardResources
    /// `DRM_IOCTL_MODE_GETCONNECTOR`. For the master it probes the connector, which takes tens of milliseconds.
    func connector(_ id: UInt32) throws(Errno) -> Connector
    /// `DRM_IOCTL_MODE_GETENCODER`
    func encoder(_ id: UInt32) throws(Errno) -> Encoder
    /// `DRM_IOCTL_MODE_GETPLANERESOURCES`; overlays only unless ``ClientCapability/universalPlanes`` is enabled.
    func planes() throws(Errno) -> [UInt32]
    /// `DRM_IOCTL_MODE_GETPLANE`
    func plane(_ id: UInt32) throws(Errno) -> Plane
    /// `DRM_IOCTL_MODE_OBJ_GETPROPERTIES` and `DRM_IOCTL_MODE_GETPROPERTY` for each
    func properties(of id: UInt32, _ type: ObjectType) throws(Errno) -> [Property]
    /// `DRM_IOCTL_MODE_OBJ_SETPROPERTY`
    func setProperty(_ property: UInt32, of id: UInt32, _ type: ObjectType, to value: UInt64) throws(Errno)
    /// `DRM_IOCTL_MODE_GETCRTC`
    func crtc(_ id: UInt32) throws(Errno) -> CRTC

    /// `DRM_IOCTL_MODE_SETCRTC`; switches the CRTC off without mode, framebuffer and connectors.
    func setCRTC(_ crtc: CRTC, connectors: [UInt32]) throws(Errno)
    /// `DRM_IOCTL_MODE_CURSOR` without picture
    func hideCursor(onCRTC id: UInt32) throws(Errno)
    /// `DRM_IOCTL_MODE_SETPLANE` without framebuffer
    func disablePlane(_ id: UInt32) throws(Errno)
    /// `DRM_IOCTL_MODE_PAGE_FLIP` with an event that carries `serial`
    func pageFlip(crtc: UInt32, framebuffer: UInt32, serial: UInt64) throws(Errno)
    /// `DRM_IOCTL_MODE_ATOMIC`
    func commit(_ request: AtomicRequest, _ flags: CommitFlags, serial: UInt64) throws(Errno)
    /// `DRM_IOCTL_MODE_CREATEPROPBLOB` with a mode
    func createBlob(_ mode: DisplayMode) throws(Errno) -> UInt32
    /// `DRM_IOCTL_MODE_CREATEPROPBLOB` with `FB_DAMAGE_CLIPS`
    func createBlob(_ clips: [PixelRect]) throws(Errno) -> UInt32
    /// `DRM_IOCTL_MODE_DESTROYPROPBLOB`
    func destroyBlob(_ id: UInt32) throws(Errno)
    /// `DRM_IOCTL_MODE_DIRTYFB` for the whole framebuffer
    func markDirty(framebuffer: UInt32) throws(Errno)

    /// `DRM_IOCTL_MODE_CREATE_DUMB`, 32 bits a pixel
    func createDumbBuffer(_ size: PixelSize) throws(Errno) -> DumbAllocation
    /// `DRM_IOCTL_MODE_MAP_DUMB` and `mmap`
    func map(_ allocation: DumbAllocation) throws(Errno) -> UnsafeMutableRawPointer
    /// `munmap`
    func unmap(_ start: UnsafeMutableRawPointer, _ allocation: DumbAllocation)
    /// `DRM_IOCTL_MODE_DESTROY_DUMB`
    func destroyDumbBuffer(_ handle: UInt32) throws(Errno)
    /// `DRM_IOCTL_MODE_ADDFB2` as XRGB8888
    func addFramebuffer(_ allocation: DumbAllocation, size: PixelSize) throws(Errno) -> UInt32
    /// `DRM_IOCTL_MODE_RMFB`; a CRTC that shows it is switched off.
    func removeFramebuffer(_ id: UInt32) throws(Errno)

    /// Completions that have arrived, perhaps none.
    func readEvents() throws(Errno) -> [CardEvent]
    /// Waits until ``readEvents()`` has something or the time is over.
    func waitForEvents(milliseconds: Int32)
    /// Closes the descriptor and thereby gives up being master. A second call does nothing.
    func close()
}

/// A feature that this program supports (`DRM_CLIENT_CAP_*`).
enum ClientCapability: UInt64, Sendable {
    /// Expose primary and cursor planes, not only overlays.
    case universalPlanes = 2
    /// Expose everything as properties.
    case atomic = 3
}
