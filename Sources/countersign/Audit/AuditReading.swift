import ArgumentParser
import AuditLog
import Clocks
import Foundation
import JSON
import Terminal

/// Shows an audit log at the terminal, the broker's or the phone's.
enum AuditReading {
    /// Prints the records, and then whether the chain is intact.
    ///
    /// - Throws: `ExitCode` 1 when it is not.
    static func list(_ log: AuditLog, _ filter: AuditFilter, json: Bool) async throws {
        for record in try await log.records(filter) {
            let event = record.event
            let words = "\(Timestamp(event.time))  \(event.severity.rawValue)  \(event.type)  \(event.requestID ?? "")"
            Console.standard.line(json ? record.json.compactText() : "\(words)  \(event.details.compactText())")
        }
        let result = try await log.verify()
        if !json { Console.standard.line("\(result)", result.isIntact ? .faint : .bad) }
        try fail(unless: result, isShown: !json)
    }

    /// Verifies the chain and prints the result with a checkpoint.
    ///
    /// - Parameter text: a checkpoint that was kept elsewhere.
    /// - Throws: `ExitCode` 1 when the log is not intact; ``CommandFailure`` for a text that is not a checkpoint.
    static func verify(_ log: AuditLog, against text: String?, json: Bool) async throws {
        let kept = try text.map { text in
            guard let kept = AuditCheckpoint(text) else {
                throw CommandFailure(
                    "“\(text)” is not a checkpoint; write a number, a colon and 64 hex digits", status: 2)
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
