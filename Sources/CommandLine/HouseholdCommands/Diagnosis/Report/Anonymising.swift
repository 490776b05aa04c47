import Foundation
import Secrets

/// Takes out of a text what strangers should not see: credentials, names, addresses, and numbers that could be accounts.
struct Anonymising: Sendable {
    private typealias Known = (text: String, replacement: String)

    /// Exact texts, and what stands in their place.
    private let known: [Known]
    /// Names, which may also be a part of an address.
    private let names: [Known]
    /// The secrets, also for what follows from them.
    private let secrets: [Secret]

    /// - Parameters:
    ///   - secrets: values of credentials.
    ///   - home: the home folder, which becomes `~`.
    ///   - user: the user's name. Names of fewer than three letters are not looked for.
    ///   - machine: the machine's name.
    init(secrets: [String], home: String, user: String, machine: String) {
        self.secrets = secrets.filter { $0.count >= 4 }.map { Secret($0) }
        var known = secrets.filter { $0.count >= 4 }.map { (text: $0, replacement: "[secret]") }
        if home.count > 1 { known.append((home, "~")) }
        names = [(user, "[user]"), (machine, "[machine]")].filter { name, _ in
            name.count >= 3 && !["root", "localhost"].contains(name)
        }
        // The longest first: one text may be part of another.
        self.known = known.sorted { $0.text.count > $1.text.count }
    }

    func callAsFunction(_ text: String) -> String {
        var text = text
        for (secret, replacement) in known { text = text.replacingOccurrences(of: secret, with: replacement) }
        text = Redactor.redact(text)
        text.replace(/[\w.+\-]+@[\w\-]+(\.[\w\-]+)+/, with: "[e-mail]")
        text.replace(/[0-9A-Fa-f]{8}-([0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}/, with: "[id]")
        text.replace(/(https?:\/\/)([^\/\s:"]+)/) { match in
            Self.isLocal(match.2) ? String(match.0) : "\(match.1)[host]"
        }
        text.replace(/\b[0-9]{1,3}(\.[0-9]{1,3}){3}\b/) { match in
            Self.isLocal(match.0) ? String(match.0) : "[address]"
        }
        text.replace(/\b[A-Z]{2}[0-9]{2}( ?[A-Z0-9]{4}){3,}( ?[A-Z0-9]{1,4})?\b/, with: "[account]")
        text.replace(/[A-Za-z0-9_\-+]{24,}=*/) { match in
            // A long word of letters alone is a name in the program.
            match.0.contains(where: \.isNumber) ? "[token]" : String(match.0)
        }
        text.replace(/\b[0-9]{6,}\b/, with: "[number]")
        for (name, replacement) in names { text = text.replacingOccurrences(of: name, with: replacement) }
        return text
    }

    private static func isLocal(_ host: Substring) -> Bool {
        host == "localhost" || host == "0.0.0.0" || host.hasPrefix("127.")
    }
}
