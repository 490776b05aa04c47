import BankScript

/// The scripts that this program may run, by the bank's identifier.
public struct ScriptRegistry: Sendable {
    private let scripts: [String: BankScript]

    /// - Parameter scripts: of two for the same bank the later one counts.
    public init(_ scripts: [BankScript]) {
        self.scripts = Dictionary(scripts.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    }

    public var all: [BankScript] { scripts.values.sorted { $0.id < $1.id } }

    public func script(forBank id: String) -> BankScript? { scripts[id] }
}
