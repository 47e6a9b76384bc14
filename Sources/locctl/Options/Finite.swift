import ArgumentParser

/// Numbers that JSON cannot carry, refused where their option can still be named.
enum Finite {
    static func require(_ number: Double?, _ option: String) throws {
        guard let number, !number.isFinite else { return }
        throw ValidationError("\(option) is a finite number")
    }
}
