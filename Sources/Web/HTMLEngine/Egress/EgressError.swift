import WebURL

/// A request that the egress policy refuses.
public struct EgressError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        /// An origin that the script does not name.
        case origin
        /// Plain http to another machine.
        case plainHTTP
        /// Plain http to this machine, under a policy that is not for testing.
        case loopbackHTTP
        /// A scheme other than http and https, such as `file:`, `ftp:`, `data:` or `javascript:`.
        case scheme
        /// A user name or password in the URL.
        case userinfo
    }

    public let code: Code
    /// The requested origin, or the scheme of a URL without an origin. Never a path, a query or userinfo.
    public let asked: String
    public let allowed: [Origin]

    public var description: String {
        let list = allowed.isEmpty ? "none" : allowed.map(\.description).joined(separator: ", ")
        return switch code {
        case .origin:
            "Nothing was sent to \(asked): the script names other origins (\(list)). If it belongs to the bank, add "
                + "\(asked) to the script's origins."
        case .plainHTTP:
            "Nothing was sent to \(asked): plain http can be read on the way. Use the https address of the page; the "
                + "script's origins are \(list)."
        case .loopbackHTTP:
            "Nothing was sent to \(asked): http to this machine is for testing alone, and the script (origins: \(list)) "
                + "does not say that it is for testing."
        case .scheme:
            "Nothing was sent: \(asked) is not https, and a script speaks https to its origins (\(list)) and nothing else."
        case .userinfo:
            "Nothing was sent to \(asked): its URL carries a user name or password. Take them out and fill them into the "
                + "page's form; the script's origins are \(list)."
        }
    }
}
