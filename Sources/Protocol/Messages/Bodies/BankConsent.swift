import Clocks
import Encodings
import Foundation

/// The owner's consent that a bank's interface answers, as far as it is known.
package struct BankConsent: Sendable, Hashable {
    /// The urgency of a consent: when it is offered to renew it.
    package enum Stage: String, Sendable, Hashable {
        case running
        /// It ends within a week.
        case lastWeek = "last week"
        /// It ends within a day.
        case lastDay = "last day"
        case ended
    }

    /// The end that the interface named; nil where it names none.
    package let endsAt: Date?
    /// The moment at which the interface took it no more; nil while it does.
    package let endedAt: Date?
    /// True where the owner renews it with a yes at the bank's page; false where it is part of the credentials.
    package let needsOwner: Bool

    package init(endsAt: Date?, endedAt: Date?, needsOwner: Bool) {
        self.endsAt = endsAt
        self.endedAt = endedAt
        self.needsOwner = needsOwner
    }

    package func stage(at now: Date) -> Stage {
        guard end(by: now) == nil else { return .ended }
        guard let left = endsAt?.timeIntervalSince(now) else { return .running }
        return left <= 86_400 ? .lastDay : left <= 7 * 86_400 ? .lastWeek : .running
    }

    /// The moment of the end, if it has passed.
    package func end(by now: Date) -> Date? { [endedAt, endsAt].compactMap(\.self).filter { $0 <= now }.min() }

    /// The moment of the end: the one that has passed, or else the one that the interface named.
    package func end(seenAt now: Date) -> Date? { end(by: now) ?? endsAt }

    package var json: JSONValue {
        var members: [String: JSONValue] = ["needs_owner": .bool(needsOwner)]
        members["ends_at"] = endsAt.map { .string(Timestamp($0).description) }
        members["ended_at"] = endedAt.map { .string(Timestamp($0).description) }
        return .object(members)
    }

    /// - Throws: ``BodyError`` that names the member that is invalid.
    package init(json: JSONValue) throws(BodyError) {
        guard json.objectValue != nil else { throw .invalid("consent", "not an object") }
        let fields = BodyFields(json)
        self.init(
            endsAt: json["ends_at"] ?? .null == .null ? nil : try fields.time("ends_at").date,
            endedAt: json["ended_at"] ?? .null == .null ? nil : try fields.time("ended_at").date,
            needsOwner: try fields.optionalFlag("needs_owner") ?? true)
    }
}
