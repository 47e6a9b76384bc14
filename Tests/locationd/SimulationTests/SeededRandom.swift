import ProgramTestSupport

/// Random choices, the same for the same seed.
struct SeededRandom {
    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    mutating func chance(_ probability: Double) -> Bool { number(in: 0...1) < probability }
    mutating func number(in range: ClosedRange<Double>) -> Double { .random(in: range, using: &generator) }
    mutating func integer(in range: ClosedRange<Int>) -> Int { .random(in: range, using: &generator) }
    mutating func byte() -> UInt8 { .random(in: 0...255, using: &generator) }
    mutating func another() -> SeededGenerator { SeededGenerator(seed: generator.next()) }

    mutating func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[integer(in: 0...elements.count - 1)]
    }

    /// A value, or most often none.
    mutating func seldom<Value>(_ probability: Double, _ value: (inout SeededRandom) -> Value) -> Value? {
        chance(probability) ? value(&self) : nil
    }
}
