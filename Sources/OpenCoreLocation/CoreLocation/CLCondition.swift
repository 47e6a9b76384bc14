/// What a ``CLMonitor`` can be asked to watch; ``CLMonitor/CircularGeographicCondition`` is the one kind there is.
public protocol CLCondition: Sendable {}

extension CLMonitor {
    /// To be within a circle on the Earth.
    public struct CircularGeographicCondition: CLCondition {
        /// The middle.
        public let center: CLLocationCoordinate2D
        /// Metres from the middle to the edge, 1 to 10,000,000; others are told as
        /// ``CLMonitor/Event/conditionUnsupported``.
        public let radius: CLLocationDistance

        /// A circle by its middle and its radius in metres.
        public init(center: CLLocationCoordinate2D, radius: CLLocationDistance) {
            self.center = center
            self.radius = radius
        }
    }

    /// What is known of a condition.
    public struct Record: Sendable {
        /// The condition.
        public let condition: any CLCondition
        /// What was told of it last.
        public let lastEvent: Event
    }
}
