// SPDX-License-Identifier: Apache-2.0
import Linux

// What a display finds before its first frame, and leaves behind after its last.
extension KMSDisplay {
    /// What the CRTC shows before us, to be restored; nil when the driver will not say.
    static func findCRTC(_ device: any ModesettingDevice, _ pipeline: DisplayPipeline) throws(ScreenError) -> CRTC? {
        do {
            return try device.crtc(pipeline.crtc)
        } catch {
            if let state = ScreenError.state(error, card: device.path) { throw state }
            return nil
        }
    }

    static func commitStyle(
        _ device: any ModesettingDevice, _ pipeline: DisplayPipeline
    ) throws(ScreenError) -> any CommitStyle {
        let legacy = LegacyCommit(device: device, pipeline: pipeline)
        guard pipeline.isAtomic else { return legacy }
        do {
            return try AtomicCommit(device: device, pipeline: pipeline)
        } catch {
            if let state = ScreenError.state(error, card: device.path) { throw state }
            return legacy
        }
    }

    /// Waits for the outstanding flip, because there is no way to cancel one; not for ever, because a driver may never
    /// complete it.
    func awaitPendingFlip() {
        for _ in 0..<10 where pending != nil && !isGone {
            device.waitForEvents(milliseconds: 10)
            guard (try? collectCompletions()) != nil else { return }
        }
    }

    /// Puts back what was there, so that our framebuffers are not on screen when they are removed. Where nothing was,
    /// the CRTC is switched off again; the console comes back by itself when the card is closed.
    func restoreCRTC() {
        guard isStarted, !isGone else { return }
        let connectors = pipeline.connectorsOnCRTC.isEmpty ? [pipeline.connector.id] : pipeline.connectorsOnCRTC
        if let found, found.framebuffer != 0, found.mode != nil,
            (try? device.setCRTC(found, connectors: connectors)) != nil
        {
            return
        }
        // Refused when the framebuffer found has gone with its owner, or when we are not master any more: then what is
        // on screen is not ours.
        try? device.setCRTC(CRTC(id: pipeline.crtc, framebuffer: 0, mode: nil), connectors: [])
    }
}
