import ArgumentParser

/// Throws a usage error that names the two options of which only one can be used.
///
/// - Parameters:
///   - others: options, and whether each is present.
///   - option: the option that cannot be used with them.
///   - isPresent: whether that one is present.
func refuse(_ others: [(name: String, isPresent: Bool)], with option: String, if isPresent: Bool = true) throws {
    guard isPresent, let other = others.first(where: \.isPresent) else { return }
    throw ValidationError("\(option) cannot be used with \(other.name)")
}
