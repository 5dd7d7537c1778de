// SPDX-License-Identifier: Apache-2.0
package import Document

extension DocumentFacts.Warning {
    /// The warning in words for people.
    package var words: String {
        switch self {
        case .javaScript: "it has JavaScript, which some viewers run"
        case .additionalActions: "it has actions that viewers carry out by themselves"
        case .openAction: "it has an action for when it is opened"
        case .launch: "it can start programs"
        case .layers: "it has layers: viewers may show some and hide others"
        case .needAppearances: "it asks viewers to draw its fields anew"
        case .externalStream: "a part of it is in another file"
        case .hiddenAnnotation: "it has notes that are hidden, or not printed"
        case .fontsNotEmbedded: "it lacks fonts: each viewer takes others"
        case .existingSignatures: "it is signed already; inkpanel does not check these signatures"
        }
    }
}
