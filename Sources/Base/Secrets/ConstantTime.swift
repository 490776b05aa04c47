/// Comparison in constant time, so that timing does not reveal how much of a guess was right.
package enum ConstantTime {
    /// Compares in time that depends only on the lengths.
    package static func isEqual(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        // Contiguous bytes compare several times faster.
        let isEqual = left.withContiguousStorageIfAvailable { left -> Bool? in
            right.withContiguousStorageIfAvailable { right -> Bool in Self.difference(left, right) == 0 }
        }
        return (isEqual ?? nil) ?? (Self.difference(left, right) == 0)
    }

    private static func difference(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> UInt8 {
        zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) }
    }
}
