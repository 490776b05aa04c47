import Clocks
import Encodings

/// The name that the person chose for an account: 1 to 40 letters, digits, spaces, dots, hyphens and underscores, the first a
/// letter or a digit, the last no space.
///
/// It is never the account's number: it has at most four digits, which the bank's own short forms have too.
public struct AccountAlias: Sendable, Hashable, Comparable, LosslessStringConvertible {
    public let description: String

    /// The longest alias, in characters.
    public static let longest = 40

    /// The rule for aliases, for error messages.
    public static let rule =
        "1 to 40 letters, digits, spaces and . _ -, with at most four digits, never an account's number"

    /// Returns nil for any other text.
    public init?(_ text: String) {
        guard (1...Self.longest).contains(text.unicodeScalars.count), text.first != " ", text.last != " ",
            text.unicodeScalars.first.map({ $0.properties.isAlphabetic || $0.properties.numericType != nil }) == true,
            text.unicodeScalars.allSatisfy({ scalar in
                scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                    || " ._-".unicodeScalars.contains(scalar)
            }), text.unicodeScalars.count(where: { $0.properties.numericType != nil }) <= 4
        else { return nil }
        description = text
    }

    /// Orders aliases by their Unicode scalars, so that every program has the same order.
    public static func < (left: AccountAlias, right: AccountAlias) -> Bool {
        left.description.unicodeScalars.lexicographicallyPrecedes(right.description.unicodeScalars)
    }
}

/// Names a document of a bank, in 32 lower-case hexadecimal digits: the same bank, account, month and kind have the same name
/// in every request.
public struct DocumentID: Sendable, Hashable, LosslessStringConvertible {
    public let description: String

    /// Returns nil unless the text is 32 lower-case hexadecimal digits.
    public init?(_ text: String) {
        guard Base16.isEncoding(text, ofBytes: 16) else { return nil }
        description = text
    }

    /// - Parameter bytes: 16 bytes.
    package init(bytes: some Collection<UInt8>) {
        precondition(bytes.count == 16, "a document's name has 16 bytes")
        description = Base16.encode(bytes)
    }
}

/// The account, month and kind of a document, and the days of the month where they are not all. Of several documents that a bank
/// has for one place, each has a number.
public struct DocumentPlace: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Nil where the bank has one account, and for the first account of a request that names none.
    public let account: AccountAlias?
    public let period: MonthYear
    public let kind: DocumentKind
    /// The days of the month, 1…31, where a request for a range of days asks for a part of it; nil for the whole month.
    public let days: ClosedRange<Int>?
    /// The number of the document among those that the bank has for this place, the oldest first: 1, also of the only one, to
    /// ``mostParts``. A request asks for the first, and the others come with it.
    public let part: Int

    /// The most documents of one place.
    public static let mostParts = 99

    /// - Parameters:
    ///   - days: those that the month does not have are left out; all of them stand for the whole month.
    ///   - part: 1 to ``mostParts``.
    public init(
        account: AccountAlias? = nil, period: MonthYear, kind: DocumentKind = .pdf, days: ClosedRange<Int>? = nil,
        part: Int = 1
    ) {
        precondition((1...Self.mostParts).contains(part), "a place has 1 to \(Self.mostParts) documents")
        self.part = part
        self.account = account
        self.period = period
        self.kind = kind
        let all = 1...period.length
        let kept = days?.clamped(to: all)
        self.days = kept == all ? nil : kept
    }

    /// The place in words, such as `Savings 2026-01 pdf`, or `Savings 2026-01-15 to 2026-01-31 csv`.
    public var description: String {
        (account.map { "\($0) " } ?? "") + "\(span) \(kind.rawValue)" + partWords
    }

    /// The number in parentheses, behind a space; empty for the first document.
    public var partWords: String { part == 1 ? "" : " (\(part))" }

    /// Returns the place of another of the documents that the bank has for the same account, month and kind.
    ///
    /// - Parameter part: 1 to ``mostParts``.
    public func numbered(_ part: Int) -> DocumentPlace {
        DocumentPlace(account: account, period: period, kind: kind, days: days, part: part)
    }

    /// The month, or the days of it: `2026-01`, or `2026-01-15 to 2026-01-31`.
    public var span: String { days == nil ? period.description : "\(firstDay) to \(lastDay)" }

    /// The first day as in ISO 8601.
    public var firstDay: String { period.date(of: days?.lowerBound ?? 1) }

    /// The last day as in ISO 8601.
    public var lastDay: String { period.date(of: days?.upperBound ?? period.length) }

    /// The order in which documents are fetched: by account, then by month, then by kind.
    public static func < (left: DocumentPlace, right: DocumentPlace) -> Bool {
        switch (left.account, right.account) {
        case (nil, _?): return true
        case (_?, nil): return false
        case (let one?, let other?) where one != other: return one < other
        default:
            return (left.period, left.days?.lowerBound ?? 1, left.days?.upperBound ?? 31, left.kind, left.part)
                < (right.period, right.days?.lowerBound ?? 1, right.days?.upperBound ?? 31, right.kind, right.part)
        }
    }

    /// The members `from` and `to`; none for a whole month.
    package var dayMembers: [String: JSONValue] {
        days == nil ? [:] : ["from": .string(firstDay), "to": .string(lastDay)]
    }

    /// The member `part`; none for the first document.
    package var partMember: [String: JSONValue] { part == 1 ? [:] : ["part": .number(Double(part))] }

    /// Returns this place with the number of the member `part`; nil when it is not 2 to ``mostParts``.
    package func withPart(of members: [String: JSONValue]) -> DocumentPlace? {
        guard let member = members["part"] else { return self }
        guard let part = member.intValue, (2...Self.mostParts).contains(part) else { return nil }
        return numbered(part)
    }

    /// Returns this place with the days of the members `from` and `to`; nil when they are not two days of its month, in
    /// order, that leave others out.
    package func withDays(of members: [String: JSONValue]) -> DocumentPlace? {
        guard members["from"] != nil || members["to"] != nil else { return self }
        guard let from = members["from"]?.stringValue.flatMap(RangeEnd.init), let first = from.day,
            let to = members["to"]?.stringValue.flatMap(RangeEnd.init), let last = to.day, from.month == period,
            to.month == period, first <= last, first > 1 || last < period.length
        else { return nil }
        return DocumentPlace(account: account, period: period, kind: kind, days: first...last, part: part)
    }

    package var json: JSONValue {
        var members: [String: JSONValue] = ["kind": .string(kind.rawValue), "period": .string(period.description)]
        if let account { members["account"] = .string(account.description) }
        return .object(members.merging(dayMembers) { $1 }.merging(partMember) { $1 })
    }

    package init?(json: JSONValue) { self.init(json: json) { DocumentKind(rawValue: $0) } }

    /// - Parameter read: reads a kind's name; see ``RequestSubject/init(kept:parameters:)``.
    init?(json: JSONValue, kind read: (String) -> DocumentKind?) {
        guard let members = json.objectValue,
            Set(members.keys).isSubset(of: ["account", "from", "kind", "part", "period", "to"]),
            let period = members["period"]?.stringValue.flatMap(MonthYear.init),
            let kind = members["kind"]?.stringValue.flatMap(read)
        else { return nil }
        let account = members["account"]?.stringValue.flatMap(AccountAlias.init)
        guard account != nil || members["account"] == nil,
            let place = DocumentPlace(account: account, period: period, kind: kind).withDays(of: members)?
                .withPart(of: members)
        else { return nil }
        self = place
    }
}
