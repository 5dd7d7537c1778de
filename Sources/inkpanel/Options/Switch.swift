// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// The value of an option that is `on` or `off`.
enum Switch: String, CaseIterable, ExpressibleByArgument {
    case on, off
}
