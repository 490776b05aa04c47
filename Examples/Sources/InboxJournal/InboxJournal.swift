import Clocks
import Foundation
import Inbox
import Messages

/// Notes in a file which statements the phone delivers, and when the broker begins to look for them.
public struct InboxJournal: InboxWay {
    private let file: URL

    public init(file: URL) {
        self.file = file
    }

    public func publisher(around standard: any StatementPublisher, folder: URL) -> any StatementPublisher {
        NotedPublisher(wrapped: standard, journal: self)
    }

    public func source(around standard: any DeliverySource, folder: URL) -> any DeliverySource {
        NotedSource(standard: standard, journal: self)
    }

    func note(_ line: String) throws {
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        try (text + line + "\n").write(to: file, atomically: true, encoding: .utf8)
    }
}

struct NotedPublisher: WrappingPublisher {
    let wrapped: any StatementPublisher
    let journal: InboxJournal

    func publish(pdf: URL, for request: RequestID, period: MonthYear, at now: Date) async throws -> String {
        let name = try await wrapped.publish(pdf: pdf, for: request, period: period, at: now)
        try? journal.note("\(name) is delivered")
        return name
    }
}

struct NotedSource: DeliverySource {
    let standard: any DeliverySource
    let journal: InboxJournal

    func run() async throws {
        try? journal.note("the broker looks")
        try await standard.run()
    }
}
