import Clocks
import Encodings
import Foundation
import Secrets

/// The phone's signed description of a file, written beside it (specification, section 7.3).
///
/// The manifest of a statement has version 1, exactly as specified. That of one of several documents has version 2, and
/// says which document it is (documents.md).
public struct CompletionManifest: Sendable, Hashable {
    public static let version = "1"
    public static let documentsVersion = "2"

    /// One of the documents of a request of type `documents`.
    public struct Document: Sendable, Hashable {
        public var id: DocumentID
        public var place: DocumentPlace
        /// Its place among the documents of the request, from 1. A further document of a place has that of the first.
        public var number: Int
        /// The number of documents of the request.
        public var count: Int

        public var account: AccountAlias? { place.account }
        public var period: MonthYear { place.period }
        public var kind: DocumentKind { place.kind }

        public init(_ item: DocumentSelection.Item, number: Int, of count: Int) {
            id = item.id
            place = item.place
            self.number = number
            self.count = count
        }

        fileprivate init(_ fields: MessageFields) throws(MessageError) {
            id = try fields.read("document_id", "32 lower-case hexadecimal digits", DocumentID.init)
            let month = DocumentPlace(
                account: fields.members["account"] == nil
                    ? nil : try fields.read("account", "an account's alias", AccountAlias.init),
                period: try fields.read("period", "a month such as 2026-01", MonthYear.init),
                kind: try fields.read("kind", "a kind of document", DocumentKind.init))
            guard let days = month.withDays(of: fields.members) else {
                throw MessageError(.malformed, "“from” and “to” must be two days of “period”, in order")
            }
            guard let numbered = days.withPart(of: fields.members) else {
                throw MessageError(
                    .malformed, "“part” must be a whole number from 2 to \(DocumentPlace.mostParts)")
            }
            place = numbered
            number = try fields.whole("number")
            count = try fields.whole("of")
            guard try fields.text("media_type") == kind.mediaType else {
                throw MessageError(.malformed, "“media_type” must be \(kind.mediaType)")
            }
            guard (1...DocumentSelection.most).contains(count), (1...count).contains(number) else {
                throw MessageError(.malformed, "“number” must be from 1 to “of”, at most \(DocumentSelection.most)")
            }
        }

        fileprivate var members: [String: JSONValue] {
            var members: [String: JSONValue] = [
                "document_id": .string(id.description), "period": .string(period.description),
                "kind": .string(kind.rawValue), "media_type": .string(kind.mediaType),
                "number": .number(Double(number)), "of": .number(Double(count)),
            ]
            if let account { members["account"] = .string(account.description) }
            return members.merging(place.dayMembers) { $1 }.merging(place.partMember) { $1 }
        }
    }

    public var requestID: RequestID
    /// The file's name in the inbox, without a path.
    public var filename: String
    /// Lower-case hex.
    public var sha256: String
    public var bytes: Int
    public var completedAt: Timestamp
    public var nonce: Nonce
    /// Nil for a statement.
    public var document: Document?

    public init(
        requestID: RequestID, filename: String, sha256: String, bytes: Int, completedAt: Timestamp,
        nonce: Nonce = Nonce(), document: Document? = nil
    ) {
        self.requestID = requestID
        self.filename = filename
        self.sha256 = sha256
        self.bytes = bytes
        self.completedAt = completedAt
        self.nonce = nonce
        self.document = document
    }

    /// All members but the signature.
    package var members: [String: JSONValue] {
        let members: [String: JSONValue] = [
            "version": .string(document == nil ? Self.version : Self.documentsVersion),
            "request_id": .string(requestID.description),
            "filename": .string(filename),
            "sha256": .string(sha256),
            "bytes": .number(Double(bytes)),
            "completed_at": .string(completedAt.description),
            "nonce": .string(nonce.description),
        ]
        return members.merging(document?.members ?? [:]) { own, _ in own }
    }

    /// Reads version and every field.
    package init(_ fields: MessageFields) throws(MessageError) {
        let isDocument = fields.members["version"]?.stringValue == Self.documentsVersion
        if !isDocument { try fields.check(version: Self.version) }
        self.init(
            requestID: try fields.read("request_id", "a UUID in lower case", RequestID.init),
            filename: try fields.read(
                "filename", "the name of a PDF in the inbox", isDocument ? Self.documentName : Self.plainPDFName),
            sha256: try fields.read("sha256", "a SHA-256 in lower-case hex", Self.digest),
            bytes: try fields.whole("bytes"),
            completedAt: try fields.read("completed_at", "an ISO 8601 time", Timestamp.init),
            nonce: try fields.read("nonce", "32 lower-case hexadecimal digits", Nonce.init),
            document: isDocument ? try Document(fields) : nil)
        if let document, filename != document.filename(for: requestID) {
            throw MessageError(.malformed, "“filename” does not name the document")
        }
        guard bytes >= 0 else { throw MessageError(.malformed, "“bytes” is negative") }
        guard filename.hasPrefix("\(requestID)-") else {
            throw MessageError(.malformed, "“filename” does not begin with the request's ID")
        }
    }

    /// `{request_id}-{month_abbrev}-{year}.pdf`: the pattern allows no path.
    private static func plainPDFName(_ name: String) -> String? {
        name.wholeMatch(of: /[0-9a-f-]{36}-[a-z]{3}-[0-9]{4}\.pdf/) == nil ? nil : name
    }

    /// `{request_id}-{document_id}` and the ending of a kind: the pattern allows no path.
    private static func documentName(_ name: String) -> String? {
        name.wholeMatch(of: /[0-9a-f-]{36}-[0-9a-f]{32}\.[a-z]{3,4}/) == nil ? nil : name
    }

    private static func digest(_ text: String) -> String? {
        Base16.isEncoding(text, ofBytes: 32) ? text : nil
    }
}

extension CompletionManifest.Document {
    /// The name of the document's file in the inbox: its request, its own name, and the ending of its kind.
    public func filename(for request: RequestID) -> String { "\(request)-\(id).\(kind.fileExtension)" }
}

/// A manifest as it arrived, not verified yet. Only `Signer` turns it into a verified one.
public struct SignedManifest: Sendable, Hashable {
    public let json: JSONValue

    public init(json: JSONValue) {
        self.json = json
    }

    /// The request's ID according to the manifest: use it to find the right secret, never for a decision.
    public var claimedRequestID: RequestID? { json["request_id"]?.stringValue.flatMap { RequestID($0) } }

    /// The file's bytes.
    public var bytes: [UInt8] { (try? json.canonicalBytes()) ?? [] }
}
