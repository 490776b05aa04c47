import Clocks
import Encodings
import Foundation
import JSON
import Secrets

/// The phone's signed description of a PDF, written beside it (specification, section 7.3).
public struct CompletionManifest: Sendable, Hashable {
    public static let version = "1"

    public var requestID: RequestID
    /// The PDF's name in the inbox, without a path.
    public var filename: String
    /// Lower-case hex.
    public var sha256: String
    public var bytes: Int
    public var completedAt: Timestamp
    public var nonce: Nonce

    public init(
        requestID: RequestID, filename: String, sha256: String, bytes: Int, completedAt: Timestamp,
        nonce: Nonce = Nonce()
    ) {
        self.requestID = requestID
        self.filename = filename
        self.sha256 = sha256
        self.bytes = bytes
        self.completedAt = completedAt
        self.nonce = nonce
    }

    /// All members but the signature.
    package var members: [String: JSONValue] {
        [
            "version": .string(Self.version),
            "request_id": .string(requestID.description),
            "filename": .string(filename),
            "sha256": .string(sha256),
            "bytes": .number(Double(bytes)),
            "completed_at": .string(completedAt.description),
            "nonce": .string(nonce.description),
        ]
    }

    /// Reads version and every field.
    package init(_ fields: MessageFields) throws(MessageError) {
        try fields.check(version: Self.version)
        self.init(
            requestID: try fields.read("request_id", "a UUID in lower case", RequestID.init),
            filename: try fields.read("filename", "the name of a PDF in the inbox", Self.plainPDFName),
            sha256: try fields.read("sha256", "a SHA-256 in lower-case hex", Self.digest),
            bytes: try fields.whole("bytes"),
            completedAt: try fields.read("completed_at", "an ISO 8601 time", Timestamp.init),
            nonce: try fields.read("nonce", "32 lower-case hexadecimal digits", Nonce.init))
        guard bytes >= 0 else { throw MessageError(.malformed, "“bytes” is negative") }
        guard filename.hasPrefix("\(requestID)-") else {
            throw MessageError(.malformed, "“filename” does not begin with the request's ID")
        }
    }

    /// `{request_id}-{month_abbrev}-{year}.pdf`: the pattern allows no path.
    private static func plainPDFName(_ name: String) -> String? {
        name.wholeMatch(of: /[0-9a-f-]{36}-[a-z]{3}-[0-9]{4}\.pdf/) == nil ? nil : name
    }

    private static func digest(_ text: String) -> String? {
        Base16.isEncoding(text, ofBytes: 32) ? text : nil
    }
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
