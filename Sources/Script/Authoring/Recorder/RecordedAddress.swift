import HTMLAutomation
import Secrets

/// An address of a recording as a script opens it: a path at the bank's first origin, without what may be a secret.
struct RecordedAddress {
    /// A path, or an absolute address at another origin.
    let reference: String
    /// The names of the parts that were left out.
    let removed: [String]

    /// - Parameters:
    ///   - home: the script's first origin.
    ///   - isScript: the address was written by a script, so that its query has no secrets.
    init(_ url: String, home: String, hiding typed: TypedTexts, isScript: Bool) {
        let address = url.prefix { $0 != "#" }
        let scheme = address.firstRange(of: "://")?.upperBound ?? address.startIndex
        let authority = address[scheme...].prefix { $0 != "/" && $0 != "?" }
        // A user and a password before the host are never part of an origin.
        let host = authority.split(separator: "@").last.map(String.init) ?? ""
        let origin = ScriptOrigins.one(of: address[..<scheme] + host) ?? home
        let halves = address[authority.endIndex...].split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var path = halves.first.map(String.init) ?? ""
        var left: [String] = []
        if !isScript {
            path = path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
                guard !Self.isSecret(String(segment), named: "", typed) else {
                    left.append("a part of the path")
                    return "…"
                }
                return String(segment)
            }.joined(separator: "/")
            // Without the part that changes, the path leads nowhere.
            if path.contains("…") { path = String(path.prefix { $0 != "…" }) }
        }
        if path.isEmpty { path = "/" }
        var query: [String] = []
        for field in halves.dropFirst().joined().split(separator: "&") {
            let parts = field.split(separator: "=", maxSplits: 1).map(String.init)
            let value = parts.count > 1 ? parts[1] : ""
            if !isScript, Self.isSecret(value, named: parts.first ?? "", typed) {
                left.append(parts.first ?? "")
            } else {
                query.append(String(field))
            }
        }
        let local = path + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
        reference = origin == home ? local : origin + local
        removed = left
    }

    private static func isSecret(_ value: String, named name: String, _ typed: TypedTexts) -> Bool {
        guard !value.isEmpty else { return false }
        return typed.occur(in: value) || Mask().hidesValues(named: name)
            || Mask().value(value, named: "") == Secret.mask
    }
}
