import BankScript
import Encodings
import Terminal

extension ScriptDigest {
    /// Checks that a digest is long enough to name one script.
    ///
    /// - Throws: ``CommandFailure`` with status 2.
    static func checkLength(of typed: String) throws(CommandFailure) {
        guard typed.count < fewestDigits else { return }
        throw CommandFailure(
            "--digest \(typed.inLine(limit: 80)) is too short: give \(fewestDigits) digits at least, as countersign script lint FILE "
                + "shows them", status: 2)
    }

    /// Checks that the digest is the one that a person gave.
    ///
    /// - Throws: ``CommandFailure``.
    func checkIsMeant(by typed: String) throws(CommandFailure) {
        try Self.checkLength(of: typed)
        guard !hex.hasPrefix(typed.lowercased()) else { return }
        throw CommandFailure(
            "--digest \(typed.inLine(limit: 80)) is not this script's, so nothing was done with it. If this is the script that you "
                + "read: --digest \(short)")
    }
}
