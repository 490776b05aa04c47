/// A cookie as libcurl keeps it.
public struct HTTPCookie: Sendable, Hashable {
    public var name: String
    public var value: String
    public var domain: String
    /// True if it is sent to the domain's subdomains too.
    public var includesSubdomains: Bool
    public var path: String
    public var isSecure: Bool
    public var isHTTPOnly: Bool
    /// Seconds since 1970; 0 for a session cookie.
    public var expires: Int

    private static let httpOnlyMark = "#HttpOnly_"

    public init(
        name: String, value: String, domain: String, includesSubdomains: Bool = false, path: String = "/",
        isSecure: Bool = false, isHTTPOnly: Bool = false, expires: Int = 0
    ) {
        self.name = name
        self.value = value
        self.domain = domain
        self.includesSubdomains = includesSubdomains
        self.path = path
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.expires = expires
    }

    /// Reads a line of the Netscape cookie format, which libcurl's jar uses.
    init?(netscape line: String) {
        var fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        guard fields.count == 7, let expires = Int(fields[4]) else { return nil }
        isHTTPOnly = fields[0].hasPrefix(Self.httpOnlyMark)
        if isHTTPOnly { fields[0].removeFirst(Self.httpOnlyMark.count) }
        domain = fields[0]
        includesSubdomains = fields[1] == "TRUE"
        path = fields[2]
        isSecure = fields[3] == "TRUE"
        self.expires = expires
        name = fields[5]
        value = fields[6]
    }

    /// False for a cookie that would end its line, or a field of it.
    var isWhole: Bool {
        ![name, value, domain, path].contains { $0.utf8.contains { $0 < 0x20 || $0 == 0x7F } } && !name.isEmpty
    }

    var netscape: String {
        [
            (isHTTPOnly ? Self.httpOnlyMark : "") + domain, includesSubdomains ? "TRUE" : "FALSE", path,
            isSecure ? "TRUE" : "FALSE", String(expires), name, value,
        ].joined(separator: "\t")
    }
}
