/// One reply of the daemon's, or of the hub alone, in the words of the model: what is checked of it.
package struct ExpectedReply {
    /// A location, wherever it stands in the reply.
    package struct Place {
        package let sequence: Int64
        package let latitude, longitude: Double
        package let monotonicTime: Double
        package let accuracy: Double?
        /// True if it tells more than a reduced one may.
        package let isDetailed: Bool

        package init(
            sequence: Int64, latitude: Double, longitude: Double, monotonicTime: Double, accuracy: Double?,
            isDetailed: Bool
        ) {
            self.sequence = sequence
            self.latitude = latitude
            self.longitude = longitude
            self.monotonicTime = monotonicTime
            self.accuracy = accuracy
            self.isDetailed = isDetailed
        }
    }

    package var status: ExpectedStatus?
    /// Of a watch's or a request's own reply.
    package var location: Place?
    /// All of them, those in errors and reports too.
    package var places: [Place] = []
    package var dropped = 0
    package var hasHeading = false
    package var hasSatellites = false
    package var hasVisit = false
    /// True if the call ends with it.
    package var isFinal = false

    package init() {}
}

/// A status, as far as the model knows what it must be. What a driver cannot give is `nil` and is not checked.
package struct ExpectedStatus: Equatable {
    package var isEnabled: Bool
    /// The wire's word for the state of the sources.
    package var state: String
    /// The wire's word.
    package var authorization: String
    package var reason: String?
    package var hasHeading: Bool?
    package var isStationary = false
    /// Of a watch: whether it is paused.
    package var isPaused = false

    package init(
        isEnabled: Bool, state: String, authorization: String, reason: String? = nil, hasHeading: Bool? = nil
    ) {
        self.isEnabled = isEnabled
        self.state = state
        self.authorization = authorization
        self.reason = reason
        self.hasHeading = hasHeading
    }
}
