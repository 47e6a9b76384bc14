/// Random numbers that are the same for the same seed, on every machine and in every version.
///
/// SplitMix64 (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014). Not for secrets.
struct SeededGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// A number within the range, evenly distributed.
    // Own arithmetic, because the standard library does not specify how it turns bits into a Double.
    mutating func number(in range: ClosedRange<Double>) -> Double {
        let unit = Double(bits() >> 11) / 9_007_199_254_740_992  // 53 bits over 2^53
        return range.lowerBound + (range.upperBound - range.lowerBound) * unit
    }

    private mutating func bits() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
