// SPDX-License-Identifier: Apache-2.0
public import HostAPI

/// The page as a person sees it, for programs that act as a person.
public struct PadView: Equatable, Sendable {
    public var page: PanelStatus.Page
    /// The page of the running capture; nil without one.
    public var placed: PlacedPage?
    /// The number of the page in its capture: a flow may show the same kind of page twice.
    public var number: Int
    /// The document on the page; nil without one.
    public var document: DocumentScene?

    public init(page: PanelStatus.Page, placed: PlacedPage? = nil, number: Int = 1, document: DocumentScene? = nil) {
        self.page = page
        self.placed = placed
        self.number = number
        self.document = document
    }

    /// The number stands for the page.
    public static func == (a: PadView, b: PadView) -> Bool {
        a.page == b.page && a.number == b.number && a.document == b.document && (a.placed == nil) == (b.placed == nil)
    }
}

extension Pad {
    public var view: PadView {
        PadView(
            page: page, placed: running?.page, number: running?.pageCount ?? 0,
            document: running?.isReading == true ? running?.shownScene : nil)
    }
}
