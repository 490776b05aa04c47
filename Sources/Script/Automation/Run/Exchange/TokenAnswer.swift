import BankScript
import Encodings
import Foundation
import Secrets

/// The answer of a token endpoint (RFC 6749, sections 5.1 and 5.2), or of a device authorization (RFC 8628, section 3.2).
struct TokenAnswer: Sendable {
    let status: Int
    let retryAfter: RetryAfter?
    private let members: [String: JSONValue]

    init(_ answer: EngineAnswer, now: Date) {
        status = answer.status
        retryAfter = RetryAfter(answer.headers, now: now)
        let read = answer.secretBody.flatMap { try? JSONReader.read($0.revealed()) }
        members = read?.objectValue ?? [:]
    }

    var isSuccess: Bool { (200...299).contains(status) }

    /// The error's code, such as `invalid_grant`; nil for an answer without one.
    var error: String? {
        guard let code = members["error"]?.stringValue, code.utf8.count <= 60 else { return nil }
        return code
    }

    /// The bank's words about the error.
    var words: String? {
        (members["error_description"] ?? members["message"] ?? members["error"])?.stringValue.map(sanitised)
    }

    func secret(_ name: String) -> Secret? {
        guard let text = members[name]?.stringValue, !text.isEmpty else { return nil }
        return Secret(text)
    }

    func text(_ name: String) -> String? { members[name]?.stringValue }

    /// A whole number, which some servers send as a text.
    func number(_ name: String) -> Int? {
        if let number = members[name]?.numberValue, number.isFinite, abs(number) < 1e10 { return Int(number) }
        return members[name]?.stringValue.flatMap { Int($0) }
    }

    /// The whole answer, to look for the end of a consent in it.
    var json: JSONValue { .object(members) }
}
