import LocationModel

/// A side of a polygon on the map of longitude and latitude, from its western end to its eastern one: the same for
/// both polygons that share it. Degrees.
struct PolygonSide: Sendable {
    /// The longitude of the western end, -180..<180.
    let west: Double
    /// The longitude of the eastern end, -180..<180; less than `west` if the side crosses the antimeridian.
    let east: Double
    /// How far it is from end to end, 0...180.
    let span: Double
    /// The latitude of the western end.
    let latitude: Double
    /// How much farther north the eastern end is.
    let rise: Double
    /// Whether the ring goes along it from west to east.
    let isEastward: Bool

    /// The shorter way around the Earth; of two that are equally short, the one that keeps off the antimeridian.
    init(_ first: Coordinate, _ second: Coordinate) {
        let apart = (second.longitude - first.longitude).magnitude
        let (lesser, greater) = first.longitude <= second.longitude ? (first, second) : (second, first)
        let (western, eastern) = apart <= 180 ? (lesser, greater) : (greater, lesser)
        west = western.longitude == 180 ? -180 : western.longitude
        east = eastern.longitude == 180 ? -180 : eastern.longitude
        span = apart <= 180 ? apart : 360 - apart
        latitude = western.latitude
        isEastward = western == first
        rise = eastern.latitude - western.latitude
    }

    /// True if it crosses the meridian of 180°.
    var crossesAntimeridian: Bool { east < west }

    /// True if the way from a place to the south pole crosses it. `longitude` is -180..<180. Of the ends the western
    /// one belongs to the side, so that a way through a corner crosses both sides that meet there, or one, or none,
    /// as it passes from one side of the ring to the other or only touches it.
    func isCrossed(southOf latitude: Double, longitude: Double) -> Bool {
        let spans =
            crossesAntimeridian ? longitude >= west || longitude < east : longitude >= west && longitude < east
        guard spans else { return false }
        let along = longitude >= west ? longitude - west : longitude - west + 360
        return (latitude - self.latitude) * span > rise * along
    }
}
