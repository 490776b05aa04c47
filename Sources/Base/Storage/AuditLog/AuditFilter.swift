import Foundation
import GRDB

/// A selection of records. A property that is nil excludes none.
package struct AuditFilter: Sendable, Hashable {
    package var requestID: String?
    package var leastSeverity: AuditSeverity
    /// The start of the event's type: `request` also finds `request.approved`.
    package var type: String?
    package var since: Date?
    package var until: Date?
    /// Only records with a higher id, to read on.
    package var after: Int64
    /// The largest number of records; the newest are returned.
    package var limit: Int

    package init(
        requestID: String? = nil, leastSeverity: AuditSeverity = .info, type: String? = nil, since: Date? = nil,
        until: Date? = nil, after: Int64 = 0, limit: Int = 1000
    ) {
        self.requestID = requestID
        self.leastSeverity = leastSeverity
        self.type = type
        self.since = since
        self.until = until
        self.after = after
        self.limit = limit
    }

    var condition: (sql: String, arguments: StatementArguments) {
        var parts = ["id > ?"]
        var arguments: StatementArguments = [after]
        if let requestID {
            parts.append("request_id = ?")
            arguments += [requestID]
        }
        if leastSeverity > .info {
            let names = AuditSeverity.allCases.filter { $0 >= leastSeverity }.map(\.rawValue)
            parts.append("severity IN (\(names.map { _ in "?" }.joined(separator: ", ")))")
            arguments += StatementArguments(names)
        }
        if let type {
            parts.append("(event_type = ? OR substr(event_type, 1, length(?) + 1) = ? || '.')")
            arguments += [type, type, type]
        }
        if let since {
            parts.append("created_at >= ?")
            arguments += [AuditTime.text(since)]
        }
        if let until {
            parts.append("created_at < ?")
            arguments += [AuditTime.text(until)]
        }
        return (parts.joined(separator: " AND "), arguments)
    }
}
