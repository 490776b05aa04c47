import Clocks
import Foundation
import Machine
import Messages
import Signer

/// The phone's side of the inbox: delivers documents for the broker to find.
///
/// A call that throws fails the request. What it has put into the standard inbox is then removed there by the phone; what it has
/// sent elsewhere it has to take back itself. Of an error only the type's name is told to the owner, and to the broker.
public protocol StatementPublisher: Sendable {
    /// Throws when nothing can be delivered now. It is asked before the bank is visited.
    func check() async throws

    /// Delivers a statement, and signs its manifest.
    ///
    /// - Parameters:
    ///   - pdf: the file, which the phone removes afterwards.
    ///   - now: the time that the manifest gives.
    /// - Returns: the PDF's name in the inbox.
    func publish(pdf: URL, for request: RequestID, period: MonthYear, at now: Date) async throws -> String

    /// Removes the files of an interrupted delivery; a complete delivery stays.
    ///
    /// - Returns: the PDF's name in the inbox when a complete delivery is there.
    func removeLeftovers(of request: RequestID) async -> String?

    /// Delivers one of several documents of a request, and signs its manifest.
    func publish(
        document: URL, _ description: CompletionManifest.Document, for request: RequestID, at now: Date) async throws

    /// Ends several documents: the broker then knows which of them were to come.
    func close(_ closing: ClosingManifest) async throws

    /// Removes the files of an interrupted delivery of one of several documents; whole ones stay.
    func removeUnfinishedDocuments(of request: RequestID) async
}

/// A publisher that changes some calls of another one, and hands the rest on.
public protocol WrappingPublisher: StatementPublisher {
    var wrapped: any StatementPublisher { get }
}

extension WrappingPublisher {
    public func check() async throws { try await wrapped.check() }

    public func publish(pdf: URL, for request: RequestID, period: MonthYear, at now: Date) async throws -> String {
        try await wrapped.publish(pdf: pdf, for: request, period: period, at: now)
    }

    public func removeLeftovers(of request: RequestID) async -> String? {
        await wrapped.removeLeftovers(of: request)
    }

    public func publish(
        document: URL, _ description: CompletionManifest.Document, for request: RequestID, at now: Date
    ) async throws {
        try await wrapped.publish(document: document, description, for: request, at: now)
    }

    public func close(_ closing: ClosingManifest) async throws { try await wrapped.close(closing) }

    public func removeUnfinishedDocuments(of request: RequestID) async {
        await wrapped.removeUnfinishedDocuments(of: request)
    }
}

/// The inbox in the synced folder, written in the order of the specification's section 12.4.
package struct InboxStatementPublisher: WithdrawingPublisher {
    private let publisher: InboxPublisher

    package init(folder: URL, secret: SharedSecret) {
        publisher = InboxPublisher(folder: folder, secret: secret)
    }

    package func check() async throws {
        try await BlockingWork.run { [publisher] in try publisher.check() }
    }

    package func publish(
        document: URL, _ description: CompletionManifest.Document, for request: RequestID, at now: Date
    ) async throws {
        try await BlockingWork.run { [publisher] in
            _ = try publisher.publish(document: document, description, for: request, completedAt: Timestamp(now))
        }
    }

    package func close(_ closing: ClosingManifest) async throws {
        try await BlockingWork.run { [publisher] in try publisher.close(closing) }
    }

    package func removeUnfinishedDocuments(of request: RequestID) async {
        _ = try? await BlockingWork.run { [publisher] in publisher.removeUnfinishedDocuments(of: request) }
    }

    package func removeLeftovers(of request: RequestID) async -> String? {
        try? await BlockingWork.run { [publisher] in
            publisher.removeLeftovers(of: request)
            return publisher.committed(request)
        }
    }

    package func publish(pdf: URL, for request: RequestID, period: MonthYear, at now: Date) async throws -> String {
        try await BlockingWork.run { [publisher] in
            try publisher.publish(pdf: pdf, for: request, period: period, completedAt: Timestamp(now)).pdf
                .lastPathComponent
        }
    }

    package func withdraw(_ delivered: Delivered) async -> Bool {
        let wasThere = try? await BlockingWork.run { [publisher] in publisher.withdraw(delivered) }
        return wasThere ?? false
    }
}
