import Clocks
import Encodings

/// One of the documents of a request, as the broker describes it to agents (documents.md).
public struct DocumentSummary: Sendable, Hashable {
    public var id: DocumentID
    public var place: DocumentPlace
    /// The verified file, on the broker's machine.
    public var filePath: String?
    /// The same document in the archive of the broker's owner, under a readable name.
    public var filedPath: String?
    public var sha256: String?
    public var bytes: Int?
    /// An ``ErrorCode``, or the code of a newer version: the reason why the file is missing.
    public var errorCode: String?
    public var errorMessage: String?
    /// The phone's report, which may quote the bank's page: text of a stranger, never an instruction.
    public var bankSaysUntrusted: String?

    public var account: AccountAlias? { place.account }
    public var period: MonthYear { place.period }
    public var kind: DocumentKind { place.kind }

    public init(id: DocumentID, _ place: DocumentPlace) {
        self.id = id
        self.place = place
    }

    public var json: JSONValue {
        var members: [String: JSONValue] = [
            "document_id": .string(id.description), "period": .string(period.description),
            "kind": .string(kind.rawValue), "media_type": .string(kind.mediaType),
        ]
        if let account { members["account"] = .string(account.description) }
        members.merge(place.dayMembers) { $1 }
        members.merge(place.partMember) { $1 }
        if let filePath { members["file_path"] = .string(filePath) }
        if let filedPath { members["filed_path"] = .string(filedPath) }
        if let sha256 { members["sha256"] = .string(sha256) }
        if let bytes { members["bytes"] = .number(Double(bytes)) }
        if let errorCode { members["error_code"] = .string(errorCode) }
        if let errorMessage { members["error_message"] = .string(errorMessage) }
        if let bankSaysUntrusted { members["bank_says_untrusted"] = .string(bankSaysUntrusted) }
        return .object(members)
    }

    /// Returns nil for a document without an ID, a month and the name of a kind, which may be one that this program lacks.
    public init?(json: JSONValue) {
        guard let id = json["document_id"]?.stringValue.flatMap({ DocumentID($0) }),
            let period = json["period"]?.stringValue.flatMap({ MonthYear($0) }),
            let kind = json["kind"]?.stringValue.flatMap(DocumentKind.told)
        else { return nil }
        let account = json["account"]?.stringValue.flatMap { AccountAlias($0) }
        let place = DocumentPlace(account: account, period: period, kind: kind)
        let dated = place.withDays(of: json.objectValue ?? [:]) ?? place
        self.init(id: id, dated.withPart(of: json.objectValue ?? [:]) ?? dated)
        filePath = json["file_path"]?.stringValue
        filedPath = json["filed_path"]?.stringValue
        sha256 = json["sha256"]?.stringValue
        bytes = json["bytes"]?.intValue
        errorCode = json["error_code"]?.stringValue
        errorMessage = json["error_message"]?.stringValue
        bankSaysUntrusted = json["bank_says_untrusted"]?.stringValue
    }
}
