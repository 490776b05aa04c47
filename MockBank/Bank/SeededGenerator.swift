/// The same numbers for the same seed, on every machine (SplitMix64; Steele, Lea, Flood, 2014).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    /// Seeds with a text, through FNV-1a.
    init(_ seed: String) {
        state = seed.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
