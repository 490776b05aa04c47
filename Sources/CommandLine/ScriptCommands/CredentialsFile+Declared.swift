import BankScript
import Encodings
import Terminal

extension CredentialsFile {
    /// Reads the credentials of a script.
    ///
    /// - Throws: ``CommandFailure`` for a field that the script does not declare, which is most likely mistyped. What stands under
    ///   it would reach no bank, and the sign-in would fail for another reason. A `code` needs no declaration.
    package init(path: String, for script: BankScript) throws {
        try self.init(path: path)
        let declared = script.credentials + (script.exchange?.gives ?? [])
        guard let unknown = names.first(where: { !declared.contains($0) }) else { return }
        let meant = nearest(to: unknown, among: declared).map { "; did you mean “\($0)”?" } ?? "."
        let all = declared.isEmpty ? "no credentials" : declared.joined(separator: ", ")
        throw CommandFailure(
            "\(path) has an unknown field “\(unknown.inLine(limit: 60))”\(meant) The script of “\(script.id)” declares \(all)",
            status: 2)
    }
}
