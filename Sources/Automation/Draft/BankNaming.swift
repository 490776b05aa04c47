import Foundation
import HTMLEngine
import WebURL

/// What a bank is called in a draft.
struct BankNaming {
    let id: String
    let name: String

    /// - Parameters:
    ///   - titles: of the pages that were seen; what they have in common is the bank’s name as a rule.
    ///   - origin: the bank’s home.
    init(titles: [String], origin: String) {
        let host = (try? Origin(parsing: origin)).map { "\($0.host)" } ?? ""
        let id = Self.id(of: host)
        self.id = id
        name = Self.common(titles) ?? (id == "bank" ? "My Bank" : id.capitalized)
    }

    /// The label of the host that is its own: `meridian-savings` of `banking.meridian-savings.example`.
    private static func id(of host: String) -> String {
        guard host.contains(where: \.isLetter), host != "localhost", !host.contains("[") else { return "bank" }
        let labels = host.split(separator: ".").dropLast()
        // Under a country, the label before the last may be its kind: `co.uk`.
        let own = labels.last { $0.count > 3 } ?? labels.last
        let letters = (own ?? "bank").map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") ? $0 : "-" }
        return String(letters)
    }

    private static func common(_ titles: [String]) -> String? {
        var counts: [String: Int] = [:]
        for title in titles {
            let parts = title.components(separatedBy: CharacterSet(charactersIn: "–—|·•:")).flatMap {
                $0.components(separatedBy: " - ")
            }
            for part in Set(parts.map({ $0.trimmingCharacters(in: .whitespaces) })) where part.count > 1 {
                counts[part, default: 0] += 1
            }
        }
        let best = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }
        return best.flatMap { $0.value > 1 || titles.count == 1 ? $0.key : nil }
    }

    /// Every origin, the first one first.
    static func origins(of urls: [String]) -> [String] {
        var origins: [String] = []
        for origin in urls.compactMap(origin) where !origins.contains(origin) { origins.append(origin) }
        return origins
    }

    /// The origin that a script may name: a bank that was entered by http answers by https.
    static func origin(of url: String) -> String? {
        guard let parsed = try? URLRecord(parsing: url), let origin = Origin(of: parsed) else { return nil }
        guard origin.scheme == "http", !origin.host.isLoopback else { return origin.description }
        return "https://\(origin.host)"
    }

    /// A script for this machine alone, which may use plain http.
    static func isForTesting(_ origins: [String]) -> Bool {
        origins.contains { $0.hasPrefix("http://") }
    }
}
