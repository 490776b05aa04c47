import BankScript
import Terminal

extension ScriptDisclosure {
    /// The line above the values that leave.
    package static let headingOfValues = "What leaves, and where to"

    /// The table of the values that leave, by origin. An address, which is its author's text, has a line of its own.
    var outflowTable: [StyledLine] {
        guard !outflows.isEmpty else { return [] }
        var lines = [StyledLine(Self.headingOfValues, .bold)]
        let width = outflows.map(\.item.count).max() ?? 0
        var origin: String?
        for outflow in outflows {
            if outflow.origin != origin { lines.append(StyledLine("  \(outflow.origin)")) }
            origin = outflow.origin
            let space = String(repeating: " ", count: width - outflow.item.count)
            lines.append(StyledLine("    \(outflow.item)\(space)  \(outflow.way)"))
            if let address = outflow.address { lines.append(StyledLine("      \(address)")) }
        }
        if Set(outflows.map(\.origin)).count > 1, outflows.contains(where: { $0.means == "in a form" }) {
            lines.append(StyledLine("  A page decides to which of the script's origins its forms go."))
        }
        return lines
    }
}
