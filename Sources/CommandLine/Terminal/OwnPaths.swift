import Foundation
import Secrets

/// Redaction for the person at the terminal.
enum OwnPaths {
    /// The home folder of the person who runs the command.
    private static let home = TypedPath.expanded("~")

    /// Removes the live secrets from a text, but leaves the path of the person's own home folder whole. The user name at a bank is
    /// often that of the machine, too, and a path with a mask in it leads nowhere.
    static func redact(_ text: String, home: String = home) -> String {
        guard home.count > 1, text.contains(home), Redactor.redact(home) != home else { return Redactor.redact(text) }
        return Redactor.redact(text.components(separatedBy: home)).joined(separator: home)
    }
}
