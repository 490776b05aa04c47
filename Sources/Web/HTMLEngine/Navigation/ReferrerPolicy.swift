import WebURL

/// The part of a page's URL that its requests reveal (Referrer Policy, section 3).
enum ReferrerPolicy: String, Sendable {
    case noReferrer = "no-referrer"
    case noReferrerWhenDowngrade = "no-referrer-when-downgrade"
    case sameOrigin = "same-origin"
    case origin
    case strictOrigin = "strict-origin"
    case originWhenCrossOrigin = "origin-when-cross-origin"
    case strictOriginWhenCrossOrigin = "strict-origin-when-cross-origin"
    case unsafeURL = "unsafe-url"

    /// Reads the last known policy of a list (section 8.1).
    init?(list: String?) {
        let known = list?.lowercased().split { $0 == "," || $0.isWhitespace }.compactMap {
            ReferrerPolicy(rawValue: String($0))
        }
        guard let last = known?.last else { return nil }
        self = last
    }

    /// Returns the header's value for a request from a page to a URL (section 8.3).
    func value(from page: URLRecord, to url: URLRecord) -> String? {
        guard let from = Origin(of: page), let to = Origin(of: url) else { return nil }
        var origin: String { from.description + "/" }
        var full: String { page.withoutCredentials.withoutFragment.description }
        let isSame = from == to
        let isDowngrade = page.scheme == "https" && url.scheme != "https"
        return switch self {
        case .noReferrer: nil
        case .noReferrerWhenDowngrade: isDowngrade ? nil : full
        case .sameOrigin: isSame ? full : nil
        case .origin: origin
        case .strictOrigin: isDowngrade ? nil : origin
        case .originWhenCrossOrigin: isSame ? full : origin
        case .strictOriginWhenCrossOrigin: isSame ? full : isDowngrade ? nil : origin
        case .unsafeURL: full
        }
    }
}
