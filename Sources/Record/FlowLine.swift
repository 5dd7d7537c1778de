// SPDX-License-Identifier: Apache-2.0
import HostAPI

/// A line of a record with a flow: one event, and its time.
struct FlowLine: Codable {
    var t: Int64
    private var person: Int?
    private var page: SeenPage?
    private var view: SeenView?
    private var answer: CaptureAnswer?
    private var field: FieldSheet?
    private var accepted: AcceptedField?
    private var glass: GlassImage?

    init(_ event: FlowEvent, t: Int64) {
        self.t = t
        switch event {
        case .person(let number): person = number
        case .page(let page): self.page = page
        case .view(let view): self.view = view
        case .answer(let answer): self.answer = answer
        case .field(let field): self.field = field
        case .accepted(let field): accepted = field
        case .glass(let image): glass = image
        }
    }

    /// nil if the line has none.
    var event: FlowEvent? {
        if let person { return .person(person) }
        if let page { return .page(page) }
        if let view { return .view(view) }
        if let answer { return .answer(answer) }
        if let field { return .field(field) }
        if let accepted { return .accepted(accepted) }
        return glass.map { .glass($0) }
    }
}
