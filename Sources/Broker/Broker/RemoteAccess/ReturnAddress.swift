import Foundation
import WebURL

/// An address to which a person's browser returns with a code: an https address, one on the person's own machine, or one of
/// an app's own scheme (RFC 8252, section 7). It is read as the browser will read it.
struct ReturnAddress: Sendable, Hashable {
    let text: String
    private let url: URLRecord

    /// The schemes of browsers, which no app has for itself.
    private static let foreign: Set<String> = [
        "http", "javascript", "data", "vbscript", "file", "blob", "about", "ftp", "ws", "wss", "view-source", "mailto",
        "tel",
    ]
    /// Names below `localhost` are not here: some systems ask a name server for those.
    private static let ownMachine: Set<String> = ["127.0.0.1", "[::1]", "localhost"]

    /// - Returns: nil for every other address, and for one with a fragment or a name of a user.
    init?(_ text: String) {
        guard text.utf8.count <= 2_048, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let url = try? URLRecord(parsing: text), url.fragment == nil, !url.hasCredentials
        else { return nil }
        // Without the slashes an address of a page's own scheme is a place on the page's own host.
        guard !["https", "http"].contains(url.scheme) || text.lowercased().hasPrefix("\(url.scheme)://") else {
            return nil
        }
        switch url.scheme {
        case "https": break
        case "http": guard Self.ownMachine.contains(Self.host(of: url)) else { return nil }
        default: guard !Self.foreign.contains(url.scheme) else { return nil }
        }
        self.text = text
        self.url = url
    }

    private static func host(of url: URLRecord) -> String { url.host?.description ?? "" }

    /// True for an address to which a browser goes by itself.
    var isOfWeb: Bool { ["https", "http"].contains(url.scheme) }

    /// The part by which a person knows the address: its host, or the scheme of an app.
    var place: String { isOfWeb ? Self.host(of: url) : "\(url.scheme):" }

    private var isOnOwnMachine: Bool { url.scheme == "http" }

    /// Returns whether a program that registered this address may use another: exactly this one. The port on the person's own
    /// machine may differ, because the program takes one that is free (RFC 8252, section 7.3).
    func admits(_ other: ReturnAddress) -> Bool {
        if text == other.text { return true }
        guard isOnOwnMachine, other.isOnOwnMachine else { return false }
        return Self.host(of: url) == Self.host(of: other.url) && url.path == other.url.path
            && url.query == other.url.query
    }

    /// Returns the address with parameters behind those that it has.
    func with(_ parameters: [(name: String, value: String)]) -> String {
        var allowed = CharacterSet.alphanumerics
        allowed.formIntersection(CharacterSet(charactersIn: Unicode.Scalar(0)..<Unicode.Scalar(128)))
        allowed.insert(charactersIn: "-._~")
        let query = parameters.map { parameter in
            "\(parameter.name)=\(parameter.value.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")"
        }.joined(separator: "&")
        return text + (url.query == nil ? "?" : url.query == "" ? "" : "&") + query
    }
}
