/// Platform configuration registers of a TPM's SHA-256 bank.
package struct TPMRegisterSelection: Sendable, Hashable, CustomStringConvertible {
    /// Firmware, its extensions, the boot loader, the state of Secure Boot, and what the boot loader measures: its
    /// commands, the kernel and its initial files (TCG, "PC Client Platform Firmware Profile", section 3.3.4).
    package static let boot = TPMRegisterSelection([0, 2, 4, 7, 8, 9])

    private static let prefix = "sha256:"
    /// Registers that any program can reset, so that their values prove nothing.
    private static let resettable: Set = [16, 23]

    /// The numbers in ascending order.
    let registers: [Int]

    private init(_ registers: [Int]) {
        self.registers = registers
    }

    /// Reads a text such as `sha256:0,2,4,7`, the form of tpm2-tools.
    ///
    /// - Returns: nil for another bank, for no register, for one that is unknown or named twice, and for one that any program
    ///   can reset.
    package init?(_ text: String) {
        guard text.hasPrefix(Self.prefix) else { return nil }
        let parts = text.dropFirst(Self.prefix.count).split(separator: ",", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Int($0) }
        guard numbers.count == parts.count, Set(numbers).count == numbers.count,
            numbers.allSatisfy({ (0...23).contains($0) && !Self.resettable.contains($0) })
        else { return nil }
        registers = numbers.sorted()
    }

    /// Reads a TPML_PCR_SELECTION (part 2, section 10.9.7) with one bank.
    init(_ reader: inout TPMReader) throws(EvidenceError) {
        guard try reader.number(UInt32.self) == 1, try reader.number(UInt16.self) == TPMAlgorithm.sha256 else {
            throw .malformed("the quote must be over registers of the SHA-256 bank alone")
        }
        let size = Int(try reader.number(UInt8.self))
        guard (3...4).contains(size) else { throw .malformed("the quote's selection of registers has an unknown size") }
        let bits = try reader.take(size)
        registers = (0..<size * 8).filter { bits[$0 / 8] >> ($0 % 8) & 1 == 1 }
    }

    package var description: String { Self.prefix + registers.map(String.init).joined(separator: ",") }
}
