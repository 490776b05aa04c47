import WebURL

/// The pages to go back to. Only the last one is kept whole, which bounds a session's memory.
struct History {
    struct Visit {
        let url: URLRecord
        let isRepeatable: Bool
        fileprivate(set) var page: Page?
    }

    private static let most = 50
    private static let mostWhole = 1

    private var visits: [Visit] = []

    mutating func push(_ page: Page, isRepeatable: Bool) {
        visits.append(Visit(url: page.location, isRepeatable: isRepeatable, page: page))
        if visits.count > Self.mostWhole { visits[visits.count - Self.mostWhole - 1].page = nil }
        if visits.count > Self.most { visits.removeFirst() }
    }

    mutating func pop() -> Visit? { visits.popLast() }
}
