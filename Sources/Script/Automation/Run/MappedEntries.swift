import BankScript
import Encodings
import FileKinds
import Foundation

/// Why the entries of an answer are not what the script says, with the entry's number.
struct EntryFault: Error, Hashable, CustomStringConvertible {
    let description: String
    /// Near paths that the entry has instead.
    var candidates: [String] = []
}

/// The bookings of an interface's answers, read as a script's mapping says.
struct MappedEntries {
    let mapping: TransactionMapping
    /// The JSONPath of the entries, filled in.
    let path: String
    private(set) var entries: [CAMTReport.Entry] = []
    private var seen: [String: JSONValue] = [:]
    private var count = 0

    /// The most entries of all pages.
    static let most = 100_000

    init(_ mapping: TransactionMapping, path: String) {
        self.mapping = mapping
        self.path = path
    }

    /// Takes the entries of one answer.
    ///
    /// An entry that comes again with the same content is the same: a list that grows while its pages are asked for shows one
    /// twice.
    mutating func take(_ page: JSONValue) throws {
        for entry in try JSONPath(path).values(in: page) {
            count += 1
            guard count <= Self.most else { throw EntryFault(description: "more than \(Self.most) entries") }
            let made = try self.entry(entry)
            if let earlier = seen[made.id] {
                guard earlier == entry else {
                    throw EntryFault(description: "entry \(count) has the id of another one, and differs from it")
                }
                continue
            }
            seen[made.id] = entry
            entries.append(made)
            if let besides = try besides(made, of: entry) { entries.append(besides) }
        }
    }

    /// Returns the second booking of an entry, or nil where the entry states none.
    private func besides(_ entry: CAMTReport.Entry, of json: JSONValue) throws -> CAMTReport.Entry? {
        guard let besides = mapping.besides, try value(besides.amount, in: json) != nil else { return nil }
        let amount = try signedAmount("besides", besides.amount, in: json)
        guard amount != .zero else { return nil }
        var second = entry
        // Its reference is the same in every answer and is no other booking's: readers take two bookings with one reference for one.
        (second.id, second.amount) = ("\(entry.id) besides", amount)
        // The entry's other party tells to which purchase it belongs.
        (second.counterparty, second.purpose) = (besides.payee, entry.counterparty)
        return second
    }

    private func entry(_ json: JSONValue) throws -> CAMTReport.Entry {
        let isPending = try mapping.pending.map { try holds($0, in: json) } ?? false
        var day: CalendarDay?
        if isPending, let made = mapping.made { day = try self.day("made", made, in: json) }
        let booked = try day ?? self.day("booked", mapping.booked, in: json)
        guard let booked else { throw fault("booked", mapping.booked, "nothing", in: json) }
        let amount = try signedAmount("amount", mapping.amount, in: json)
        var entry = CAMTReport.Entry(
            id: try text("id", mapping.id, in: json), booked: booked, amount: amount, currency: try currency(in: json))
        guard !entry.id.isEmpty else { throw fault("id", mapping.id, "an empty text", in: json) }
        if let path = mapping.valued { entry.valued = try self.day("valued", path, in: json) }
        if let path = mapping.payer, !amount.isNegative {
            entry.counterparty = try optionalText("payer", path, in: json)
        } else if let path = mapping.payee {
            entry.counterparty = try optionalText("payee", path, in: json)
        }
        if let path = mapping.purpose { entry.purpose = try texts("purpose", path, in: json) }
        if let path = mapping.balance, !isPending {
            entry.balance = try self.amount("balance", path, in: json)
        }
        entry.isPending = isPending
        return entry
    }

    // MARK: Parts

    private func value(_ path: String, in json: JSONValue) throws -> JSONValue? {
        let values = try JSONPath(path).values(in: json)
        guard values.count <= 1 else {
            throw EntryFault(description: "entry \(count) has \(values.count) values at \(path); expected one")
        }
        return values.first == .null ? nil : values.first
    }

    private func holds(_ mark: TransactionMapping.Mark, in json: JSONValue) throws -> Bool {
        guard let value = try value(mark.path, in: json) else { return false }
        return (value.stringValue ?? value.compactText()) == mark.text
    }

    private func text(_ name: String, _ path: String, in json: JSONValue) throws -> String {
        switch try value(path, in: json) {
        case .string(let text): return text
        case .number(let number): return JSONValue.number(number).compactText()
        case let other: throw fault(name, path, Self.kind(other), in: json)
        }
    }

    private func optionalText(_ name: String, _ path: String, in json: JSONValue) throws -> String {
        // Another type is a change of the interface; a missing text is usual.
        switch try value(path, in: json) {
        case nil: return ""
        case .string(let text): return text
        case let other: throw fault(name, path, Self.kind(other), in: json)
        }
    }

    /// Returns the texts at a path in one line: some interfaces have one for each line of a purpose.
    private func texts(_ name: String, _ path: String, in json: JSONValue) throws -> String {
        let found = try JSONPath(path).values(in: json).filter { $0 != .null }
        let texts = try found.map { value in
            guard let text = value.stringValue else { throw fault(name, path, Self.kind(value), in: json) }
            return text
        }
        return texts.joined(separator: " ")
    }

    private func day(_ name: String, _ path: String, in json: JSONValue) throws -> CalendarDay? {
        switch try value(path, in: json) {
        case nil: return nil
        case .string(let text):
            guard let day = CalendarDay(iso: text) else { throw fault(name, path, "no date", in: json) }
            return day
        case .number(let seconds):
            // 1970 to 2199. Milliseconds would be beyond.
            guard (0..<7_258_118_400).contains(seconds) else {
                throw fault(name, path, "no moment in seconds", in: json)
            }
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = .gmt
            let parts = calendar.dateComponents(
                [.year, .month, .day], from: Date(timeIntervalSince1970: seconds.rounded(.down)))
            return CalendarDay(year: parts.year ?? 0, month: parts.month ?? 0, day: parts.day ?? 0)
        case let other: throw fault(name, path, Self.kind(other), in: json)
        }
    }

    private func signedAmount(_ name: String, _ path: String, in json: JSONValue) throws -> Amount {
        let amount = try amount(name, path, in: json)
        if let mark = mapping.outgoing {
            guard !amount.isNegative else {
                throw fault(name, path, "a negative amount, which “outgoing” does not expect", in: json)
            }
            return try holds(mark, in: json) ? -amount : amount
        }
        return mapping.isInverted ? -amount : amount
    }

    private func amount(_ name: String, _ path: String, in json: JSONValue) throws -> Amount {
        let text: String
        switch try value(path, in: json) {
        case .string(let written): text = written
        // The shortest text that is this number: 0.1 + 0.2 still has its noise, which the reader of noisy texts knows.
        case .number(let number):
            guard number.magnitude < 1e15 else { throw fault(name, path, "a number beyond what is exact", in: json) }
            text = number == number.rounded() ? String(Int64(number)) : "\(number)"
        case let other: throw fault(name, path, Self.kind(other), in: json)
        }
        guard mapping.countsMinorUnits else {
            guard let amount = Amount(written: text) else { throw fault(name, path, "no amount", in: json) }
            return amount
        }
        let isNegative = text.hasPrefix("-")
        let digits = text.drop { $0 == "-" || $0 == "+" }
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), digits.utf8.count <= 17 else {
            throw fault(name, path, "no whole number of hundredths", in: json)
        }
        // A yen has no hundredths: its minor unit is the yen (ISO 4217).
        let decimals = CurrencyDecimals.of(try currency(in: json)) ?? 2
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.utf8.count)) + digits
        guard
            let amount = Amount("\(isNegative ? "-" : "")\(padded.dropLast(decimals)).\(padded.suffix(decimals))")
        else {
            throw fault(name, path, "no amount", in: json)
        }
        return amount
    }

    private func currency(in json: JSONValue) throws -> String {
        let currency =
            mapping.currency.hasPrefix("$") ? try text("currency", mapping.currency, in: json) : mapping.currency
        guard currency.utf8.count == 3, currency.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
            throw fault("currency", mapping.currency, "no currency of three capital letters", in: json)
        }
        return currency
    }

    private static func kind(_ value: JSONValue?) -> String {
        switch value {
        case nil, .null: "nothing"
        case .bool: "true or false"
        case .number: "a number"
        case .string: "a text"
        case .array: "a list"
        case .object: "an object"
        }
    }

    /// Says what an entry has instead. A value of the entry, which is the person's, is not shown.
    private func fault(_ name: String, _ path: String, _ seen: String, in json: JSONValue) -> EntryFault {
        EntryFault(
            description: "entry \(count) has \(seen) at \(path), the place of “\(name)”",
            candidates: json.paths(nearestTo: path))
    }
}
