import Clocks
import Encodings
import Foundation
import Machine
import Messages
import Signer

/// A failure of a plug-in's way, with its name.
struct InboxWayError: Error, CustomStringConvertible {
    let description: String
}

/// A publisher whose code is a stranger's: it can throw and hang.
struct GuardedPublisher: StatementPublisher {
    let name: String
    let publisher: any StatementPublisher
    let limit: Duration

    func check() async throws { try await call { try await $0.check() } }

    func publish(pdf: URL, for request: RequestID, period: MonthYear, at now: Date) async throws -> String {
        try await call { try await $0.publish(pdf: pdf, for: request, period: period, at: now) }
    }

    func removeLeftovers(of request: RequestID) async -> String? {
        try? await call { await $0.removeLeftovers(of: request) }
    }

    func publish(
        document: URL, _ description: CompletionManifest.Document, for request: RequestID, at now: Date
    ) async throws {
        try await call { try await $0.publish(document: document, description, for: request, at: now) }
    }

    func close(_ closing: ClosingManifest) async throws { try await call { try await $0.close(closing) } }

    func removeUnfinishedDocuments(of request: RequestID) async {
        try? await call { await $0.removeUnfinishedDocuments(of: request) }
    }

    private func call<Answer: Sendable>(
        _ call: @escaping @Sendable (any StatementPublisher) async throws -> Answer
    ) async throws -> Answer {
        do {
            return try await callingOut(atMost: limit, on: SystemClock()) { [publisher] in try await call(publisher) }
        } catch is TimeLimitExceeded {
            throw InboxWayError(
                description: "the inbox “\(name)” did not answer within \(limit.components.seconds) s")
        } catch let error where error is PublishError || error is InboxWayError {
            // The standard inbox's, or that of another way inside this one.
            throw error
        } catch {
            if Task.isCancelled { throw CancellationError() }
            throw InboxWayError(description: "the inbox “\(name)” failed: \("\(error)".inLine(limit: 300))")
        }
    }
}

/// A source whose code is a stranger's: while it fails, the deliveries wait in the inbox.
struct GuardedSource: DeliverySource {
    let source: any DeliverySource
    let pause: Duration
    let failed: @Sendable (String) -> Void

    func run() async throws {
        while !Task.isCancelled {
            do {
                try await source.run()
                if !Task.isCancelled { failed("it has ended by itself") }
            } catch let error as FileError {
                // The standard source's: the broker cannot work with this folder.
                throw error
            } catch {
                if !Task.isCancelled { failed("\(error)".inLine(limit: 300)) }
            }
            try? await Task.sleep(for: pause)
        }
    }
}
