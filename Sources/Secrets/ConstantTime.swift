/// Comparing with what somebody else claims, so that the time does not tell how much of a guess was right.
package enum ConstantTime {
    /// In time that depends on the lengths alone.
    package static func isEqual(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
        left.count == right.count && zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
