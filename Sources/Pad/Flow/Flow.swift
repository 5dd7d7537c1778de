// SPDX-License-Identifier: Apache-2.0
import Document
import Geometry
import HostAPI
import Record

/// An act of a person in their turn.
enum PersonAct: CaseIterable {
    case signed, initialled, answered, read

    /// The line on the last page that thanks for the act; nil for none.
    var thanks: Message? {
        switch self {
        case .signed: .thanksNext
        case .initialled: .thanksInitials
        case .answered: .thanksAnswers
        case .read: nil
        }
    }
}

/// The course of a capture through its pages: whose turn it is, what was answered and signed, what is missing.
///
/// A capture with a document goes from the document's page to each other page and back. Otherwise the questions follow
/// one another, and the signature is last.
struct Flow {
    /// Something that a person has to do, or may.
    enum Item: Hashable {
        /// The person must see all of the document.
        case pages
        /// A check box or a choice of the document, by its name.
        case answer(String)
        case question(Int)
        /// A signature or initials in the document, by its name.
        case ink(String)
    }

    let people: [CapturePerson]
    /// Whether the host named people.
    let namesPeople: Bool
    let questions: [CaptureQuestion]
    let policy: ReadingPolicy
    let declineReasons: [String]?
    let alternatives: [Alternative]
    let document: OpenedDocument?
    /// The page of a typed name is added when the host sends it.
    private(set) var pages: [FlowPage: PlacedPage]
    /// The date, as fields of that kind show it.
    let date: String
    var person = 0
    var step: FlowStep
    /// nil without a document.
    var reading: Reading?
    /// The last answer to each question and field, in the order of the first.
    private(set) var answers: [CaptureAnswer] = []
    /// The accepted ink by the names of the fields and questions.
    private(set) var inks: [String: SignedInk] = [:]
    /// The first field in which the person has written initials.
    private(set) var initials: String?
    private(set) var results: [ReadingResult] = []
    /// How the pages were compared; nil until they are.
    var check: DocumentCheck?
    /// The questions that were shown and left; those that may stay open are done then.
    private var passed: Set<Int> = []
    /// The option that is chosen on a page without a question: a reason for declining, where the last option gives no
    /// reason, an alternative to a signature, or the box that confirms.
    private(set) var pageOption: Int?
    private(set) var insteads = Insteads()
    /// The name on the page of a typed name.
    private(set) var typedName: TypedName?
    /// The pages that were shown in place of signatures or with texts in large letters. Each makes the time limit
    /// longer.
    private(set) var addedPages: Set<FlowPage> = []
    /// Whether the page before had texts in large letters. Its button Next is where this page has a button, too.
    private(set) var followsTexts = false

    /// - Parameter alternatives: to a signature.
    init(
        _ call: CaptureCall, document: OpenedDocument?, pages: [FlowPage: PlacedPage], date: String,
        alternatives: [Alternative] = []
    ) {
        self.alternatives = alternatives
        let flow = call.flow
        namesPeople = !flow.people.isEmpty
        people = Self.people(of: call)
        questions = flow.questions
        policy = flow.document?.policy ?? ReadingPolicy()
        declineReasons = flow.declineReasons
        self.document = document
        self.pages = pages
        self.date = date
        step = .signature
        if let document, let page = pages[FlowPage(person: 0, step: .reading)] {
            reading = Reading(document, on: page)
        }
        step = entrance(to: firstStep)
        noteAdded()
    }

    static func people(of call: CaptureCall) -> [CapturePerson] {
        if call.flow.people.isEmpty { return [CapturePerson(role: "", name: call.request.signer)] }
        return call.flow.people
    }

    /// The index of a person.
    /// - Parameter role: nil for the first.
    func index(of role: String?) -> Int { people.firstIndex { $0.role == role } ?? 0 }

    static func index(of role: String?, in people: [CapturePerson]) -> Int {
        people.firstIndex { $0.role == role } ?? 0
    }

    /// The role of the person whose turn it is, for hosts.
    var role: String? { namesPeople ? people[person].role : nil }

    // MARK: the turn

    /// The questions for the person, by their indices.
    private var questionIndices: [Int] { questions.indices.filter { index(of: questions[$0].person) == person } }

    /// The pages of questions for a person: the indices of those that each page has.
    static func questionPages(of person: Int, _ questions: [CaptureQuestion], _ people: [CapturePerson]) -> [[Int]] {
        var pages: [[Int]] = []
        for (index, question) in questions.enumerated() where Self.index(of: question.person, in: people) == person {
            if let before = pages.last?.last, question.heading != nil, questions[before].heading == question.heading {
                pages[pages.count - 1].append(index)
            } else {
                pages.append([index])
            }
        }
        return pages
    }

    private var questionPages: [[Int]] { Self.questionPages(of: person, questions, people) }

    /// The page of a question.
    func step(of question: Int) -> FlowStep {
        let first = questionPages.first { $0.contains(question) }?.first ?? question
        return questions[first].kind == .note ? .note(first) : .question(first)
    }

    /// The pages of a turn without a document, after the hand-over.
    private var sequence: [FlowStep] { questionPages.map { step(of: $0[0]) } + [.signature] }

    /// The first page of the turn after the hand-over.
    var firstStep: FlowStep { document == nil ? sequence[0] : .reading }

    /// The page after the one that is shown; nil at the end of the turn.
    var nextStep: FlowStep? {
        if step == .handOver { return firstStep }
        if let next = nextInstead { return next }
        guard document == nil else {
            guard let last = shownQuestions.last else { return .reading }
            let next = questionIndices.first { $0 > last && !isDone(.question($0)) }
            return next.map { self.step(of: $0) } ?? .reading
        }
        guard let place = sequence.firstIndex(of: step) else { return nil }
        return place + 1 < sequence.count ? sequence[place + 1] : nil
    }

    /// The page before; nil for the first.
    var previousStep: FlowStep? {
        if let previous = previousInstead { return previous }
        if document != nil { return step == .reading || step == .handOver ? nil : .reading }
        guard let place = sequence.firstIndex(of: step), place > 0 else { return nil }
        return sequence[place - 1]
    }

    /// The questions on the page that is shown, by their indices.
    private var shownQuestions: [Int] {
        switch step {
        case .question(let index), .note(let index): questionPages.first { $0.first == index } ?? []
        default: []
        }
    }

    /// Begins the turn of the next person, with the page that asks for them.
    /// - Returns: false if this was the last one.
    mutating func beginNextTurn() -> Bool {
        guard person + 1 < people.count else { return false }
        person += 1
        initials = nil
        reading?.beginTurn()
        step = entrance(to: .handOver)
        return true
    }

    mutating func endReading(at now: Timestamp) {
        guard let result = reading?.result(at: now) else { return }
        results.append(result)
    }

    // MARK: answers and ink

    func answer(to name: String) -> CaptureAnswer? { answers.first { $0.name == name } }

    private func isAnswered(_ question: Int) -> Bool {
        let name = questions[question].name
        if questions[question].kind == .note { return inks[name] != nil }
        return answer(to: name).map { $0.checked != false } ?? false
    }

    /// Changes an answer.
    /// - Returns: the answer as it is now.
    private mutating func set(_ answer: CaptureAnswer) -> CaptureAnswer {
        if let index = answers.firstIndex(where: { $0.name == answer.name }) {
            answers[index] = answer
        } else {
            answers.append(answer)
        }
        return answer
    }

    /// The question that an option on the page belongs to. Each check box is a question of its own.
    private func question(ofOption option: Int) -> Int? {
        guard case .question(let first) = step else { return nil }
        guard questions[first].kind == .check else { return first }
        return shownQuestions.indices.contains(option) ? shownQuestions[option] : nil
    }

    /// Whether the question of an option on the page has to be answered; nil for other buttons.
    func mustChoose(_ button: PageButton) -> Bool? {
        if isConfirming { return true }
        guard case .option(let option) = button, let question = question(ofOption: option) else { return nil }
        return mustAnswer(question)
    }

    /// Chooses an option of the question that is shown.
    mutating func choose(_ option: Int) -> CaptureAnswer? {
        guard let index = question(ofOption: option) else { return nil }
        let question = questions[index]
        switch question.kind {
        case .check:
            return set(CaptureAnswer(name: question.name, checked: answer(to: question.name)?.checked != true))
        case .choice:
            guard let choices = question.choices, choices.indices.contains(option) else { return nil }
            return set(CaptureAnswer(name: question.name, choice: choices[option]))
        case .rating: return set(CaptureAnswer(name: question.name, rating: option + 1))
        case .note: return nil
        }
    }

    /// Shows another page.
    mutating func go(to next: FlowStep) {
        if case .texts = step { followsTexts = true } else { followsTexts = false }
        // The choice stays while the person reads the texts of the same page again.
        if next.ofPage != step.ofPage { pageOption = nil }
        step = next
        noteAdded()
    }

    /// Adds the page of a typed name, and removes the tick, which was for the name before.
    mutating func show(_ typed: TypedName, on page: PlacedPage, of step: FlowStep) {
        (typedName, pageOption) = (typed, nil)
        pages[FlowPage(person: person, step: step)] = page
    }

    private mutating func noteAdded() {
        switch step {
        case .instead, .texts: addedPages.insert(FlowPage(person: person, step: step))
        default: break
        }
    }

    /// Whether the options of the page are those of ``pageOption``.
    private var hasPageOptions: Bool {
        switch step {
        case .declining, .choosing: true
        default: isConfirming
        }
    }

    /// Chooses a reason for declining, or an alternative, or confirms.
    /// - Returns: false for a page without these.
    mutating func choosePageOption(_ option: Int) -> Bool {
        guard hasPageOptions else { return false }
        // A box can be emptied again.
        pageOption = isConfirming && pageOption == option ? nil : option
        return true
    }

    /// The chosen reason for declining; nil for none.
    var declineReason: String? {
        guard let option = pageOption, let reasons = declineReasons, reasons.indices.contains(option) else {
            return nil
        }
        return reasons[option]
    }

    /// Whether an option of the question that is shown is chosen.
    func isChosen(_ option: Int) -> Bool {
        if hasPageOptions { return option == pageOption }
        guard let index = question(ofOption: option), let answer = answer(to: questions[index].name) else {
            return false
        }
        switch questions[index].kind {
        case .check: return answer.checked == true
        case .choice:
            let choices = questions[index].choices ?? []
            return choices.indices.contains(option) && answer.choice == choices[option]
        case .rating: return answer.rating == option + 1
        case .note: return false
        }
    }

    /// Ticks a check box of the document, or removes the tick, or chooses.
    mutating func tap(_ field: Field) -> CaptureAnswer? {
        switch field.kind {
        case .check: set(CaptureAnswer(name: field.name, checked: answer(to: field.name)?.checked != true))
        case .choice: field.choice.map { set(CaptureAnswer(name: field.name, choice: $0)) }
        case .signature, .initials, .date, .name, .text: nil
        }
    }

    /// Whether the person whose turn it is fills a field of the document, rather than another one or the pad.
    func isFilledByPerson(_ field: Field) -> Bool {
        field.person == person && field.kind != .date && field.kind != .name
    }

    mutating func accept(_ ink: SignedInk, of name: String, isInitials: Bool) {
        inks[name] = ink
        if isInitials, initials == nil { initials = name }
        insteads.remove(recordName(of: name))
    }

    /// Accepts ink in place of a signature.
    mutating func accept(_ ink: SignedInk, _ part: InsteadPart, of name: String) {
        if !part.isWitness { inks[name] = nil }
        insteads.accept(ink, part, of: recordName(of: name))
    }

    /// Confirms in place of a signature, or accepts a typed name.
    mutating func confirm(_ field: ConfirmedField) {
        inks[field.name] = nil
        insteads.confirm(field, of: recordName(of: field.name))
    }

    /// The name in the record. Without a document, the signatures of all people have one name on the pad.
    private func recordName(of name: String) -> String {
        document == nil && name == RecordedFlow.signatureName
            ? RecordedFlow.signatureName(of: person, in: namesPeople ? people : []) : name
    }

    /// Whether a field has its ink, or a complete alternative to it.
    func isFilled(_ name: String) -> Bool { inks[name] != nil || insteads[recordName(of: name)] != nil }

    mutating func withdraw(_ name: String) { inks[name] = nil }

    /// The most important act of the person whose turn it is, for the words that thank them: a signature before
    /// initials, these before answers, and reading last.
    var act: PersonAct {
        func hasWritten(_ name: String) -> Bool {
            inks[name] != nil || !insteads.inks(of: recordName(of: name)).isEmpty
        }
        if document == nil { return hasWritten(RecordedFlow.signatureName) ? .signed : .answered }
        let fields = (document?.plan.fields ?? []).filter { $0.person == person }
        func hasWritten(_ kind: Field.Kind) -> Bool { fields.contains { $0.kind == kind && hasWritten($0.name) } }
        if hasWritten(.signature) { return .signed }
        if hasWritten(.initials) { return .initialled }
        let names = Set(fields.map(\.name) + questionIndices.map { questions[$0].name })
        return names.contains { isFilled($0) || answer(to: $0) != nil } ? .answered : .read
    }

    /// The check of the document, as the record has it. The record thread draws the signed file again before it stores
    /// the record.
    var recordedCheck: DocumentCheck? {
        var check = check
        let isSigned = document?.plan.fields.contains { $0.kind == .signature && isFilled($0.name) }
        if isSigned == true { check?.redrawn = true }
        return check
    }

    // MARK: what is missing

    /// The field of the document that the page on the screen fills.
    var shownField: Field? {
        switch step {
        case .field(let name), .choosing(let name), .instead(let name, _): return field(named: name)
        default: return nil
        }
    }

    func field(named name: String) -> Field? { document?.plan.fields.first { $0.name == name } }

    /// The items that the person must do, in the order in which they are offered.
    var required: [Item] {
        var items: [Item] = []
        if document != nil, policy.mustSeeAllPages == true { items.append(.pages) }
        let mine = (document?.plan.fields ?? []).filter { $0.person == person }
        for field in mine.sorted(by: Self.isBefore) {
            switch field.kind {
            case .check where mustFill(field), .choice where mustFill(field):
                if !items.contains(.answer(field.name)) { items.append(.answer(field.name)) }
            default: break
            }
        }
        items += questionIndices.map { .question($0) }
        for field in mine.sorted(by: Self.isBefore) where field.isRequired || insteads.isBegun(field.name) {
            if field.kind == .signature || field.kind == .initials { items.append(.ink(field.name)) }
        }
        return items
    }

    /// Whether a field of the document may not stay empty.
    func mustFill(_ field: Field) -> Bool {
        field.isRequired || insteads.isBegun(field.name) || field.kind == .choice && policy.requireAnswers == true
    }

    /// A check box may stay empty, unless it is required itself.
    private func mustAnswer(_ question: CaptureQuestion) -> Bool {
        policy.requireAnswers == true && question.kind != .check
    }

    func mustAnswer(_ index: Int) -> Bool { questions[index].required == true || mustAnswer(questions[index]) }

    /// Whether a field comes before another one from the top of the document.
    private static func isBefore(_ a: Field, _ b: Field) -> Bool {
        func place(_ field: Field) -> (Int, Double, Double) {
            (field.page, -field.rectangle.maxY, field.rectangle.minX)
        }
        return place(a) < place(b)
    }

    func isDone(_ item: Item) -> Bool {
        switch item {
        case .pages: reading?.seen.firstUnseen == nil
        case .answer(let name): answer(to: name).map { $0.checked != false } ?? false
        case .question(let index): isAnswered(index) || !mustAnswer(index) && passed.contains(index)
        case .ink(let name): isFilled(name)
        }
    }

    mutating func passQuestions() { passed.formUnion(shownQuestions) }

    /// Whether the questions that are shown can be left.
    var canLeaveQuestions: Bool {
        if step == .declining, declineReasons?.isEmpty != false { return true }
        if hasPageOptions { return pageOption != nil }
        return shownQuestions.allSatisfy { !mustAnswer($0) || isAnswered($0) }
    }
}
