import Clocks
import Encodings
import Foundation
import Machine
import Messages
import Signer
import Synchronization

/// A failure of a plug-in's way, with its name.
struct InboxWayError: Error, CustomStringConvertible {
    let description: String
}

/// A way whose code is a stranger's: it can throw and hang. Then nothing that it has delivered stays, and nothing comes late.
struct GuardedPublisher: WithdrawingPublisher {
    let name: String
    let way: any InboxWay
    let standard: any WithdrawingPublisher
    let folder: URL
    let limit: Duration

    func check() async throws { try await call { try await $0.check() } }

    func publish(pdf: URL, for request: RequestID, period: MonthYear, at now: Date) async throws -> String {
        try await call(whole: period.fileStem(for: request) + ".pdf") {
            try await $0.publish(pdf: pdf, for: request, period: period, at: now)
        }
    }

    func publish(
        document: URL, _ description: CompletionManifest.Document, for request: RequestID, at now: Date
    ) async throws {
        try await call(whole: ()) { try await $0.publish(document: document, description, for: request, at: now) }
    }

    func close(_ closing: ClosingManifest) async throws {
        try await call(whole: ()) { try await $0.close(closing) }
    }

    /// Asks the standard inbox where the way fails: by the answer a run that was interrupted has delivered, or has not.
    func removeLeftovers(of request: RequestID) async -> String? {
        do {
            return try await call { await $0.removeLeftovers(of: request) }
        } catch {
            return await standard.removeLeftovers(of: request)
        }
    }

    func removeUnfinishedDocuments(of request: RequestID) async {
        do {
            try await call { await $0.removeUnfinishedDocuments(of: request) }
        } catch {
            await standard.removeUnfinishedDocuments(of: request)
        }
    }

    func withdraw(_ delivered: Delivered) async -> Bool { await standard.withdraw(delivered) }

    /// - Parameter taken: the answer when the way fails after the broker has taken what it had delivered; nil where nothing is
    ///   delivered.
    private func call<Answer: Sendable>(
        whole taken: Answer? = nil, _ call: @escaping @Sendable (any StatementPublisher) async throws -> Answer
    ) async throws -> Answer {
        let delivery = OneDelivery(standard)
        do {
            let publisher = way.publisher(around: delivery, folder: folder)
            return try await callingOut(atMost: limit, on: SystemClock()) { try await call(publisher) }
        } catch {
            if await delivery.end() == .taken, let taken { return taken }
            throw named(error)
        }
    }

    private func named(_ error: any Error) -> any Error {
        if error is TimeLimitExceeded {
            return InboxWayError(
                description: "the inbox “\(name)” did not answer within \(limit.components.seconds) s")
        }
        // The standard inbox's, or that of another way inside this one.
        if error is PublishError || error is InboxWayError { return error }
        if Task.isCancelled { return CancellationError() }
        // A stranger's words could hold anything, and this message leaves the phone.
        return InboxWayError(
            description: "the inbox “\(name)” failed: \("\(type(of: error))".inLine(limit: 100))")
    }
}

/// Something that lies in the inbox with its signature.
package enum Delivered: Sendable {
    /// A file and its manifest.
    case file(String)
    /// The closing manifest of several documents.
    case end(String)
}

/// A publisher that can take back what it has delivered.
package protocol WithdrawingPublisher: StatementPublisher {
    /// Removes a delivery.
    ///
    /// - Returns: false when it is not there any more: the broker has taken it.
    func withdraw(_ delivered: Delivered) async -> Bool
}

/// The standard inbox for one call of a way, which may be left behind when its time is over.
private final class OneDelivery: WithdrawingPublisher {
    enum End { case nothing, withdrawn, taken }

    private struct State {
        var isOver = false
        var delivered: Delivered?
    }

    private let standard: any WithdrawingPublisher
    private let state = Mutex(State())

    init(_ standard: any WithdrawingPublisher) {
        self.standard = standard
    }

    /// Withdraws what was delivered, and what still comes.
    func end() async -> End {
        let delivered = state.withLock { state in
            state.isOver = true
            return state.delivered
        }
        guard let delivered else { return .nothing }
        return await standard.withdraw(delivered) ? .withdrawn : .taken
    }

    func check() async throws { try await standard.check() }

    func publish(pdf: URL, for request: RequestID, period: MonthYear, at now: Date) async throws -> String {
        try checkIsInTime()
        let name = try await standard.publish(pdf: pdf, for: request, period: period, at: now)
        try await keep(.file(name))
        return name
    }

    func publish(
        document: URL, _ description: CompletionManifest.Document, for request: RequestID, at now: Date
    ) async throws {
        try checkIsInTime()
        try await standard.publish(document: document, description, for: request, at: now)
        try await keep(.file(description.filename(for: request)))
    }

    func close(_ closing: ClosingManifest) async throws {
        try checkIsInTime()
        try await standard.close(closing)
        try await keep(.end(ClosingManifest.filename(for: closing.requestID)))
    }

    func removeLeftovers(of request: RequestID) async -> String? { await standard.removeLeftovers(of: request) }

    func removeUnfinishedDocuments(of request: RequestID) async {
        await standard.removeUnfinishedDocuments(of: request)
    }

    func withdraw(_ delivered: Delivered) async -> Bool { await standard.withdraw(delivered) }

    private func checkIsInTime() throws {
        if state.withLock({ $0.isOver }) { throw late }
    }

    private func keep(_ delivered: Delivered) async throws {
        let isOver = state.withLock { state in
            state.delivered = delivered
            return state.isOver
        }
        guard isOver else { return }
        _ = await standard.withdraw(delivered)
        throw late
    }

    private var late: InboxWayError { InboxWayError(description: "the delivery came after its request had failed") }
}

/// A source whose code is a stranger's: while it fails, the deliveries wait in the inbox.
struct GuardedSource: DeliverySource {
    let source: any DeliverySource
    let pause: Duration
    let failed: @Sendable (String) -> Void

    func run() async throws {
        var isFirst = true
        while !Task.isCancelled {
            do {
                try await source.run()
                if !Task.isCancelled { failed("it has ended by itself") }
            } catch let error as FileError where isFirst {
                // The standard source's: the broker cannot work with this folder. Later, its disk may only be away.
                throw error
            } catch {
                if !Task.isCancelled { failed("\(error)".inLine(limit: 300)) }
            }
            isFirst = false
            try? await Task.sleep(for: pause)
        }
    }
}
