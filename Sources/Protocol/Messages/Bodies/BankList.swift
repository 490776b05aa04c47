import Encodings

/// A bank from which a phone can fetch statements.
package struct OfferedBank: Sendable, Hashable {
    /// The id of the bank's script: lower-case letters, digits, `-` and `_`, at most 64.
    package let bankID: String
    /// The bank's name as its script has it: 1 to 100 visible characters.
    package let name: String
    /// The bank's script can fetch the documents of several months in one visit.
    package let offersDocuments: Bool
    /// The kinds of documents that the bank's script fetches, in the order of their names; PDF alone unless told otherwise.
    package let kinds: [DocumentKind]
    /// The accounts by the aliases that the person chose, in order; none where the script knows no accounts, or no visit has
    /// listed them yet.
    package let accounts: [AccountAlias]
    /// The bank's script can fetch documents of a range of days.
    package let offersDays: Bool
    /// The owner's consent to the bank's interface; nil where the phone knows of none.
    package let consent: BankConsent?

    /// The most accounts of one bank.
    package static let mostAccounts = 50

    /// The bank that a request means without naming one, at a broker that was told of no bank (specification, section 7.2).
    package static let standardID = "default"

    /// Returns nil when the id or the name is not valid, for no kind, and for more than ``mostAccounts``.
    package init?(
        bankID: String, name: String, offersDocuments: Bool = false, kinds: [DocumentKind] = [.pdf],
        accounts: [AccountAlias] = [], offersDays: Bool = false, consent: BankConsent? = nil
    ) {
        guard Self.isID(bankID), (1...100).contains(name.unicodeScalars.count),
            name.unicodeScalars.allSatisfy(\.isVisible), name.contains(where: { !$0.isWhitespace }),
            !kinds.isEmpty, accounts.count <= Self.mostAccounts
        else { return nil }
        self.bankID = bankID
        self.name = name
        self.offersDocuments = offersDocuments
        self.kinds = Set(kinds).sorted()
        self.accounts = Set(accounts).sorted()
        self.offersDays = offersDays
        self.consent = consent
    }

    /// The kind that is meant where none is named: a PDF, else the first.
    package var usualKind: DocumentKind { kinds.contains(.pdf) ? .pdf : kinds[0] }

    package static func isID(_ text: String) -> Bool { text.wholeMatch(of: /[a-z0-9_\-]{1,64}/) != nil }

    package var json: JSONValue {
        var members: [String: JSONValue] = ["bank_id": .string(bankID), "name": .string(name)]
        if offersDocuments { members["documents"] = true }
        if kinds != [.pdf] { members["kinds"] = .array(kinds.map { .string($0.rawValue) }) }
        if !accounts.isEmpty { members["accounts"] = .array(accounts.map { .string($0.description) }) }
        if offersDays { members["days"] = true }
        if let consent { members["consent"] = consent.json }
        return .object(members)
    }
}

extension Unicode.Scalar {
    /// False for control characters and for those that change the direction of a text (Unicode TR 36, section 2.5).
    fileprivate var isVisible: Bool {
        ![.control, .format, .lineSeparator, .paragraphSeparator, .surrogate].contains(properties.generalCategory)
    }
}

/// The body of `PUT /phone/banks`, in which a phone tells what it can fetch, and the answer to `GET /banks`. It holds no
/// number of an account and no credential.
package struct BankList: Sendable, Hashable {
    /// The most banks of one phone.
    package static let most = 100

    package let banks: [OfferedBank]
    /// The language that the owner has chosen on the phone, as a code of BCP 47, in which the broker then writes to the owner.
    /// A list for agents has none.
    package let language: String?

    /// - Parameters:
    ///   - banks: of several with the same id the first one counts.
    ///   - language: nil where the owner has chosen none.
    package init(_ banks: [OfferedBank], language: String? = nil) {
        self.language = language
        var seen: Set<String> = []
        self.banks = banks.filter { seen.insert($0.bankID).inserted }.sorted { $0.bankID < $1.bankID }
    }

    package var json: JSONValue {
        var members: [String: JSONValue] = ["banks": .array(banks.map(\.json))]
        if let language { members["language"] = .string(language) }
        return .object(members)
    }

    /// - Throws: ``BodyError`` that names the member that is missing or invalid.
    package init(json: JSONValue) throws(BodyError) {
        guard let items = json["banks"] else { throw .missing("banks") }
        guard let items = items.arrayValue, items.count <= Self.most else {
            throw .invalid("banks", "not a list of at most \(Self.most) banks")
        }
        var banks: [OfferedBank] = []
        for item in items {
            let fields = BodyFields(item)
            let id = try fields.text("bank_id", atMost: 64)
            let name = try fields.text("name", atMost: 100)
            let offersDocuments = try fields.optionalFlag("documents") ?? false
            let names = try fields.optionalTexts("kinds", atMost: 20) ?? [DocumentKind.pdf.rawValue]
            let kinds = names.compactMap(DocumentKind.told)
            guard kinds.count == names.count else { throw .invalid("kinds", "not names of kinds") }
            // A newer phone, or one with another plug-in, may have kinds that this broker does not know. A bank that has no
            // other is checked, and left out, so that the rest of the list counts.
            let known = names.compactMap(DocumentKind.init)
            let accounts = try fields.optionalTexts("accounts", atMost: 4 * AccountAlias.longest) ?? []
            let aliases = accounts.compactMap(AccountAlias.init)
            guard aliases.count == accounts.count else {
                throw .invalid("accounts", "not aliases: \(AccountAlias.rule)")
            }
            let consent: BankConsent? =
                if let consent = item["consent"], consent != .null { try BankConsent(json: consent) } else { nil }
            guard
                let bank = OfferedBank(
                    bankID: id, name: name, offersDocuments: offersDocuments,
                    kinds: known.isEmpty ? kinds : known, accounts: aliases,
                    offersDays: try fields.optionalFlag("days") ?? false, consent: consent)
            else {
                throw .invalid(
                    "banks",
                    "invalid: each needs an id of lower-case letters, digits, - and _, a visible name, a known kind, and at "
                        + "most \(OfferedBank.mostAccounts) accounts")
            }
            if !known.isEmpty { banks.append(bank) }
        }
        self.init(banks, language: try BodyFields(json).optionalText("language", atMost: 35))
    }
}
