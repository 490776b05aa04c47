import Clocks
import Crypto
import Encodings
import Messages

extension DocumentSelection {
    /// The documents in the order in which they are fetched.
    public func items(ofBank bankID: String) -> [Item] {
        places.map { Item($0, id: DocumentID(bankID: bankID, $0)) }
    }
}

extension DocumentID {
    /// Makes the name from the first 16 bytes of the SHA-256 of the canonical JSON (RFC 8785) of
    /// `{"account": …, "bank_id": …, "kind": …, "period": "2026-01"}`. Without an account that member is absent; a further
    /// document of a place has `part`.
    public init(bankID: String, _ place: DocumentPlace) {
        var members = place.json.objectValue ?? [:]
        members["bank_id"] = .string(bankID)
        // Four short strings always have a canonical form.
        let digest = SHA256.hash(data: (try? JSONValue.object(members).canonicalBytes()) ?? [])
        self.init(bytes: Array(digest.prefix(16)))
    }

    public init(bankID: String, period: MonthYear, kind: DocumentKind) {
        self.init(bankID: bankID, DocumentPlace(period: period, kind: kind))
    }
}
