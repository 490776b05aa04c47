/// A permission that the user can give to the assistant. The assistant asks for nothing that can change or send.
package enum GoogleScope: String, Sendable, Hashable, CaseIterable {
    case calendar = "calendar.readonly"
    case mail = "gmail.readonly"

    private static let prefix = "https://www.googleapis.com/auth/"

    /// The name that Google knows.
    package var url: String { Self.prefix + rawValue }

    /// Reads the `scope` of a token answer: names with spaces between them (RFC 6749, section 3.3). Others are ignored.
    package static func granted(_ text: String) -> [GoogleScope] {
        let names = Set(text.split(separator: " ").map(String.init))
        return allCases.filter { names.contains($0.url) }
    }

    /// The scopes that were asked for and not granted.
    package static func missing(from granted: [GoogleScope]) -> [GoogleScope] {
        allCases.filter { !granted.contains($0) }
    }
}
