import Encodings

/// The question whether a script may run. It tells the truth by itself, whatever stands above it on the screen: how many
/// steps there are or which source is used, everything of the person's that leaves, and every origin.
public struct AcceptanceQuestion: Sendable, Hashable, CustomStringConvertible {
    /// Something of the person's that leaves.
    package enum Sent: Sendable, Hashable {
        /// By the script's name of it, which is its author's unless it is a usual one.
        case credential(String)
        case codes
        case cookies
        /// A number of values that the script takes from pages.
        case captured(Int)
    }

    /// The bank's id, its author's text, in one line.
    package let bankID: String
    /// The number of steps, with those for each month and account.
    package let steps: Int
    /// The source that fetches in the place of steps, in one line.
    package let source: String?
    package let sent: [Sent]
    /// Every origin that the script contacts, in the order in which it names them.
    package let origins: [String]

    public init(_ script: BankScript) {
        let walk = OutflowWalk(script)
        bankID = script.id.inLine(limit: 80)
        steps = walk.actions.count
        source = script.documentSource.map { $0.source.rawValue.inLine(limit: 80) }
        sent = Self.sent(in: walk)
        origins = walk.origins
    }

    /// With its question mark, in one line.
    public var description: String {
        let deed = sent.isEmpty ? "contact" : "send \(sent.map(Self.words).listed) to"
        let places = origins.count.counted("origin") + ": " + origins.joined(separator: ", ")
        return "May this script for “\(bankID)” \(source == nil ? "run its" : "use") \(work) "
            + "and \(deed) \(origins.isEmpty ? "no origin" : places)?"
    }

    /// The work of a run: “4 steps”, with those for each month and account, or a source.
    package var work: String { source.map { "the source “\($0)”" } ?? steps.counted("step") }

    /// Returns what leaves, in the words of the program. Names that an author made up are in quotes, so that they do not read as
    /// a part of the question.
    private static func words(_ sent: Sent) -> String {
        switch sent {
        case .credential(let name):
            BankScript.usualCredentials.contains(name) ? name : "“\(name.inLine(limit: 80))”"
        case .codes: "one-time codes"
        case .cookies: "the cookies of this device"
        case .captured(let count): count.counted("captured value")
        }
    }

    private static func sent(in walk: OutflowWalk) -> [Sent] {
        var sent = walk.credentials.map(Sent.credential)
        let items = Set(walk.found.map(\.item))
        if items.contains("a one-time code") { sent.append(.codes) }
        if items.contains("the cookies of this device") { sent.append(.cookies) }
        let captured = items.count { $0.hasPrefix("the captured ") }
        if captured > 0 { sent.append(.captured(captured)) }
        return sent
    }
}
