/// Comparing with what somebody else claims, so that the time does not tell how much of a guess was right.
package enum ConstantTime {
    /// In time that depends on the lengths alone.
    package static func isEqual(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        // Over bytes that lie side by side this is several times faster.
        let isEqual = left.withContiguousStorageIfAvailable { left -> Bool? in
            right.withContiguousStorageIfAvailable { right -> Bool in Self.difference(left, right) == 0 }
        }
        return (isEqual ?? nil) ?? (Self.difference(left, right) == 0)
    }

    private static func difference(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> UInt8 {
        zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) }
    }
}
