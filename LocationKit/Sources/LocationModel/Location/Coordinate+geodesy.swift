extension Coordinate {
    /// The length of the shortest way over the WGS 84 ellipsoid (the geodesic) to another position, metres.
    ///
    /// The error is some nanometres for any two positions. The length is 0 if they are the same place, as -180° and
    /// 180° are on any latitude and all longitudes at a pole, or less than about a picometre apart.
    ///
    /// After C. F. F. Karney, "Algorithms for geodesics", Journal of Geodesy 87 (2013).
    public func distance(to other: Coordinate) -> Double {
        GeodesicInverse(from: geodetic, to: other.geodetic).distance
    }

    /// The direction in which the shortest way to another position begins, degrees clockwise from true north, 0..<360.
    ///
    /// The direction changes along the geodesic. At a pole, north is taken along the meridian of this coordinate's
    /// longitude. Where several geodesics are equally short, as between antipodes, the result is the bearing of one of
    /// them.
    /// - Returns: `nil` if both are the same place, that is ``distance(to:)`` is 0, since there is no direction then.
    public func initialBearing(to other: Coordinate) -> Double? {
        let inverse = GeodesicInverse(from: geodetic, to: other.geodetic)
        guard inverse.distance > 0 else { return nil }
        let degrees = inverse.azimuth.degrees
        // A tiny negative number becomes 360 by rounding, and -0 must not be returned.
        let turned = degrees < 0 ? degrees + 360 : degrees
        return turned == 360 || turned == 0 ? 0 : turned
    }

    /// The position reached on the geodesic that leaves here in a direction.
    ///
    /// - Parameters:
    ///   - distance: Metres; negative goes backwards. Beyond half a turn of the Earth it goes on around.
    ///   - bearing: Degrees clockwise from true north, of any size.
    /// - Returns: The position, within some nanometres for distances up to a turn of the Earth; this one if a number is
    ///   not finite.
    public func coordinate(atDistance distance: Double, bearing: Double) -> Coordinate {
        guard distance.isFinite, bearing.isFinite else { return self }
        let azimuth = GeodesicAngle(degrees: bearing.remainder(dividingBy: 360))
        let end = GeodesicDirect.end(from: geodetic, distance: distance, azimuth: azimuth)
        return Coordinate(latitude: end.latitude, longitude: end.longitude) ?? self
    }

    /// The same position as a type of the ``Geodesy`` target, which does not import this one.
    @_spi(Programs) public var geodetic: GeodeticPoint { GeodeticPoint(latitude: latitude, longitude: longitude) }
}
