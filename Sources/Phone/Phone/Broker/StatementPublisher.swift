import Clocks
import Foundation
import Inbox
import Machine
import Messages
import PhoneStore
import Secrets
import Signer

/// A place to which statements are delivered for the broker to find.
package protocol StatementPublisher: Sendable {
    /// Throws if the folder cannot take a file.
    func check() async throws
    /// Delivers a statement.
    ///
    /// - Returns: the PDF's name in the inbox.
    func publish(pdf: URL, for request: RequestID, period: MonthYear, at now: Date) async throws -> String
    /// Removes the files of an interrupted delivery; a complete delivery stays.
    ///
    /// - Returns: the PDF's name in the inbox if a complete delivery is there.
    func removeLeftovers(of request: RequestID) async -> String?

    /// Delivers one of several documents.
    func publish(
        document: URL, _ description: CompletionManifest.Document, for request: RequestID, at now: Date) async throws
    /// Ends several documents.
    func close(_ closing: ClosingManifest) async throws
    /// Removes the files of an interrupted delivery of one of several documents; whole ones stay.
    func removeUnfinishedDocuments(of request: RequestID) async
}

// A place that takes single statements only.
extension StatementPublisher {
    package func publish(
        document: URL, _ description: CompletionManifest.Document, for request: RequestID, at now: Date
    ) async throws { throw Self.onlyStatements }

    package func close(_ closing: ClosingManifest) async throws { throw Self.onlyStatements }

    package func removeUnfinishedDocuments(of request: RequestID) async {}

    private static var onlyStatements: PhoneError {
        PhoneError(.invalidSetting, "this phone delivers single statements only; ask for one month")
    }
}

/// The inbox in the synced folder, written in the order of the specification's section 12.4.
struct InboxStatementPublisher: StatementPublisher {
    private let publisher: InboxPublisher

    init(folder: URL, secret: SharedSecret) {
        publisher = InboxPublisher(folder: folder, secret: secret)
    }

    func check() async throws {
        try await BlockingWork.run { [publisher] in try publisher.check() }
    }

    func publish(
        document: URL, _ description: CompletionManifest.Document, for request: RequestID, at now: Date
    ) async throws {
        try await BlockingWork.run { [publisher] in
            _ = try publisher.publish(document: document, description, for: request, completedAt: Timestamp(now))
        }
    }

    func close(_ closing: ClosingManifest) async throws {
        try await BlockingWork.run { [publisher] in try publisher.close(closing) }
    }

    func removeUnfinishedDocuments(of request: RequestID) async {
        _ = try? await BlockingWork.run { [publisher] in publisher.removeUnfinishedDocuments(of: request) }
    }

    func removeLeftovers(of request: RequestID) async -> String? {
        try? await BlockingWork.run { [publisher] in
            publisher.removeLeftovers(of: request)
            return publisher.committed(request)
        }
    }

    func publish(pdf: URL, for request: RequestID, period: MonthYear, at now: Date) async throws -> String {
        try await BlockingWork.run { [publisher] in
            try publisher.publish(pdf: pdf, for: request, period: period, completedAt: Timestamp(now)).pdf
                .lastPathComponent
        }
    }
}
