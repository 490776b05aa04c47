import Broker
import HouseholdCommands
import Terminal

extension BrokerSetting {
    /// Every setting by group.
    static var helpText: String {
        groups.map { group in
            ([group.title.uppercased()] + group.settings.flatMap { Setting($0).helpLines }).joined(separator: "\n")
        }
        .joined(separator: "\n\n")
    }
}

extension Setting {
    /// A manual page indents these lines by seven more columns, and a terminal has 80.
    private static let width = 73

    /// The name with the value without the variable, and below it the purpose.
    var helpLines: [String] {
        let indent = String(repeating: " ", count: 6)
        var words = purpose.split(separator: " ").map(String.init)
        words[0] = indent + words[0]
        let lines = LineWrapping.lines(of: words, width: Self.width, indent: indent, breaksWords: false)
        let head = "  \(name)" + (standard.map { " (\($0))" } ?? "")
        guard head.count > Self.width, let standard else { return [head] + lines }
        return ["  \(name)", "\(indent)(\(standard))"] + lines
    }
}
