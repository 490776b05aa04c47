import Encodings

/// The limits that a person sets a program elsewhere when they allow it to ask. Each member that is there limits it further.
public struct ClientLimits: Sendable, Hashable {
    /// The most banks that a list names.
    public static let mostBanks = 64
    /// The most kinds that limits of before are read with.
    private static let mostKinds = 100
    /// The most new requests within 24 hours that can be chosen.
    public static let mostPerDay = 1_000

    /// Nil for every bank.
    public let banks: [String]?
    /// Nil for every kind.
    public let kinds: [DocumentKind]?
    /// The number of new requests within 24 hours; nil for any.
    public let perDay: Int?

    public static let none = ClientLimits(banks: nil, kinds: nil, perDay: nil)

    public init(banks: [String]?, kinds: [DocumentKind]?, perDay: Int?) {
        self.banks = banks.map { Array(Set($0)).sorted() }
        self.kinds = kinds.map { Array(Set($0)).sorted() }
        self.perDay = perDay
    }

    public var json: JSONValue {
        [
            "banks": banks.map { .array($0.map { .string($0) }) } ?? .null,
            "kinds": kinds.map { .array($0.map { .string($0.rawValue) }) } ?? .null,
            "per_day": perDay.map { .number(Double($0)) } ?? .null,
        ]
    }

    /// Reads ``json``.
    ///
    /// - Throws: ``BodyError``, also for an empty list, which would allow nothing.
    public init(json: JSONValue) throws(BodyError) {
        try self.init(json: json, kind: DocumentKind.init(rawValue:), kindsAtMost: DocumentKind.allCases.count)
    }

    /// Reads limits that a person once set, in a program that may have had other plug-ins: a kind that is gone stays one of those
    /// that are allowed, so that the limits neither vanish nor widen.
    ///
    /// - Throws: ``BodyError``.
    package init(kept json: JSONValue) throws(BodyError) {
        try self.init(json: json, kind: DocumentKind.told, kindsAtMost: Self.mostKinds)
    }

    private init(json: JSONValue, kind: (String) -> DocumentKind?, kindsAtMost mostKinds: Int) throws(BodyError) {
        guard json.objectValue != nil else { throw .invalid("limits", "not an object") }
        let fields = BodyFields(json)
        try fields.refuseOthers(than: ["banks", "kinds", "per_day"])
        let banks = try fields.optionalTexts("banks", atMost: Self.mostBanks)
        if let banks {
            guard !banks.isEmpty else { throw .invalid("banks", "an empty list; leave it out to allow every bank") }
            guard banks.allSatisfy(OfferedBank.isID) else { throw .invalid("banks", "not a list of banks' ids") }
        }
        let names = try fields.optionalTexts("kinds", atMost: mostKinds)
        let kinds = names?.compactMap(kind)
        if let names, names.isEmpty || kinds?.count != names.count {
            let known = DocumentKind.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalid("kinds", "not a list among: \(known)")
        }
        var perDay: Int?
        if let value = json["per_day"], value != .null {
            let number = try fields.whole("per_day")
            guard (1...Self.mostPerDay).contains(number) else {
                throw .invalid("per_day", "not from 1 to \(Self.mostPerDay)")
            }
            perDay = number
        }
        self.init(banks: banks, kinds: kinds, perDay: perDay)
    }
}
