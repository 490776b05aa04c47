import Foundation
import JSON

/// The log in files of other programs.
public enum AuditExport: String, Sendable, CaseIterable {
    /// One JSON object a line, hashes included, so that the chain can be checked without this program.
    case jsonl
    /// RFC 4180, with a header line.
    case csv

    public func text(of records: [AuditRecord]) -> String {
        switch self {
        case .jsonl: records.map { $0.json.compactText() + "\n" }.joined()
        case .csv: ([Self.header] + records.map(Self.fields)).map(Self.line).joined()
        }
    }

    private static let header = ["id", "time", "severity", "type", "request_id", "details", "previous_hash", "hash"]

    private static func fields(of record: AuditRecord) -> [String] {
        let event = record.event
        return [
            String(record.id), AuditTime.text(event.time), event.severity.rawValue, event.type, event.requestID ?? "",
            event.details.compactText(), record.previousHash, record.hash,
        ]
    }

    private static func line(_ fields: [String]) -> String {
        fields.map(quoted).joined(separator: ",") + "\r\n"
    }

    private static func quoted(_ field: String) -> String {
        // A spreadsheet takes a cell that begins with one of these for a formula.
        let text = field.first.map { "=+-@\t\r".contains($0) } == true ? "'" + field : field
        guard text.contains(where: { ",\"\r\n".contains($0) || $0.isNewline }) else { return text }
        return "\"" + text.replacingOccurrences(of: "\"", with: "\"\"") + "\""
    }
}
