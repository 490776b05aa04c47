import ArgumentParser
import Clocks
import Encodings
import Foundation
import Storage

/// Shows an audit log at the terminal, the broker's or the phone's.
enum AuditReading {
    /// Prints the records, and then whether the chain is intact.
    ///
    /// - Parameter sentences: what is shown at a terminal in place of types and details.
    /// - Throws: `ExitCode` 1 when it is not.
    static func list(_ log: AuditLog, _ filter: AuditFilter, json: Bool, _ sentences: ((AuditEvent) -> String)? = nil)
        async throws
    {
        let records = try await log.records(filter)
        let isTable = !json && Console.isTerminal
        if isTable, !records.isEmpty { Console.standard.table(table(of: records, at: Date(), sentences)) }
        for record in records where !isTable {
            let event = record.event
            guard !json else {
                Console.standard.line(record.json.compactText())
                continue
            }
            let request = event.requestID?.inLine() ?? ""
            let words = "\(Timestamp(event.time))  \(event.severity.rawValue)  \(event.type.inLine())  \(request)"
            Console.standard.line("\(words)  \(event.details.compactText().inLine(limit: 2000))")
        }
        let result = try await log.verify()
        if !json {
            // A long digest is for those who keep it elsewhere; verify prints it.
            let words = isTable ? "\(result)".components(separatedBy: "; checkpoint ")[0] : "\(result)"
            Console.standard.line(words, result.isIntact ? .faint : .bad)
        }
        try fail(unless: result, isShown: !json)
    }

    static func table(
        of records: [AuditRecord], at now: Date, _ sentences: ((AuditEvent) -> String)? = nil
    ) -> Table {
        var table =
            sentences == nil
            ? Table("WHEN", "SEVERITY", "EVENT", "REQUEST", "DETAILS", wrapsLast: true)
            : Table("WHEN", "REQUEST", "WHAT", wrapsLast: true)
        for record in records {
            let event = record.event
            let request = event.requestID.map { String($0.prefix(8)) } ?? ""
            let style: Console.Style = event.severity > .warning ? .bad : .plain
            if let sentences {
                let mark = event.severity > .info ? " (\(event.severity.rawValue))" : ""
                table.add(event.time.ago(at: now), request, sentences(event) + mark, style: style)
            } else {
                table.add(
                    event.time.ago(at: now), event.severity.rawValue, event.type, request, words(for: event.details),
                    style: style)
            }
        }
        return table
    }

    /// The details as `name value`; of a digest the first digits.
    private static func words(for details: JSONValue) -> String {
        (details.objectValue ?? [:]).sorted { $0.key < $1.key }.map { name, value in
            let text = value.stringValue ?? value.compactText()
            let isDigest = text.count >= 40 && text.allSatisfy(\.isHexDigit)
            // A long one would fill the screen with a stranger's words; --json has it whole.
            let shown = isDigest ? text.prefix(12) + "…" : text.inLine(limit: 400)
            return "\(name.replacing("_", with: " ").inLine()) \(shown)"
        }.joined(separator: " · ")
    }

    /// Verifies the chain and prints the result with a checkpoint.
    ///
    /// - Parameter text: a checkpoint that was kept elsewhere.
    /// - Throws: `ExitCode` 1 when the log is not intact; ``CommandFailure`` for a text that is not a checkpoint.
    static func verify(_ log: AuditLog, against text: String?, json: Bool) async throws {
        let kept = try text.map { text in
            guard let kept = AuditCheckpoint(text) else {
                throw CommandFailure(
                    "“\(text.inLine(limit: 100))” is not a checkpoint: a number, a colon and 64 hex digits, as an earlier audit verify "
                        + "printed it; without one, leave --checkpoint out, and keep the one that is printed then",
                    status: 2)
            }
            return kept
        }
        let result = try await log.verify(against: kept)
        if json {
            var fields: [String: JSONValue] = [
                "intact": .bool(result.isIntact), "message": .string(result.description),
            ]
            if case .intact(let count, let last) = result {
                fields["records"] = .number(Double(count))
                fields["checkpoint"] = .string(last.description)
            }
            Console.standard.line(JSONValue.object(fields).compactText())
        } else {
            Console.standard.line("\(result)", result.isIntact ? .good : .bad)
        }
        try fail(unless: result, isShown: true)
    }

    /// Reads a day or a time from the command line.
    ///
    /// - Throws: ``CommandFailure``.
    static func time(_ text: String?, _ option: String) throws -> Date? {
        guard let text else { return nil }
        guard let time = Timestamp(text) ?? Timestamp("\(text)T00:00:00.000Z") else {
            throw CommandFailure(
                "\(option) is “\(text)”; write a day such as 2026-01-31, or a time such as 2026-01-31T09:00:00.000Z",
                status: 2)
        }
        return time.date
    }

    private static func fail(unless result: AuditVerification, isShown: Bool) throws {
        guard !result.isIntact else { return }
        if !isShown { Console.standard.error("the audit log is not intact: \(result)") }
        throw ExitCode(1)
    }
}
