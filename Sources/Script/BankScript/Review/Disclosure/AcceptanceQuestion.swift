import Encodings

/// The question whether a script may run. It tells the truth by itself, whatever stands above it on the screen: how many
/// steps there are or which source is used, everything of the person's that leaves, and every origin.
public struct AcceptanceQuestion: Sendable, Hashable, CustomStringConvertible {
    /// With its question mark, in one line.
    public let description: String
    /// The work of a run: “4 steps”, with those for each month and account, or a source.
    package let work: String

    public init(_ script: BankScript) {
        let walk = OutflowWalk(script)
        let sent = Self.sent(in: walk)
        let deed = sent.isEmpty ? "contact" : "send \(sent.listed) to"
        let origins = walk.origins.count.counted("origin") + ": " + walk.origins.joined(separator: ", ")
        let source = script.documentSource.map { "the source “\($0.source.rawValue.inLine(limit: 80))”" }
        work = source ?? walk.actions.count.counted("step")
        description =
            "May this script for “\(script.id.inLine(limit: 80))” \(source == nil ? "run its" : "use") \(work) "
            + "and \(deed) \(walk.origins.isEmpty ? "no origin" : origins)?"
    }

    /// Lists what leaves, in the words of the program. Names that an author made up are in quotes, so that they do not read as
    /// a part of the question.
    private static func sent(in walk: OutflowWalk) -> [String] {
        var sent = walk.credentials.map { name in
            BankScript.usualCredentials.contains(name) ? name : "“\(name.inLine(limit: 80))”"
        }
        let items = Set(walk.found.map(\.item))
        if items.contains("a one-time code") { sent.append("one-time codes") }
        if items.contains("the cookies of this device") { sent.append("the cookies of this device") }
        let captured = items.count { $0.hasPrefix("the captured ") }
        if captured > 0 { sent.append(captured.counted("captured value")) }
        return sent
    }
}
