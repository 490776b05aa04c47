import Logging
import Synchronization

/// Logged records as texts: level, message and details.
package final class LogRecords: Sendable {
    private let records = Mutex<[String]>([])

    package init() {}

    package var all: [String] { records.withLock { $0 } }

    /// A logger that writes to these records, from level debug.
    package var logger: Logger { Logger(label: "test") { _ in RecordingHandler(records: self) } }

    fileprivate func add(_ record: String) { records.withLock { $0.append(record) } }
}

private struct RecordingHandler: LogHandler {
    let records: LogRecords
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .debug

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let details = (event.metadata ?? [:]).map { "\($0.key)=\($0.value)" }.sorted().joined(separator: " ")
        records.add("\(event.level) \(event.message) \(details)")
    }
}
