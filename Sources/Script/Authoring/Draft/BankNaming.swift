import Foundation
import HTMLEngine
import WebURL

/// The bank's identifier and name in a draft.
struct BankNaming {
    let id: String
    let name: String

    /// - Parameters:
    ///   - titles: the titles of the recorded pages. Their common part is usually the bank's name.
    ///   - origin: the origin of the bank's home page.
    init(titles: [String], origin: String) {
        let host = (try? Origin(parsing: origin)).map { "\($0.host)" } ?? ""
        let id = Self.id(of: host)
        self.id = id
        name = Self.common(titles) ?? (id == "bank" ? "My Bank" : id.capitalized)
    }

    /// Returns the host's most specific registered label: `meridian-savings` of `banking.meridian-savings.example`.
    private static func id(of host: String) -> String {
        guard host.contains(where: \.isLetter), host != "localhost", !host.contains("[") else { return "bank" }
        let labels = host.split(separator: ".").dropLast()
        // Under a country code, the second-level label may be generic, e.g. `co.uk`.
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
}
