// SPDX-License-Identifier: Apache-2.0
import Geometry
import Linux
import Raster
import Screen
import Touch

/// A recording played through the whole panel into a display in memory.
struct HeadlessPlayback {
    /// What came of it, with the display still open so that its pixels can be looked at.
    struct Outcome {
        var summary: PanelSummary
        var rendering: RenderThread.Result
        var display: HeadlessDisplay

        /// What the display shows: its first frame at least, since the session waits for that.
        var pixels: Surface { display.currentSurface ?? display.surfaces[0] }
    }

    var size: PixelSize
    var look: Look
    var pace: RecordingPlayer.Pace
    var keepsStrokes = false
    var predicts = false
    /// How the display takes its frames.
    var refresh = HeadlessDisplay.Pace.immediate
    var log: Log

    func run(_ recording: Recording, name: String) throws -> Outcome {
        let input = try RecordingInput(recording, name: name, pace: pace)
        let display = try HeadlessDisplay(size: size, pace: refresh)
        var session = PanelSession(look: look, log: log)
        session.keepsStrokes = keepsStrokes
        session.predicts = predicts
        session.endsWithRecording = true
        // Signals keep their default: there is no screen and no console to put back, and files are written at the end.
        let outcome = try session.run([input], display, until: [])
        return Outcome(summary: outcome.summary, rendering: outcome.rendering, display: display)
    }
}
