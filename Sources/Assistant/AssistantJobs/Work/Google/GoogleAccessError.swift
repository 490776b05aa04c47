import Foundation

/// The reasons for which Google cannot be asked for a user.
package enum GoogleAccessError: Error, Sendable, Hashable {
    /// The user has no connection to Google.
    case notConnected
    /// The user did not consent to this.
    case missingScope
    /// Google no longer accepts the consent, and the user was told.
    case needsReconnect
    /// Google no longer accepts the consent, and the user could not be told yet.
    case untold(after: Duration)
    /// Google or the enclave cannot be asked now.
    ///
    /// - Parameter reason: a code for logs and the audit log.
    case later(after: Duration?, reason: String)

    /// The pause until a missing scope is looked for again. A new consent ends it at once.
    private static let scopePause: TimeInterval = 3600

    /// The end of a job that needs Google.
    package func jobEnd(at now: Date) -> JobEnd {
        switch self {
        case .notConnected, .needsReconnect: .done
        case .missingScope: .next(now.addingTimeInterval(Self.scopePause))
        case .untold(let pause): .retry(after: pause, reason: "RECONNECT_NOT_TOLD")
        case .later(let pause, let reason): .retry(after: pause, reason: reason)
        }
    }
}
