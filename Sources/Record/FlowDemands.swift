// SPDX-License-Identifier: Apache-2.0
import Document
import HostAPI

extension CaptureRecord {
    /// The demands of the host that an accepted record of several pages does not meet, for people; empty for other
    /// records. The pad ends no turn before its demands are met, so any of them means that the record is not of a pad,
    /// or that the pad has a fault.
    public var unmetDemands: [String] {
        guard let flow = header.flow, isAccepted else { return [] }
        var unmet: [String] = []
        let signed = Set(fields.map(\.name))
        var answers: [String: CaptureAnswer] = [:]
        for answer in self.answers { answers[answer.name] = answer }
        /// A box that must be ticked is not answered by taking the tick out.
        func isAnswered(_ name: String) -> Bool { answers[name].map { $0.checked != false } ?? false }
        let wantsAll = flow.document?.policy?.requireAnswers == true

        for field in fields where field.instead == .mark {
            let witnesses = InsteadPart.allCases.filter(\.isWitness).map { $0.name(of: field.name) }
            if !signed.isSuperset(of: witnesses) { unmet.append("the mark in \(field.name) lacks its witnesses") }
        }

        var asked: Set<String> = []
        for field in flow.document?.fields ?? [] {
            switch field.kind {
            case .signature, .initials:
                if field.isRequired, !signed.contains(field.name) { unmet.append("there is no ink in \(field.name)") }
            case .check, .choice:
                let must = field.isRequired || wantsAll && field.kind == .choice
                guard must, asked.insert(field.name).inserted, !isAnswered(field.name) else { continue }
                unmet.append("\(field.name) is not answered")
            case .date, .name, .text: break
            }
        }
        for question in flow.questions ?? [] {
            // A box may stay empty unless it is required itself, like those of the document.
            guard question.required == true || wantsAll && question.kind != .check else { continue }
            let isDone = question.kind == .note ? signed.contains(question.name) : isAnswered(question.name)
            if !isDone { unmet.append("\(question.name) is not answered") }
        }
        guard let policy = flow.document?.policy else { return unmet }
        for index in 0..<flow.personCount {
            let who = flow.people.map { $0[index].role } ?? "the person"
            if policy.mustSeeAllPages == true, seen?[index].toEnd != true {
                unmet.append("\(who) did not see all pages")
            }
            let reading = end?.reading ?? []
            let seconds = reading.indices.contains(index) ? reading[index].seconds : 0
            if seconds < policy.minimumSeconds ?? 0 { unmet.append("\(who) had less time than demanded") }
        }
        return unmet
    }
}
