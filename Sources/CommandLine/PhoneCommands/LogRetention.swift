import Foundation
import Phone
import PhoneStore
import Storage
import Terminal

/// Removes old records of the phone's audit log while the page is served. The chain stays verifiable: the record of a removal
/// carries the hash of the last record that was removed.
struct LogRetention: Sendable {
    private static let interval: Duration = .seconds(3600)
    private static let day: TimeInterval = 86_400

    let home: PhoneHome
    let days: Int

    /// Applies the retention now and every hour, until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            do {
                try await apply(at: Date())
            } catch is CancellationError {
                return
            } catch {
                Console.standard.error("old records of the audit log could not be removed: \(error)")
            }
            try? await Task.sleep(for: Self.interval)
        }
    }

    /// - Returns: the number of removed records.
    @discardableResult
    func apply(at now: Date) async throws -> Int {
        guard FileManager.default.fileExists(atPath: home.database.path) else { return 0 }
        return try await PhoneDatabase(home).audit.prune(
            since: now.addingTimeInterval(-Self.day * Double(days)), at: now)
    }
}
