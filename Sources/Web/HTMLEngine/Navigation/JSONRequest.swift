import CurlClient
import Encodings
import Secrets

/// A JSON exchange inside a session.
public struct JSONRequest: Sendable {
    public var method: String
    /// Resolved against the open page.
    public var reference: String
    public var headers: [(name: String, value: Input)]
    /// Values that are added to the reference's query.
    public var query: [(name: String, value: Input)]
    public var body: JSONBody<Input>?
    /// The fields of a form, instead of a JSON body.
    public var form: [(name: String, value: Input)]?
    /// The answer's body is a secret: it is not read as JSON.
    package var keepsBodySecret = false

    public init(
        method: String = "GET", reference: String, headers: [(name: String, value: Input)] = [],
        query: [(name: String, value: Input)] = [], body: JSONBody<Input>? = nil,
        form: [(name: String, value: Input)]? = nil
    ) {
        self.method = method
        self.reference = reference
        self.headers = headers
        self.query = query
        self.body = body
        self.form = form
    }
}

extension JSONRequest {
    /// The type of a form's data.
    package static let formType = "application/x-www-form-urlencoded"

    /// Encodes the fields of a form in UTF-8 (URL Standard, section 5.2).
    package static func formData(_ fields: [(name: String, value: Input)]) -> [UInt8] {
        EntryList(fields.map { EntryList.Entry(name: $0.name, value: .input($0.value)) }).urlEncoded(.utf8)
    }

    /// Headers that would change the message's framing or its host (Fetch Standard, section 2.2.2).
    private static let reserved: Set<String> = [
        "connection", "content-length", "expect", "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// Checks method and headers, which may come from a page through a captured value: neither may begin a line of its
    /// own.
    func checkHead() throws(NavigationError) {
        guard Self.isToken(method), !["CONNECT", "TRACE"].contains(method.uppercased()) else {
            throw NavigationError(code: .invalidRequest, message: "“\(method.prefix(20))” is not a request method")
        }
        for header in headers {
            guard Self.isToken(header.name), !Self.reserved.contains(header.name.lowercased()) else {
                throw NavigationError(
                    code: .invalidRequest,
                    message: "a request cannot set a header “\(header.name.prefix(40))”; leave it out")
            }
            let isOneLine = header.value.revealed.utf8.allSatisfy { $0 != 0x0D && $0 != 0x0A && $0 != 0 }
            guard isOneLine else {
                throw NavigationError(
                    code: .invalidRequest,
                    message: "the value for the header \(header.name) has a line break, which a header cannot have")
            }
        }
    }

    /// RFC 9110, section 5.6.2.
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.unicodeScalars.allSatisfy { scalar in
                switch scalar {
                case "a"..."z", "A"..."Z", "0"..."9": true
                default: "!#$%&'*+-.^_`|~".unicodeScalars.contains(scalar)
                }
            }
    }
}

public struct JSONResponse: Sendable {
    public var status: Int
    public var headers: [HTTPHeader]
    /// Nil when the answer is not JSON.
    public var json: JSONValue?
    /// Why the answer is not JSON, with the byte; nil when it is, or is empty.
    public var unreadable: String?
    /// The answer as a text, where it is not JSON: XML, or a part of a page.
    package var markup: String?
    /// The body, where the request keeps it secret; nil for an empty one.
    package var secretBody: Secret?

    /// Returns the values that a JSONPath (RFC 9535) selects; none when the answer is not JSON.
    public func values(_ path: String) throws(JSONPathError) -> [JSONValue] {
        let path = try JSONPath(path)
        guard let json else { return [] }
        return try path.values(in: json)
    }
}
