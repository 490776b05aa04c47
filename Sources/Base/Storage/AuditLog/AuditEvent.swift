import Encodings
import Foundation
import Secrets

/// The importance of an event.
package enum AuditSeverity: String, Sendable, Hashable, CaseIterable, Comparable {
    case info, warning, error, critical

    package static func < (left: AuditSeverity, right: AuditSeverity) -> Bool {
        allCases.firstIndex(of: left)! < allCases.firstIndex(of: right)!
    }
}

/// An event to record. The texts of its details are redacted of live secrets before it is written.
///
/// Its type is our own word, and stays when a password is the same word. An identifier is redacted only if all of it is a
/// secret: that of a request stays one by which its events are found.
package struct AuditEvent: Sendable, Hashable {
    package var time: Date
    package var severity: AuditSeverity
    /// A short name in lower case with dots, such as `request.approved`.
    package var type: String
    package var requestID: String?
    /// An object with the details that a reader needs; never a credential, a token or a code.
    package var details: JSONValue

    package init(
        _ kind: AuditKind, severity: AuditSeverity = .info, requestID: String? = nil, details: JSONValue = [:],
        time: Date = Date()
    ) {
        self.init(kind.rawValue, severity: severity, requestID: requestID, details: details, time: time)
    }

    /// Reads an event from a log, which an earlier or a later version may have written. Programs record an ``AuditKind``.
    package init(
        _ type: String, severity: AuditSeverity = .info, requestID: String? = nil, details: JSONValue = [:],
        time: Date = Date()
    ) {
        self.time = time
        self.severity = severity
        self.type = type
        self.requestID = requestID
        self.details = details
    }

    /// The event without secrets, ready to be stored.
    var sanitised: AuditEvent {
        var copy = self
        if AuditKind(rawValue: type) == nil { copy.type = Redactor.redact(type) }
        copy.requestID = requestID.map(redactedText)
        copy.details = details.redacted
        return copy
    }
}

private func redactedText(_ text: String) -> String {
    isIdentifier(text) && !Redactor.isSecret(text) ? text : Redactor.redact(text)
}

/// True for a UUID, and for a SHA-256 digest in hex.
private func isIdentifier(_ text: String) -> Bool {
    text.utf8.count == 64 ? text.allSatisfy(\.isHexDigit) : UUID(uuidString: text) != nil
}

extension JSONValue {
    /// The value without secrets, in the names of its members too.
    fileprivate var redacted: JSONValue {
        switch self {
        case .string(let text): .string(redactedText(text))
        case .array(let items): .array(items.map(\.redacted))
        case .object(let members):
            .object(
                Dictionary(
                    members.map { (Redactor.redact($0.key), $0.value.redacted) },
                    uniquingKeysWith: { first, _ in first }))
        case .number(let value) where !value.isFinite: .null
        case .null, .bool, .number: self
        }
    }
}
