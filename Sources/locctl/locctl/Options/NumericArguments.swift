import ArgumentParser
@_spi(Programs) import LocationKit

/// A position on the command line: two numbers, with or without a comma between them, as positions are printed.
///
/// They are parsed as unrecognized arguments, because a minus sign would make a plain argument look like an option.
enum PositionArgument {
    static func coordinate(_ words: [String]) throws -> Coordinate {
        if let option = words.first(where: { $0.hasPrefix("--") }) {
            throw ValidationError("there is no option \(option)")
        }
        let degrees = numbers(words).map(Double.init)
        guard degrees.count == 2, let latitude = degrees[0], let longitude = degrees[1],
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        else {
            throw ValidationError(
                "give a latitude, -90 to 90, and a longitude, -180 to 180, such as 52.517 13.389 or 52.517,13.389")
        }
        return coordinate
    }

    /// The words of the numbers; between two of them may be a comma.
    static func numbers(_ words: [String]) -> [String] {
        let groups = words.joined(separator: " ").split(separator: ",", omittingEmptySubsequences: false)
        // A comma at an end, or a second one, leaves an empty word, which is no number.
        return groups.flatMap { group in
            let numbers = group.split(separator: " ").map(String.init)
            return numbers.isEmpty ? [""] : numbers
        }
    }
}

/// Throws a usage error for an accuracy to wait for that no location has.
func requireAttainable(_ accuracy: Double?, _ option: String) throws {
    try requireFinite(accuracy, option)
    guard let accuracy, accuracy <= 0 else { return }
    throw ValidationError("\(option) is more than 0 metres: no location is known exactly")
}

/// Throws a usage error that names the option: JSON cannot carry a number that is not finite.
func requireFinite(_ number: Double?, _ option: String) throws {
    guard let number, !number.isFinite else { return }
    throw ValidationError("\(option) is a finite number")
}
