import Foundation

/// The broker's side of the inbox: brings deliveries to the broker.
public protocol DeliverySource: Sendable {
    /// Brings deliveries until the task is cancelled, and then returns within seconds.
    ///
    /// - Throws: when it cannot go on. A plug-in's is logged by its name, and begun again after a pause.
    func run() async throws
}

extension InboxIngestor: DeliverySource {}

/// A way of a plug-in's for documents from the phone to the broker, around the standard inbox.
///
/// The standard inbox signs and verifies. A way carries signed files, adds to what happens, or both; it receives neither the
/// secret that signs nor anything of the bank but the documents. A program lists it: `.inbox("journal", …)`. Of several, each
/// is around those before it in the list.
public protocol InboxWay: Sendable {
    /// Returns the phone's side. It is asked for each call.
    ///
    /// - Parameter folder: the phone's inbox, where the standard publisher puts files and their manifests.
    func publisher(around standard: any StatementPublisher, folder: URL) -> any StatementPublisher

    /// Returns the broker's side, once for a broker's run.
    ///
    /// - Parameters:
    ///   - standard: takes what lies in the folder. Nothing arrives unless it runs.
    ///   - folder: the broker's inbox.
    func source(around standard: any DeliverySource, folder: URL) -> any DeliverySource
}

/// A plug-in's way with its name.
package struct NamedInbox: Sendable {
    package let name: String
    private let way: any InboxWay
    private let limit: Duration
    private let pause: Duration

    /// - Parameters:
    ///   - limit: the time for one call at the phone: enough to carry a large file over a slow line.
    ///   - pause: the time until a source that failed is begun again.
    package init(
        _ name: String, _ way: any InboxWay, limit: Duration = .seconds(300), pause: Duration = .seconds(10)
    ) {
        self.name = name
        self.way = way
        self.limit = limit
        self.pause = pause
    }

    /// Returns the phone's side, which names this way in its errors and never hangs.
    package func publisher(
        around standard: any WithdrawingPublisher, folder: URL
    ) -> any WithdrawingPublisher {
        GuardedPublisher(name: name, way: way, standard: standard, folder: folder, limit: limit)
    }

    /// Returns the broker's side, which begins again when this way fails.
    ///
    /// - Parameter failed: called with the problem.
    package func source(
        around standard: any DeliverySource, folder: URL, failed: @escaping @Sendable (String) -> Void
    ) -> any DeliverySource {
        GuardedSource(source: way.source(around: standard, folder: folder), pause: pause, failed: failed)
    }
}
