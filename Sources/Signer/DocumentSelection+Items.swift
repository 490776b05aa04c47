import Clocks
import Crypto
import JSON
import Messages

extension DocumentSelection {
    /// The documents in the order in which they are fetched.
    public func items(ofBank bankID: String) -> [Item] {
        periods.flatMap { period in
            kinds.map { Item(period: period, kind: $0, id: DocumentID(bankID: bankID, period: period, kind: $0)) }
        }
    }
}

extension DocumentID {
    /// Makes the name from the first 16 bytes of the SHA-256 of the canonical JSON (RFC 8785) of
    /// `{"bank_id": …, "kind": …, "period": "2026-01"}`.
    public init(bankID: String, period: MonthYear, kind: DocumentKind) {
        let json: JSONValue = [
            "bank_id": .string(bankID), "kind": .string(kind.rawValue), "period": .string(period.description),
        ]
        // Three short strings always have a canonical form.
        let digest = SHA256.hash(data: (try? json.canonicalBytes()) ?? [])
        self.init(bytes: Array(digest.prefix(16)))
    }
}
