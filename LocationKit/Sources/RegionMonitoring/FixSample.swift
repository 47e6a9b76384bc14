@_spi(Programs) import LocationModel

/// One usable fix.
struct FixSample: Sendable {
    let coordinate: Coordinate
    let point: SurfacePoint
    let uncertainty: Double
    let time: BootInstant
    let timestamp: UTCTime?
    /// True if the speed certainly exceeds that of a stay.
    let isMoving: Bool

    init(_ fix: Location, uncertainty: Double) {
        coordinate = fix.coordinate
        point = SurfacePoint(fix.coordinate)
        self.uncertainty = uncertainty
        time = fix.monotonicTime
        timestamp = fix.timestamp
        isMoving = (fix.speed ?? 0) - (fix.speedAccuracy ?? 0) > VisitTracker.standingSpeed
    }

    var cluster: FixCluster { FixCluster(point, radius: uncertainty) }
}

extension Location {
    /// Radius of the circle that contains the position, metres; `assumed` if the receiver does not report it.
    func uncertainty(assumed: Double) -> Double { horizontalAccuracy.map { max(0, $0) } ?? assumed }
}
