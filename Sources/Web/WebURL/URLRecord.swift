/// A URL as a browser understands it: parsed, resolved and serialized as the URL Standard (https://url.spec.whatwg.org)
/// says, so that a reference in a page's source leads where it leads in a browser. The standard calls a parsed URL a
/// URL record.
///
/// Two values are equal when they serialize alike. Not supported, because they are never requested: `blob:` origins and
/// the Windows drive letters of `file:` URLs.
public struct URLRecord: Sendable, Hashable {
    /// Shared, because pages, hops and requests copy URLs often.
    private final class Storage: Sendable {
        let parts: URLParts
        let description: String

        init(_ parts: URLParts) {
            self.parts = parts
            description = parts.serialized
        }
    }

    private let storage: Storage

    init(_ parts: URLParts) {
        storage = Storage(parts)
    }

    /// Parses `text`, relative to `base` if there is one.
    ///
    /// - Parameter encoding: the encoding of the document that contains the reference; it affects only the query.
    public init(
        parsing text: String, base: URLRecord? = nil, encoding: QueryEncoding = .utf8
    ) throws(URLParsingError) {
        var parser = URLParser(text, base: base, encoding: encoding)
        self.init(try parser.parse())
    }

    public static func == (left: URLRecord, right: URLRecord) -> Bool {
        left.storage === right.storage || left.description == right.description
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}

extension URLRecord: CustomStringConvertible {
    /// The serialized URL (section 4.5).
    public var description: String { storage.description }
}

extension URLRecord {
    var parts: URLParts { storage.parts }

    /// In lower case, without the colon.
    public var scheme: String { storage.parts.scheme }
    /// Percent-encoded; empty when absent.
    public var username: String { storage.parts.username }
    public var password: String { storage.parts.password }
    public var host: Host? { storage.parts.host }
    /// Nil when it is the scheme's default.
    public var port: UInt16? { storage.parts.port }
    /// Percent-encoded, without the question mark. Nil differs from empty.
    public var query: String? { storage.parts.query }
    /// Percent-encoded, without the number sign.
    public var fragment: String? { storage.parts.fragment }

    /// True if the scheme is special: its URLs have an authority, and a backslash counts as a slash.
    public var isSpecial: Bool { storage.parts.isSpecial }

    static func defaultPort(of scheme: String) -> UInt16? {
        switch scheme {
        case "https", "wss": 443
        case "http", "ws": 80
        case "ftp": 21
        default: nil
        }
    }

    public var hasCredentials: Bool { storage.parts.hasCredentials }

    /// The port to connect to: the explicit one, or the scheme's default.
    public var effectivePort: UInt16? { port ?? Self.defaultPort(of: scheme) }

    public var path: String {
        switch storage.parts.path {
        case .opaque(let text): text
        case .segments(let segments): segments.reduce(into: "") { $0 += "/" + $1 }
        }
    }

    var hasOpaquePath: Bool { storage.parts.hasOpaquePath }

    private func with(_ change: (inout URLParts) -> Void) -> URLRecord {
        var parts = parts
        change(&parts)
        return URLRecord(parts)
    }

    /// The URL without its fragment, as a request needs it.
    public var withoutFragment: URLRecord { replacing(fragment: nil) }

    package var withoutCredentials: URLRecord {
        guard hasCredentials else { return self }
        return with {
            $0.username = ""
            $0.password = ""
        }
    }

    package func replacing(query: String?) -> URLRecord {
        with { $0.query = query }
    }

    package func replacing(fragment: String?) -> URLRecord {
        self.fragment == fragment ? self : with { $0.fragment = fragment }
    }

    /// The URL for a message: without userinfo, query and fragment, which may hold private data.
    public var displayText: String {
        if hasOpaquePath { return "\(scheme):…" }
        let shown = withoutCredentials.with {
            $0.query = nil
            $0.fragment = nil
        }
        return query == nil ? shown.description : "\(shown)?…"
    }
}

/// The reason why a text is not a URL.
public struct URLParsingError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        case relativeWithoutBase
        case emptyHost
        case invalidHost
        case invalidPort
    }

    public let code: Code
    /// The text, cut to 200 characters.
    public let text: String

    init(_ code: Code, _ text: String) {
        self.code = code
        self.text = String(text.prefix(200))
    }

    public var description: String {
        let reason =
            switch code {
            case .relativeWithoutBase:
                "it is relative, without a page to resolve it against; open a full URL first"
            case .emptyHost: "it has no host; write one, as in https://bank.example/login"
            case .invalidHost: "its host is not a valid domain or IP address"
            case .invalidPort: "its port is not a number from 0 to 65535"
            }
        let shown =
            text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).first.map(String.init) ?? ""
        return "“\(shown)” is not a usable URL: \(reason)"
    }
}
