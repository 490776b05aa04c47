import BankScript
import ScriptReview
import Terminal

extension ScriptDisclosure {
    /// Prints a table of the values that leave, by origin.
    func printOutflows(on console: Console) {
        guard !outflows.isEmpty else { return }
        console.line("What leaves, and where to", .bold)
        let width = outflows.map(\.item.count).max() ?? 0
        var origin: String?
        for outflow in outflows {
            if outflow.origin != origin { console.line("  \(outflow.origin)") }
            origin = outflow.origin
            let space = String(repeating: " ", count: width - outflow.item.count)
            console.line("    \(outflow.item)\(space)  \(outflow.means)")
        }
        if Set(outflows.map(\.origin)).count > 1, outflows.contains(where: { $0.means == "in a form" }) {
            console.line("  A page decides to which of the script's origins its forms go.")
        }
    }
}
