@_spi(Programs) package import LocationModel

/// How much a machine accelerates: the power spectral density of its acceleration, for ``Estimator``.
package enum Agility: Int, Sendable, Hashable, CaseIterable {
    case walking, driving, flying

    /// For whoever does what ``ActivityType`` says; a vehicle where nothing is said.
    package init(_ activity: ActivityType?) {
        self =
            switch activity {
            case .fitness: .walking
            case .airborne: .flying
            case .other, .automotiveNavigation, .otherNavigation, nil: .driving
            }
    }

    /// Along each horizontal axis, m²/s³. With that of driving, the circle of 68 % holds what two cars do in five and
    /// ten seconds without a fix (`make estimate`).
    var horizontal: Double {
        switch self {
        case .walking: 0.5
        case .driving: 1.5
        case .flying: 4
        }
    }

    /// Upwards, m²/s³.
    var vertical: Double {
        switch self {
        case .walking: 0.1
        case .driving: 0.2
        case .flying: 4
        }
    }
}
