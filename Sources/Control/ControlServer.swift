// SPDX-License-Identifier: Apache-2.0
import Document
import Formats
public import HostAPI
public import Linux
public import Pad
public import Store

/// The host API: a Varlink service on a Unix socket. A control thread serves the connections, two others read the
/// store. Calls for the pad go through a ``ControlLink`` to the main thread, which never waits for a host.
public struct ControlServer: ~Copyable {
    private let link: ControlLink
    private let archives: [Archive]
    private let controlThread: Thread
    private let archiveThread: Thread
    private let statusThread: Thread

    /// Starts the threads.
    /// - Parameters:
    ///   - socket: kept until ``stop()``.
    ///   - store: used on the archive threads.
    ///   - panel: its name, for `allowed_signers` in archives of evidence.
    ///   - captions: nil refuses captions.
    ///   - documents: looks whether documents can be read and signed.
    public init(
        socket: ControlSocket, link: ControlLink, access: AccessRule, store: CaptureStore, info: ServiceInfo,
        panel: String? = nil, captions: RecordExport.CaptionPainter? = nil,
        documents: (@Sendable () -> PanelAbilities.Documents)? = nil, log: Log = Log()
    ) throws(Errno) {
        let export = RecordExport(
            captions: captions, svgByteLimit: CapturePicture.svgByteLimit,
            svgSampleLimit: CapturePicture.svgSampleLimit)
        var worker = ArchiveWorker(store: store, export: export, log: log, documents: documents)
        if let panel { worker.panel = panel }
        try self.init(
            socket: socket, link: link, access: access, worker: worker, info: info, limits: ControlLimits(), log: log)
    }

    init(
        socket: ControlSocket, link: ControlLink, access: AccessRule, worker: ArchiveWorker, info: ServiceInfo,
        limits: ControlLimits, log: Log
    ) throws(Errno) {
        // Stored properties are set after everything that can fail: Swift 6.0 crashes on a partly initialized
        // noncopyable value.
        let archive = try Archive(worker)
        // A status needs only two numbers from the store, and must not wait for exports.
        let statuses = try Archive(worker)
        let parts = ControlLoop.Parts(
            socket: socket, link: link, archive: archive, statuses: statuses, access: access, info: info,
            limits: limits, log: log)
        // Created here, so that the caller gets its error; used on the control thread only.
        nonisolated(unsafe) let loop = try ControlLoop(parts)
        // If one cannot start, the program ends; those before wait for work until then.
        let archiveThread = try Thread(name: "archive") { archive.run() }
        let statusThread = try Thread(name: "status") { statuses.run() }
        let controlThread = try Thread(name: "control") { loop.run() }
        self.link = link
        archives = [archive, statuses]
        self.controlThread = controlThread
        self.archiveThread = archiveThread
        self.statusThread = statusThread
    }

    /// Sends the replies that the main thread has made, as far as hosts read them at once, closes all connections and
    /// waits for the threads. An export that runs is finished first.
    public consuming func stop() {
        link.finish()
        controlThread.join()
        for archive in archives { archive.finish() }
        archiveThread.join()
        statusThread.join()
    }
}

/// The mailboxes between the main thread and the control thread.
public final class ControlLink: Sendable {
    private let events: Mailbox<PadEvent>
    private let replies: Mailbox<(CallID, PadReply)>

    public init() throws(Errno) {
        events = try Mailbox(blocking: false)
        replies = try Mailbox(blocking: false)
    }

    // MARK: main thread

    /// Readable when events wait; for the main thread's epoll set.
    public var descriptor: CInt { events.descriptor }

    /// All events since the last time, oldest first.
    public func receiveEvents() -> [PadEvent] { events.take().items }

    /// Dropped if the call has had its final reply, or if its host has gone.
    public func reply(_ call: CallID, _ reply: PadReply) { replies.put((call, reply)) }

    // MARK: control thread

    /// Readable when replies wait, or after ``finish()``.
    var replyDescriptor: CInt { replies.descriptor }

    func send(_ event: PadEvent) { events.put(event) }

    /// All replies since the last time, oldest first.
    func receiveReplies() -> (replies: [(CallID, PadReply)], isEnding: Bool) {
        let (items, isClosed) = replies.take()
        return (items, isClosed)
    }

    // MARK: any thread

    /// Makes the control thread end after the replies that wait.
    func finish() { replies.close() }
}

/// The reply to `GetInfo`.
public struct ServiceInfo: Encodable, Sendable {
    let vendor = "Inkpanel"
    let product = "inkpanel"
    let version: String
    let url = ""
    let interfaces = InterfaceText.all

    public init(version: String) { self.version = version }
}

/// Limits for hosts. They exceed what the few hosts of a panel need, and a small board can afford all of them at once.
struct ControlLimits: Equatable, Sendable {
    var connections = 32
    /// How many of these are reserved for root and the panel's own user, so that an administrator can always connect.
    var reserved = 4
    /// Connections of one user, including root.
    var userConnections = 16
    /// Connections that are closing after an error.
    var endings = 16
    /// Bytes of a message from a host. The texts of a call have at most 16 KiB.
    var messageBytes = 64 << 10
    /// Bytes of all documents of one user; of root and the panel's own user only ``allDocumentBytes`` counts.
    var userDocumentBytes = HelperLimits.document
    /// The same for the gateway's user, which stands for several hosts.
    var gatewayDocumentBytes = PanelLimits.gatewayDocumentBytes
    /// Bytes of the documents of all connections.
    var allDocumentBytes = 64 << 20
    /// How long a document must not have been used before another one can take its room.
    var documentSpare = Duration.seconds(10)
    /// Bytes of unread replies, above which a host that follows a capture or watches is disconnected: thousands of
    /// strokes, or hours of status. Does not limit a final reply.
    var streamBytes = 1 << 20
    /// Bytes of unread replies to one user, above which no exports are made for that user.
    var userReplyBytes = 32 << 20
    /// Bytes of unread replies to all users, above which exports are made only for root and the panel's own user.
    var replyBytes = 64 << 20
    /// Bytes per second at which a host must read a reply, or hand over a document. Local hosts are a thousand times
    /// faster; this lets one forward a reply over a slow line.
    var rate = 64 << 10
    /// How long a connection may last without any call. An incomplete call does not count.
    var silence = Duration.seconds(30)
    /// How long a connection may last after the last reply: programs keep connections between calls.
    var idle = Duration.seconds(600)
    /// How long a connection must be idle before it can be closed in favour of another.
    var spare = Duration.seconds(1)
    /// How long a host may read nothing of what is sent. Also added to the times that ``rate`` allows.
    var stall = Duration.seconds(10)
    /// How long closing after an error may take.
    var ending = Duration.seconds(2)
    /// When to try again after the process ran out of descriptors.
    var pause = Duration.seconds(1)
}
