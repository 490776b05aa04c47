import Clocks
import Encodings

/// The documents of one request of type `documents`: each kind of each month of each account, except some.
public struct DocumentSelection: Sendable, Hashable {
    /// The most documents of one request.
    public static let most = 120

    /// One of the documents.
    public struct Item: Sendable, Hashable {
        public let place: DocumentPlace
        public let id: DocumentID

        public var account: AccountAlias? { place.account }
        public var period: MonthYear { place.period }
        public var kind: DocumentKind { place.kind }

        package init(_ place: DocumentPlace, id: DocumentID) {
            self.place = place
            self.id = id
        }
    }

    /// The accounts, each once, in the order of their names; none where the request names none.
    public let accounts: [AccountAlias]
    /// The months, oldest first, each once.
    public let periods: [MonthYear]
    /// The kinds, each once, in the order of their names.
    public let kinds: [DocumentKind]
    /// The day of the first month to begin with, 2…31; nil for its first.
    public let firstDay: Int?
    /// The day of the last month to end with, 1…30; nil for its last.
    public let lastDay: Int?
    /// The documents, in the order in which they are fetched.
    public let places: [DocumentPlace]
    /// The documents that the full table of accounts, months and kinds has too, and that the agent has already; in order.
    public let exceptions: [DocumentPlace]

    /// Returns nil for no document, for more than ``most``, and for days that are not in order.
    ///
    /// - Parameters:
    ///   - firstDay: the day of the first month to begin with; nil for its first.
    ///   - lastDay: the day of the last month to end with; nil for its last.
    public init?(
        accounts: [AccountAlias] = [], periods: [MonthYear], kinds: [DocumentKind] = [.pdf], firstDay: Int? = nil,
        lastDay: Int? = nil
    ) {
        guard accounts.count <= Self.most, periods.count <= Self.most, kinds.count <= Self.most,
            Set(periods).count > 1 || (firstDay ?? 1) <= (lastDay ?? 31)
        else { return nil }
        self.init(Self.table(accounts, periods, kinds, firstDay, lastDay))
    }

    /// Returns nil for no document, for a table of more than ``most``, when only some places name an account, and when days
    /// of other months than the first and the last are left out.
    public init?(_ places: [DocumentPlace]) {
        let wanted = Set(places)
        accounts = Set(wanted.compactMap(\.account)).sorted()
        periods = Set(wanted.map(\.period)).sorted()
        kinds = Set(wanted.map(\.kind)).sorted()
        guard (1...Self.most).contains(periods.count * kinds.count * max(1, accounts.count)) else { return nil }
        let ordered = wanted.sorted()
        let ends = (periods.first, periods.last)
        let first = ordered.first { $0.period == ends.0 }?.days?.lowerBound ?? 1
        let last = ordered.first { $0.period == ends.1 }?.days?.upperBound ?? ends.1?.length
        firstDay = first > 1 ? first : nil
        lastDay = last == ends.1?.length ? nil : last
        self.places = ordered
        let table = Self.table(accounts, periods, kinds, firstDay, lastDay)
        guard wanted.isSubset(of: table) else { return nil }
        exceptions = table.filter { !wanted.contains($0) }
    }

    /// True when days of the first or the last month are left out.
    public var hasDays: Bool { firstDay != nil || lastDay != nil }

    /// The range in words: `2025-01`, `2025-01 to 2025-12`, or `2025-01-15 to 2025-03-10`.
    public var range: String {
        guard let first = periods.first, let last = periods.last else { return "" }
        guard !hasDays else { return "\(first.date(of: firstDay ?? 1)) to \(last.date(of: lastDay ?? last.length))" }
        return first == last ? "\(first)" : "\(first) to \(last)"
    }

    public var count: Int { places.count }

    private static func table(
        _ accounts: [AccountAlias], _ periods: [MonthYear], _ kinds: [DocumentKind], _ firstDay: Int?, _ lastDay: Int?
    ) -> [DocumentPlace] {
        let named: [AccountAlias?] = accounts.isEmpty ? [nil] : accounts.sorted()
        let months = periods.sorted()
        return named.flatMap { account in
            months.flatMap { period in
                let first = period == months.first ? firstDay ?? 1 : 1
                let last = period == months.last ? lastDay ?? period.length : period.length
                return kinds.sorted().map {
                    DocumentPlace(account: account, period: period, kind: $0, days: first...max(first, last))
                }
            }
        }
    }

    /// The member `params` of an envelope.
    var json: JSONValue {
        var members: [String: JSONValue] = [
            "kinds": .array(kinds.map { .string($0.rawValue) }),
            "periods": .array(periods.map { .string($0.description) }),
        ]
        if !accounts.isEmpty { members["accounts"] = .array(accounts.map { .string($0.description) }) }
        if !exceptions.isEmpty { members["except"] = .array(exceptions.map(\.json)) }
        if let firstDay, let first = periods.first { members["from"] = .string(first.date(of: firstDay)) }
        if let lastDay, let last = periods.last { members["to"] = .string(last.date(of: lastDay)) }
        return .object(members)
    }

    /// Reads ``json``; nil when anything is out of order, given twice or left over, so that a selection has one form.
    ///
    /// - Parameter kind: reads a kind's name; strictly, unless this program or one with other plug-ins wrote it.
    init?(
        json members: [String: JSONValue], kind: (String) -> DocumentKind? = { DocumentKind(rawValue: $0) }
    ) {
        func list<Element>(_ name: String, _ read: (JSONValue) -> Element?) -> [Element]? {
            guard let items = members[name] else { return [] }
            guard let array = items.arrayValue, array.count <= Self.most else { return nil }
            let elements = array.compactMap(read)
            return elements.count == array.count ? elements : nil
        }
        /// Reads a day of a month; nil for anything else, `.some(nil)` without the member.
        func day(_ name: String, of month: MonthYear?) -> Int?? {
            guard let member = members[name] else { return .some(nil) }
            guard let end = member.stringValue.flatMap(RangeEnd.init), end.month == month else { return nil }
            return end.day.map { .some($0) } ?? nil
        }
        guard Set(members.keys).isSubset(of: ["accounts", "except", "from", "kinds", "periods", "to"]),
            members["accounts"]?.arrayValue?.isEmpty != true, members["except"]?.arrayValue?.isEmpty != true,
            let accounts = list("accounts", { $0.stringValue.flatMap(AccountAlias.init) }),
            let periods = list("periods", { $0.stringValue.flatMap(MonthYear.init) }),
            let kinds = list("kinds", { $0.stringValue.flatMap(kind) }),
            let exceptions = list("except", { DocumentPlace(json: $0, kind: kind) }),
            let firstDay = day("from", of: periods.first), let lastDay = day("to", of: periods.last),
            let all = DocumentSelection(
                accounts: accounts, periods: periods, kinds: kinds, firstDay: firstDay, lastDay: lastDay)
        else { return nil }
        let left = Set(exceptions)
        guard let selection = DocumentSelection(all.places.filter { !left.contains($0) }),
            selection.accounts == accounts, selection.periods == periods, selection.kinds == kinds,
            selection.exceptions == exceptions, selection.firstDay == firstDay, selection.lastDay == lastDay
        else { return nil }
        self = selection
    }
}
