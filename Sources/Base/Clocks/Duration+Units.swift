extension Duration {
    /// The duration in seconds, with fractions.
    package var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }

    /// The duration in whole milliseconds; a fraction is cut off.
    package var milliseconds: Int {
        Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000)
    }

    /// The duration as a person reads it, e.g. `2 min`, `1.5 s` or `340 ms`.
    package var inWords: String {
        if milliseconds >= 60_000, milliseconds % 60_000 == 0 { return "\(milliseconds / 60_000) min" }
        if milliseconds >= 10_000 { return "\(milliseconds / 1000) s" }
        if milliseconds >= 1000 { return "\(milliseconds / 1000).\(milliseconds % 1000 / 100) s" }
        return "\(milliseconds) ms"
    }
}
