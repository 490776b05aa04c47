import Messages
import Phone
import PhoneStore

/// The unusual traits of a request, for the person who decides.
enum Cautions {
    /// - Parameter completed: the completed requests, the newest first.
    static func of(_ request: PendingRequest, after completed: [StoredRequest]) -> [String] {
        let own = completed.filter { $0.bankID == request.bankID }
        var cautions: [String] = []
        if let last = own.compactMap(\.scriptDigest).first, last != request.script.hex {
            cautions.append(PageText.of("caution.script-changed"))
        }
        if let same = own.first(where: { $0.subject == request.subject }) {
            cautions.append(PageText.of("caution.fetched-already", ["day": PageText.day(same.updatedAt)]))
        }
        if !request.otherPhones.isEmpty {
            let names = request.otherPhones.map { PageText.of("asker.quoted", ["name": $0]) }
            let key = request.lastApproverFetches ? "caution.other-phones-last" : "caution.other-phones"
            cautions.append(PageText.of(key, ["names": names.joined(separator: ", ")]))
        }
        return cautions
    }
}
