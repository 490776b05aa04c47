import Encodings
import Foundation

/// The formats in which the log can be exported.
package enum AuditExport: String, Sendable, CaseIterable {
    /// One JSON object per line, with the hashes: other programs can verify the chain.
    case jsonl
    /// Comma-separated values (RFC 4180) with a header line. Every text is in quotation marks.
    case csv

    package func text(of records: [AuditRecord]) -> String {
        switch self {
        case .jsonl: records.map { $0.json.compactText() + "\n" }.joined()
        case .csv: Self.header.joined(separator: ",") + "\r\n" + records.map(Self.line).joined()
        }
    }

    private static let header = ["id", "time", "severity", "type", "request_id", "details", "previous_hash", "hash"]

    private static func fields(of record: AuditRecord) -> [String] {
        let event = record.event
        return [
            AuditTime.text(event.time), event.severity.rawValue, event.type, event.requestID ?? "",
            event.details.compactText(), record.previousHash, record.hash,
        ]
    }

    private static func line(_ record: AuditRecord) -> String {
        ([String(record.id)] + fields(of: record).map(quoted)).joined(separator: ",") + "\r\n"
    }

    private static func quoted(_ text: String) -> String {
        // A line end inside quotation marks would be a row to everyone who reads the file line by line.
        "\"" + FormulaGuard.guarded(text.visible).escaping(["\"": "\"\""]) + "\""
    }
}
