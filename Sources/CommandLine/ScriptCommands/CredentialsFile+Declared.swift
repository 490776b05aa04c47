import BankScript
import Encodings
import Terminal

extension CredentialsFile {
    /// Reads the credentials of a script, and warns of fields that it does not declare: one file may serve several scripts.
    ///
    /// A `code` needs no declaration.
    ///
    /// - Throws: ``CommandFailure`` for a field whose name is almost that of one that is missing. What stands under it would reach
    ///   no bank, and the sign-in would fail for another reason.
    package init(path: String, for script: BankScript) throws {
        try self.init(path: path)
        let declared = Self.declared(by: script)
        let unknown = names.filter { !declared.contains($0) }
        let missing = declared.filter { !names.contains($0) }
        let all = declared.isEmpty ? "no credentials" : declared.joined(separator: ", ")
        for name in unknown {
            guard let meant = nearest(to: name, among: missing) else { continue }
            throw CommandFailure(
                "\(path) has an unknown field “\(name.inLine(limit: 60))”; did you mean “\(meant)”? "
                    + "The script of “\(script.id)” declares \(all)", status: 2)
        }
        guard !unknown.isEmpty else { return }
        let listed = unknown.prefix(5).map { "“\($0.inLine(limit: 60))”" }.joined(separator: ", ")
        let more = unknown.count > 5 ? ", \(unknown.count - 5) more" : ""
        Console.standard.error(
            "warning: \(path) has \(listed)\(more), which nothing uses: the script of “\(script.id)” declares \(all)")
    }

    /// The names that a script declares, and those of what its exchange gives.
    static func declared(by script: BankScript) -> [String] { script.credentials + (script.exchange?.gives ?? []) }
}
