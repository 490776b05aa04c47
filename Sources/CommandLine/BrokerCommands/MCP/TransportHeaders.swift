import Encodings
import Foundation
import Terminal

/// The headers of a message over HTTP, which repeat what is in it (Streamable HTTP of version 2026-07-28). One that says
/// something else is refused: a proxy may have judged the message by it.
struct TransportHeaders {
    private let headers: [String: String]

    /// - Parameter headers: by their names in lower case.
    init(_ headers: [String: String]) {
        self.headers = headers
    }

    private static let version = "mcp-protocol-version"

    /// Checks the headers of a request, and returns the version that its client has agreed on in a handshake before; nil for a
    /// request that names its own, and for the handshake itself.
    func handshake(for method: String, _ params: JSONValue) throws(RPCError) -> ProtocolVersion? {
        let named = headers[Self.version]
        guard let version = params["_meta"]?["io.modelcontextprotocol/protocolVersion"]?.stringValue else {
            guard method != "initialize", let named else { return nil }
            guard let known = ProtocolVersion(rawValue: named) else { throw .unsupportedVersion(named) }
            guard known != .stateless else {
                throw .invalidParams("“_meta” has no io.modelcontextprotocol/protocolVersion")
            }
            return known
        }
        guard named == version else { throw .headerMismatch("MCP-Protocol-Version") }
        // Only the stateless version has the other two.
        guard version == ProtocolVersion.stateless.rawValue else { return nil }
        guard headers["mcp-method"] == method else { throw .headerMismatch("Mcp-Method") }
        let name: String? =
            switch method {
            case "tools/call": params["name"]?.stringValue
            case "resources/read": params["uri"]?.stringValue
            default: nil
            }
        if let name, Self.decoded(headers["mcp-name"]) != name { throw .headerMismatch("Mcp-Name") }
        return nil
    }

    /// Returns a header's value; one that does not fit into a header is sent in Base64, as `=?base64?…?=`.
    private static func decoded(_ value: String?) -> String? {
        guard let value, let match = value.wholeMatch(of: /=\?base64\?(.*)\?=/) else { return value }
        guard let bytes = Data(base64Encoded: String(match.1)), bytes.base64EncodedString() == match.1 else {
            return nil
        }
        return String(data: bytes, encoding: .utf8)
    }
}

extension RPCError {
    /// The 2026-07-28 schema's `HeaderMismatchError`.
    fileprivate static func headerMismatch(_ name: String) -> RPCError {
        RPCError(code: -32020, message: "the header \(name) is missing, or does not match the message")
    }

    /// The status of HTTP with which an error of the stateless version goes out.
    var httpStatus: Int {
        switch code {
        case -32700, -32600, -32602, -32020, -32021, -32022: 400
        case -32601: 404
        default: 200
        }
    }
}
