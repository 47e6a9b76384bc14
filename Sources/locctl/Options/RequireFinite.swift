import ArgumentParser

/// Throws a usage error that names the option: JSON cannot carry a number that is not finite.
func requireFinite(_ number: Double?, _ option: String) throws {
    guard let number, !number.isFinite else { return }
    throw ValidationError("\(option) is a finite number")
}
