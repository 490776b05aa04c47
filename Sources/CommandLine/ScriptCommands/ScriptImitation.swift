import Automation
import BankScript
import CountersignPlugins
import DefaultBank
import Encodings
import Terminal

/// The banks that a person may take a script's bank for: their names or ids read like the script's, and they never contact an
/// origin that it contacts.
struct ScriptImitation: Sendable {
    private struct Known {
        let id: String
        let name: String
        /// The words of the script: ``ScriptDisclosure/comparable``.
        let disclosure: [String]
        let origin: String
    }

    let lines: [StyledLine]

    /// - Parameters:
    ///   - accepted: the scripts that the person has accepted. Another version for the same bank is told as a difference, and
    ///     not here.
    ///   - plugged: the scripts that the program brings.
    init(
        of script: BankScript, accepted: [AcceptedScripts.Acceptance], plugged: [BankScript] = Plugins.current.scripts
    ) {
        guard !script.isForTesting else {
            lines = []
            return
        }
        let own = accepted.filter { $0.bankID != script.id }.compactMap { acceptance in
            acceptance.disclosure.map {
                Known(id: acceptance.bankID, name: acceptance.name, disclosure: $0, origin: "which you accepted")
            }
        }
        let brought = plugged.filter { !$0.isForTesting && !$0.isOfFictitiousBank }.map {
            Known(
                id: $0.id, name: $0.name, disclosure: ScriptDisclosure($0).comparable,
                origin: "which comes with this program")
        }
        let disclosure = ScriptDisclosure(script)
        lines = (own + brought).compactMap { known in
            guard Self.reads(script.name, like: known.name) || Self.reads(script.id, like: known.id) else { return nil }
            let origins = disclosure.newOrigins(since: known.disclosure)
            guard !origins.isEmpty else { return nil }
            return StyledLine(
                "READS LIKE “\(known.name.inLine())” (\(known.id.inLine())), \(known.origin). That script never contacts "
                    + origins.joined(separator: ", ") + ".", .bad)
        }
    }

    private static func reads(_ name: String, like other: String) -> Bool {
        let read = ReadName(name)
        return !read.isEmpty && read == ReadName(other)
    }
}
