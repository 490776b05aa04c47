/// A URL as a browser understands it: parsed, resolved and serialised as the URL Standard (https://url.spec.whatwg.org)
/// says, so that a reference copied from a page's source means here what it means there.
///
/// Two values are equal when they serialise alike. Left out: `blob:` origins and the Windows drive letters of `file:`
/// URLs, since neither is ever requested.
public struct WebURL: Sendable, Hashable {
    /// Lower case, without the colon.
    public internal(set) var scheme: String = ""
    /// Percent-encoded; empty when there is none.
    public internal(set) var username: String = ""
    public internal(set) var password: String = ""
    public internal(set) var host: Host?
    /// nil when it is the scheme's default.
    public internal(set) var port: UInt16?
    var pathForm: PathForm = .segments([])
    /// Percent-encoded, without the question mark; nil is not the same as empty.
    public internal(set) var query: String?
    /// Percent-encoded, without the number sign.
    public internal(set) var fragment: String?

    init() {}

    enum PathForm: Sendable, Hashable {
        case opaque(String)
        case segments([String])
    }

    /// Parses `text`, relative to `base` if there is one.
    ///
    /// `encoding` is that of the document which the reference stands in; only the query depends on it.
    public init(
        parsing text: String, base: WebURL? = nil, encoding: QueryEncoding = .utf8
    ) throws(WebURLError) {
        var parser = WebURLParser(text, base: base, encoding: encoding)
        self = try parser.parse()
    }
}

extension WebURL {
    /// Whether the scheme is one of those whose URLs have an authority and treat a backslash as a slash.
    public var isSpecial: Bool { Self.isSpecial(scheme) }

    static func isSpecial(_ scheme: String) -> Bool {
        scheme == "https" || scheme == "http" || scheme == "file" || scheme == "ftp" || scheme == "ws"
            || scheme == "wss"
    }

    static func defaultPort(of scheme: String) -> UInt16? {
        switch scheme {
        case "https", "wss": 443
        case "http", "ws": 80
        case "ftp": 21
        default: nil
        }
    }

    public var hasCredentials: Bool { !username.isEmpty || !password.isEmpty }

    /// The port that a connection goes to: the one that is written or else the scheme's own.
    public var effectivePort: UInt16? { port ?? Self.defaultPort(of: scheme) }

    public var path: String {
        switch pathForm {
        case .opaque(let text): text
        case .segments(let segments): segments.reduce(into: "") { $0 += "/" + $1 }
        }
    }

    var hasOpaquePath: Bool {
        if case .opaque = pathForm { true } else { false }
    }

    /// The same resource without the fragment, which is what a request is for.
    public var withoutFragment: WebURL {
        var copy = self
        copy.fragment = nil
        return copy
    }

    func replacing(query: String?) -> WebURL {
        var copy = self
        copy.query = query
        return copy
    }

    func replacing(fragment: String?) -> WebURL {
        var copy = self
        copy.fragment = fragment
        return copy
    }

    /// Where it leads, for a message: neither userinfo nor query nor fragment, which may carry what is nobody's business.
    public var displayText: String {
        var shown = self
        shown.username = ""
        shown.password = ""
        shown.query = nil
        shown.fragment = nil
        if case .opaque = pathForm { return "\(scheme):…" }
        return query == nil ? shown.description : "\(shown)?…"
    }
}

extension WebURL: CustomStringConvertible {
    /// The serialised URL (section 4.5).
    public var description: String {
        var text: [UInt8] = []
        text.reserveCapacity(127)
        text += scheme.utf8
        text += ":".utf8
        if let host {
            text += "//".utf8
            if hasCredentials {
                text += username.utf8
                if !password.isEmpty {
                    text += ":".utf8
                    text += password.utf8
                }
                text += "@".utf8
            }
            text += host.description.utf8
            if let port {
                text += ":".utf8
                text += String(port).utf8
            }
        } else if case .segments(let segments) = pathForm, segments.count > 1, segments[0].isEmpty {
            text += "/.".utf8
        }
        switch pathForm {
        case .opaque(let path): text += path.utf8
        case .segments(let segments):
            for segment in segments {
                text += "/".utf8
                text += segment.utf8
            }
        }
        if let query {
            text += "?".utf8
            text += query.utf8
        }
        if let fragment {
            text += "#".utf8
            text += fragment.utf8
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// Why a text is not a URL.
public struct WebURLError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        case relativeWithoutBase
        case emptyHost
        case invalidHost
        case invalidPort
    }

    public let code: Code
    /// The text that was to be parsed, cut to 200 characters.
    public let text: String

    init(_ code: Code, _ text: String) {
        self.code = code
        self.text = String(text.prefix(200))
    }

    public var description: String {
        let reason =
            switch code {
            case .relativeWithoutBase:
                "it is relative and there is no page to resolve it against; open a full URL first"
            case .emptyHost: "it has no host; write one, as in https://bank.example/login"
            case .invalidHost: "its host is not a valid domain or IP address"
            case .invalidPort: "its port is not a number from 0 to 65535"
            }
        let shown =
            text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).first.map(String.init) ?? ""
        return "\"\(shown)\" is not a usable URL: \(reason)"
    }
}
