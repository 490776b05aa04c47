import Foundation
import Logging

/// Work that the database lists when it is due. Each item takes its next step, one after the other, again and again.
struct DueWork<Item: Sendable>: Sendable {
    /// The most items of one look.
    private static var atOnce: Int { 50 }
    /// The pause after the database has failed. Without a record the next look would take the same step again.
    private static var pauseAfterFailure: Duration { .seconds(60) }

    /// The time between two looks for what is due.
    let look: Duration
    /// The message when items could not be read or recorded.
    let complaint: Logger.Message
    let logger: Logger
    /// Reads the items that are due, at most so many.
    let due: @Sendable (Int) async throws -> [Item]
    /// Takes the next step of one item, and records it.
    let step: @Sendable (Item) async throws -> Void

    /// Works until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            do {
                for item in try await due(Self.atOnce) {
                    try Task.checkCancellation()
                    try await step(item)
                }
            } catch is CancellationError {
                return
            } catch {
                logger.error(complaint, metadata: ["error": "\(error)"])
                try? await Task.sleep(for: Self.pauseAfterFailure)
            }
            try? await Task.sleep(for: look)
        }
    }
}
