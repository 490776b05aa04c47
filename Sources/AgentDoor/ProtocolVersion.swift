import JSON

/// The versions of the Model Context Protocol that are spoken here.
enum ProtocolVersion: String, Sendable, CaseIterable {
    /// Stateless: each request says its version and the client's capabilities in `_meta`.
    case stateless = "2026-07-28"
    /// With a handshake, `initialize`.
    case handshake = "2025-11-25"
    case olderHandshake = "2025-06-18"

    /// What `initialize` agrees on: the client's version if it is one with a handshake, else the newest that is.
    static func agreed(on requested: String) -> ProtocolVersion {
        guard let version = ProtocolVersion(rawValue: requested), version != .stateless else { return .handshake }
        return version
    }

    /// The version that a request names for itself; nil when it names none.
    ///
    /// - Throws: ``RPCError`` for a version or a form that is not known.
    static func named(in params: JSONValue) throws(RPCError) -> ProtocolVersion? {
        guard let meta = params["_meta"], let version = meta["io.modelcontextprotocol/protocolVersion"] else {
            return nil
        }
        guard let name = version.stringValue else { throw .invalidParams("the protocol version is no text") }
        guard name == stateless.rawValue else { throw .unsupportedVersion(name) }
        guard meta["io.modelcontextprotocol/clientCapabilities"]?.objectValue != nil else {
            throw .invalidParams("“_meta” has no io.modelcontextprotocol/clientCapabilities")
        }
        return stateless
    }

    /// Brings a result into the version's form.
    ///
    /// - Parameter isCacheable: lists and resources say how long they may be kept: not at all.
    func result(_ members: [String: JSONValue], isCacheable: Bool = false) -> JSONValue {
        guard self == .stateless else { return .object(members) }
        var members = members
        members["resultType"] = "complete"
        members["_meta"] = ["io.modelcontextprotocol/serverInfo": AgentDoor.serverInfo]
        if isCacheable {
            members["ttlMs"] = 0
            members["cacheScope"] = "private"
        }
        return .object(members)
    }
}
