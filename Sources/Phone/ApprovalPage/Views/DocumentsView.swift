import Messages
import PhoneStore

/// The list of documents, by bank and year.
struct DocumentsView {
    let all: [ReceivedDocument]
    let shown: [ReceivedDocument]
    let bank: String?
    let year: Int?
    /// Returns a bank's name.
    let name: (String) -> String

    private struct Group: Hashable {
        let bank: String
        let year: Int
    }

    var values: [String: Any] {
        let years = Set(all.map(\.place.period.year)).sorted(by: >)
        let banks = Set(all.map(\.bankID)).sorted()
        return [
            "none": all.isEmpty, "groups": groups,
            "years": years.map { ["name": String($0), "selected": $0 == year] as [String: Any] },
            "banks": banks.map { ["id": $0, "name": name($0), "selected": $0 == bank] as [String: Any] },
        ]
    }

    private var groups: [[String: Any]] {
        let groups = Dictionary(grouping: shown) { Group(bank: $0.bankID, year: $0.place.period.year) }
        let order = groups.keys.sorted { ($1.year, $0.bank) < ($0.year, $1.bank) }
        return order.map { group in
            [
                "key": "\(group.bank)-\(group.year)", "bank": name(group.bank), "year": String(group.year),
                "documents": (groups[group] ?? []).map(values),
            ]
        }
    }

    private func values(_ document: ReceivedDocument) -> [String: Any] {
        var values: [String: Any] = [
            "month": PageViews.words(document.place), "kind": document.place.kind.rawValue.uppercased(),
            "time": PageViews.moment(document.receivedAt), "kept": document.isKept,
        ]
        values["account"] = document.place.account?.description
        if document.isKept {
            values["path"] = "/documents/\(document.requestID)/\(document.name)"
        } else if document.name == ReceivedDocument.statement {
            values["path"] = "/requests/\(document.requestID)/statement"
            values["inInbox"] = true
        }
        return values
    }
}
