// SPDX-License-Identifier: Apache-2.0
import Document
import HostAPI
import JSON
import Pad
import Record
import Signing

/// Checks the plan of the fields that people fill: whatever a host asks for and the program that parses documents says,
/// it can be shown and recorded.
enum DocumentPlanChecks {
    static func check(_ bytes: [UInt8]) throws(CheckedInput.Fault) -> Bool {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 2)
        guard lines.count >= 2, let call = try? JSONValue(lines[0]).decode(CaptureCall.self),
            (try? call.flow.check()) != nil, call.flow.document != nil,
            let facts = try? DocumentFacts(json: Array(lines[1]))
        else { return false }
        let hits = lines.count > 2 ? (try? DocumentHits(json: Array(lines[2]))) ?? DocumentHits() : DocumentHits()
        let plan: DocumentPlan
        do { plan = try DocumentPlan(call.flow, in: facts) { _ in hits } } catch {
            guard let fault = error as? DocumentPlanFault else { throw CheckedInput.Fault("another error: \(error)") }
            try require(!fault.name.isEmpty && !fault.description.isEmpty, "a refusal without words")
            return false
        }
        try check(plan.fields, of: call.flow, in: facts)
        return true
    }

    private static func check(
        _ fields: [Field], of flow: CaptureFlow, in facts: DocumentFacts
    ) throws(CheckedInput.Fault) {
        try require(fields.count <= DocumentPlan.mostFields, "too many fields")
        try require(fields.isEmpty || fields.contains { $0.kind == .signature }, "fields without a signature")
        var kinds: [String: Field] = [:]
        for field in fields {
            try require(0..<max(flow.people.count, 1) ~= field.person, "a field of nobody")
            try require(1...facts.pages.count ~= field.page, "a field on no page")
            let place = field.rectangle
            try require(
                [place.minX, place.minY, place.maxX, place.maxY].allSatisfy(\.isFinite) && place.minX <= place.maxX
                    && place.minY <= place.maxY,
                "a field without a place")
            try require(field.kind != .choice || field.choice != nil, "a choice without a value")
            try require(field.kind != .signature || field.formName != nil, "a signature without a name in the document")
            try require(!flow.questions.contains { $0.name == field.name }, "a field with the name of a question")
            // A check box and a choice have a field for each of their places.
            if let other = kinds.updateValue(field, forKey: field.name) {
                let isOne = [.check, .choice].contains(field.kind) && other.kind == field.kind
                try require(isOne && other.formName == field.formName, "two fields of one name")
            }
        }
    }
}
