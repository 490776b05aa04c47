import Encodings

/// The versions of the Model Context Protocol that a server of this program speaks.
package enum ProtocolVersion: String, Sendable, CaseIterable {
    /// Stateless: each request names its version and the client's capabilities in `_meta`.
    case stateless = "2026-07-28"
    /// Has a handshake, `initialize`.
    case handshake = "2025-11-25"
    case olderHandshake = "2025-06-18"

    /// Returns the version that `initialize` agrees on: the client's version if it has a handshake, otherwise the
    /// newest one with a handshake.
    package static func agreed(on requested: String) -> ProtocolVersion {
        guard let version = ProtocolVersion(rawValue: requested), version != .stateless else { return .handshake }
        return version
    }

    /// Returns the version that a request names in `_meta`; nil when it names none.
    ///
    /// - Throws: ``RPCError`` for an unknown version or form.
    package static func named(in params: JSONValue) throws(RPCError) -> ProtocolVersion? {
        guard let meta = params["_meta"], let version = meta["io.modelcontextprotocol/protocolVersion"] else {
            return nil
        }
        guard let name = version.stringValue else { throw .invalidParams("the protocol version must be a string") }
        guard name == stateless.rawValue else { throw .unsupportedVersion(name) }
        guard meta["io.modelcontextprotocol/clientCapabilities"]?.objectValue != nil else {
            throw .invalidParams("“_meta” has no io.modelcontextprotocol/clientCapabilities")
        }
        return stateless
    }

    /// Adds the members that this version wants in a result. The name of the server comes with each, from ``ContextServer``.
    ///
    /// - Parameter isCacheable: true for lists and resources, which have to name a lifetime; it is always zero.
    package func result(_ members: [String: JSONValue], isCacheable: Bool = false) -> JSONValue {
        guard self == .stateless else { return .object(members) }
        var members = members
        members["resultType"] = members["resultType"] ?? "complete"
        if isCacheable {
            members["ttlMs"] = 0
            members["cacheScope"] = "private"
        }
        return .object(members)
    }
}
