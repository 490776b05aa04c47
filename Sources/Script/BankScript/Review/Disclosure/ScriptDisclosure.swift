import Encodings
import Selectors

/// A script in words for the person who accepts it. Nothing of the script's JSON is left out.
///
/// The script's author is a stranger: each text is a value inside a line, with what a reader would not see escaped, and
/// its middle left out when it is longer than 200 characters.
///
///     let disclosure = ScriptDisclosure(script)
///     for line in disclosure.lines { print(line) }
///     for row in disclosure.outflows { print(row) }
public struct ScriptDisclosure: Sendable, Hashable {
    /// The script's name, its origins in the form that is contacted, its settings and every step, indented.
    public let lines: [String]
    /// Warnings about parts that can look like something else, such as an origin in foreign letters.
    public let warnings: [String]
    /// The values that leave, by origin.
    public let outflows: [Outflow]
    /// The texts whose middle is left out in ``lines``, whole.
    private let longTexts: [String]

    public init(_ script: BankScript) {
        let origins = script.origins.map(OriginText.init)
        let outflows = Outflow.all(of: script)
        lines = Self.head(of: script, origins) + Self.heads(in: outflows) + StepWords.lines(of: script)
        warnings = origins.flatMap(\.warnings) + Self.warnings(of: script, origins)
        self.outflows = outflows
        longTexts = script.texts.map(\.text.visible).filter { $0.inLine() != $0.inLine(limit: .max) }
            .map { "text \($0)" }
    }

    /// The values that leave for each origin, a line for each.
    public var summary: [String] {
        var origins: [String] = []
        for outflow in outflows where !origins.contains(outflow.origin) { origins.append(outflow.origin) }
        return origins.map { origin in
            var items: [String] = []
            for outflow in outflows where outflow.origin == origin && !items.contains(outflow.item) {
                items.append(outflow.item)
            }
            return "\(origin): \(items.joined(separator: ", "))"
        }
    }

    /// Everything that a later version of the script is compared with. Two texts that differ only in their middle differ
    /// here.
    public var comparable: [String] { lines + warnings + outflows.map { "sends \($0)" } + longTexts }

    /// Returns the origins that another version did not contact, in the form that is contacted.
    ///
    /// - Parameter before: the other version's ``comparable``.
    public func newOrigins(since before: [String]) -> [String] {
        let known = Set(before)
        return lines.filter { $0.hasPrefix("origin ") && !known.contains($0) }.map { String($0.dropFirst(7)) }
    }

    private static func head(of script: BankScript, _ origins: [OriginText]) -> [String] {
        var lines = ["\(script.name.inLine()) (\(script.id.inLine())), language 1"]
        lines += origins.map { "origin \($0)" }
        for (origin, keys) in script.pins.sorted(by: { $0.key < $1.key }) {
            lines += keys.map { "pin \(OriginText(origin)): \($0.inLine())" }
        }
        if script.isForTesting { lines.append("testing: true, so plain HTTP to this machine is allowed") }
        if script.engine == .browser {
            lines.append(
                "engine browser: Chromium runs the bank's pages and their JavaScript, and reaches the origins only")
        } else if script.engine != .html {
            lines.append(
                "engine \(script.engine.rawValue): a plug-in of this program shows the bank's pages, and receives what is filled in"
            )
        }
        if script.atOnce != 1 {
            lines.append("at once \(script.atOnce): so many downloads that follow one another run side by side")
        }
        lines.append("locale \(script.locale.inLine())")
        lines += script.parameters.map {
            if case .number(let range) = $0.kind {
                "parameter \($0.name.inLine()) from \(range.lowerBound) to \(range.upperBound)"
            } else {
                "parameter \($0.name.inLine()): \($0.accepted)"
            }
        }
        let credentials = script.credentials.map { $0.inLine() }.joined(separator: ", ")
        lines.append("credentials: \(credentials.isEmpty ? "none" : credentials)")
        if !script.device.isEmpty {
            let names = script.device.map { "“\($0.inLine())”" }.joined(separator: " and ")
            lines.append(
                "device: keeps the bank's \(script.device.count == 1 ? "cookie" : "cookies") \(names) over visits, so that the "
                    + "bank knows this device; sealed in the vault, and sent to this bank only")
        }
        lines.append(
            "attempts \(script.attempts): a run sends the password and each code at most "
                + (script.attempts == 1 ? "once" : "\(script.attempts) times"))
        return lines + ExchangeWords.lines(of: script)
    }

    /// The credentials that accompany requests, a line for each place and origin.
    private static func heads(in outflows: [Outflow]) -> [String] {
        var lines: [String] = []
        for outflow in outflows {
            guard let place = outflow.place else { continue }
            let line = "sends \(outflow.item), \(place), to \(outflow.origin) and nowhere else"
            if !lines.contains(line) { lines.append(line) }
        }
        return lines
    }

    private static func warnings(of script: BankScript, _ origins: [OriginText]) -> [String] {
        guard script.isForTesting else { return [] }
        // Lint reports a text that is not an origin; a run sends nothing to it.
        let others = origins.filter { $0.isOrigin && !$0.isLoopback }.map(\.shown)
        guard !others.isEmpty else { return [] }
        return ["a script for testing also contacts other machines: \(others.joined(separator: ", "))"]
    }
}
