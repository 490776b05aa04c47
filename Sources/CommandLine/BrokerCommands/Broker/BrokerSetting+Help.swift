import Broker
import Terminal

extension BrokerSetting {
    /// Every setting by group, in lines that fit a terminal of 80 columns.
    static var helpText: String {
        groups.map { group in
            ([group.title.uppercased()] + group.settings.flatMap(\.helpLines)).joined(separator: "\n")
        }
        .joined(separator: "\n\n")
    }

    /// The name with the value without the variable, and below it the purpose.
    private var helpLines: [String] {
        let indent = String(repeating: " ", count: 6)
        var words = purpose.split(separator: " ").map(String.init)
        words[0] = indent + words[0]
        // The argument parser breaks lines of more than 79 characters again.
        let lines = LineWrapping.lines(of: words, width: 79, indent: indent, breaksWords: false)
        return ["  \(name)" + (standard.map { " (\($0))" } ?? "")] + lines
    }
}
