// SPDX-License-Identifier: Apache-2.0
import Formats
public import Linux
import Record
public import Store

/// The hosts' way in: a Varlink service on a Unix socket, on a thread of its own, with others for the store. What
/// hosts ask of the panel itself goes through a ``ControlLink`` to the main thread, which never waits for a host.
public struct ControlServer: ~Copyable {
    private let link: ControlLink
    private let archives: [Archive]
    private let controlThread: Thread
    private let archiveThread: Thread
    private let statusThread: Thread

    /// Begins to answer.
    /// - Parameters:
    ///   - socket: kept until ``stop()``.
    ///   - store: read, and deleted from, on the archive thread.
    ///   - captions: draws captions under pictures; nil refuses them.
    ///   - info: what the program says about itself.
    public init(
        socket: ControlSocket, link: ControlLink, access: AccessRule, store: CaptureStore, info: ServiceInfo,
        captions: (any CaptionPainter)? = nil, log: Log = Log()
    ) throws(Errno) {
        try self.init(
            socket: socket, link: link, access: access,
            clerk: ArchiveClerk(
                store: store, export: RecordExport(captions: captions, svgByteLimit: CapturePicture.svgByteLimit),
                log: log), info: info,
            limits: ControlLimits(), log: log)
    }

    init(
        socket: ControlSocket, link: ControlLink, access: AccessRule, clerk: ArchiveClerk, info: ServiceInfo,
        limits: ControlLimits, log: Log
    ) throws(Errno) {
        // All that can fail before the first stored property: Swift 6.0 crashes over a move-only value half made.
        let archive = try Archive(clerk)
        // A status wants two numbers from the store: it does not wait for what others have made of records.
        let statuses = try Archive(clerk)
        let archiveThread = try Thread(name: "archive") { archive.run() }
        let statusThread: Thread
        do throws(Errno) { statusThread = try Thread(name: "status") { statuses.run() } } catch {
            archive.finish()
            archiveThread.join()
            throw error
        }
        let controlThread: Thread
        do throws(Errno) {
            let plan = ControlLoop.Plan(
                socket: socket, link: link, archive: archive, statuses: statuses, access: access, info: info,
                limits: limits, log: log)
            // Made here, so that its failure is the caller's to tell; used there only.
            let box = LoopBox(try ControlLoop(plan))
            controlThread = try Thread(name: "control") { box.loop.run() }
        } catch {
            archive.finish()
            archiveThread.join()
            statuses.finish()
            statusThread.join()
            throw error
        }
        self.link = link
        archives = [archive, statuses]
        self.controlThread = controlThread
        self.archiveThread = archiveThread
        self.statusThread = statusThread
    }

    /// Delivers what the main thread has answered before, as far as hosts take it at once, ends all connections and
    /// waits for the threads: for the record that is being read, as long as that takes.
    public consuming func stop() {
        link.finish()
        controlThread.join()
        for archive in archives { archive.finish() }
        archiveThread.join()
        statusThread.join()
    }
}

/// Takes the loop to its thread.
private final class LoopBox: @unchecked Sendable {
    let loop: ControlLoop

    init(_ loop: ControlLoop) { self.loop = loop }
}
