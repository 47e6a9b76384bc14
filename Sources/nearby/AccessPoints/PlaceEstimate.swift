package import LocationModel

/// Where the machine is by the access points that it receives.
package struct PlaceEstimate: Sendable, Equatable {
    package var coordinate: Coordinate
    /// Metres: the radius that holds the place for 68 % of answers.
    package var accuracy: Double
    /// How many devices agree on it.
    package var count: Int
}

/// Why the access points tell no place.
package enum PlaceUnknown: Error, Equatable, Sendable {
    /// None is received that may be remembered.
    case nothingReceived
    /// So many are received, of which so many devices are known: fewer than are needed.
    case tooFewKnown(known: Int, received: Int)
    /// The devices that are known are not at one place.
    case contradiction(known: Int)

    /// As text for a person.
    package var reason: String {
        switch self {
        case .nothingReceived: "no access point is received that could be remembered"
        case .tooFewKnown(0, let received): "none of the \(received) access points received is known yet"
        case .tooFewKnown(let known, let received):
            "\(known) of the \(received) access points received are known; \(PlaceEstimator.needed(of: received)) are needed"
        case .contradiction(let known): "the \(known) known access points received were last at different places"
        }
    }
}
