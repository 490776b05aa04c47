import HTMLEngine
import WebURL

/// The origins that a script names for recorded addresses.
package enum ScriptOrigins {
    /// Returns the origins of the URLs, each once, in order.
    package static func all(of urls: [String]) -> [String] {
        var origins: [String] = []
        for origin in urls.compactMap(one) where !origins.contains(origin) { origins.append(origin) }
        return origins
    }

    /// Returns the origin that a script may name. An http address becomes https, because banks redirect to it.
    package static func one(of url: String) -> String? {
        guard let parsed = try? URLRecord(parsing: url), let origin = Origin(of: parsed) else { return nil }
        guard origin.scheme == "http", !origin.host.isLoopback else { return origin.description }
        return "https://\(origin.host)"
    }

    /// Returns whether the script is for this machine only, so that it may use plain http.
    package static func areForTesting(_ origins: [String]) -> Bool {
        origins.contains { $0.hasPrefix("http://") }
    }
}
