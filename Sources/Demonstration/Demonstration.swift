// SPDX-License-Identifier: Apache-2.0

/// The recording that is part of the program; README.md beside this file says where it comes from. A module of its own
/// because the compiler needs ten seconds for so long an array literal.
public enum Demonstration {
    /// An evemu recording, complete with its device's description.
    public static var recording: [UInt8] { PackageResources.demo_events }
}
