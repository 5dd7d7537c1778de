// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Geometry

/// How a picture is shown on a screen.
struct ScreenOptions: ParsableArguments {
    @Option(help: ArgumentHelp(
        "How far the picture is turned clockwise; by default as the kernel says the panel is built in.",
        valueName: "degrees"))
    var rotate: Rotation?

    @Option(help: ArgumentHelp(
        "Draw ink ahead of the pen, to where it will be when the screen shows it: on or off (default: on). On a KMS "
            + "display only.",
        valueName: "on|off"))
    var prediction: Switch?

    var predicts: Bool { prediction != .off }
}
