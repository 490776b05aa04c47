import Foundation

/// An address to which a person's browser returns with a code: an https address, one on the person's own machine, or one of
/// an app's own scheme (RFC 8252, section 7).
struct ReturnAddress: Sendable, Hashable {
    let text: String
    private let parts: URLComponents

    /// The schemes of browsers, which no app has for itself.
    private static let foreign: Set<String> = [
        "http", "javascript", "data", "vbscript", "file", "blob", "about", "ftp", "ws", "wss", "view-source", "mailto",
        "tel",
    ]
    private static let ownMachine: Set<String> = ["127.0.0.1", "[::1]", "::1", "localhost"]

    /// - Returns: nil for every other address, and for one with a fragment or a name of a user.
    init?(_ text: String) {
        guard text.utf8.count <= 2_048, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(), parts.fragment == nil,
            parts.user == nil, parts.password == nil
        else { return nil }
        let host = parts.host?.lowercased() ?? ""
        switch scheme {
        case "https": guard !host.isEmpty else { return nil }
        case "http": guard Self.ownMachine.contains(host) else { return nil }
        default:
            guard !Self.foreign.contains(scheme), scheme.wholeMatch(of: /[a-z][a-z0-9+.\-]*/) != nil else { return nil }
        }
        self.text = text
        self.parts = parts
    }

    /// True for an address to which a browser goes by itself.
    var isOfWeb: Bool { ["https", "http"].contains(parts.scheme?.lowercased()) }

    /// The part by which a person knows the address: its host, or the scheme of an app.
    var place: String { isOfWeb ? parts.host ?? "" : "\(parts.scheme ?? ""):" }

    private var isOnOwnMachine: Bool {
        parts.scheme?.lowercased() == "http" && Self.ownMachine.contains(parts.host?.lowercased() ?? "")
    }

    /// Returns whether a program that registered this address may use another: exactly this one. The port on the person's own
    /// machine may differ, because the program takes one that is free (RFC 8252, section 7.3).
    func admits(_ other: ReturnAddress) -> Bool {
        if text == other.text { return true }
        guard isOnOwnMachine, other.isOnOwnMachine else { return false }
        var (mine, theirs) = (parts, other.parts)
        (mine.port, theirs.port) = (nil, nil)
        return mine.string == theirs.string
    }

    /// Returns the address with parameters behind those that it has.
    func with(_ parameters: [(name: String, value: String)]) -> String {
        var allowed = CharacterSet.alphanumerics
        allowed.formIntersection(CharacterSet(charactersIn: Unicode.Scalar(0)..<Unicode.Scalar(128)))
        allowed.insert(charactersIn: "-._~")
        let query = parameters.map { parameter in
            "\(parameter.name)=\(parameter.value.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")"
        }.joined(separator: "&")
        return text + (parts.query == nil ? "?" : parts.query == "" ? "" : "&") + query
    }
}
