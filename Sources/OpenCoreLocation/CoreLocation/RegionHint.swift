import LocationModel

/// Where a place of a name is looked for first.
struct RegionHint: Sendable {
    /// How many places a program is told.
    private static let tellable = 10

    private let circle: (middle: CLLocationCoordinate2D, radius: CLLocationDistance)?

    /// Nothing but a circle says where it is.
    init(_ region: CLRegion?) {
        circle = (region as? CLCircularRegion).map { ($0.center, $0.radius) }
    }

    /// How many places are asked for: those of the region may be far down the list.
    var limit: Int { circle == nil ? Self.tellable : 100 }

    /// Those in the region, then the others, each in their order.
    func sorted(_ places: [Placemark]) -> [Placemark] {
        guard let circle else { return places }
        let isInside = { (place: Placemark) in
            circle.middle.distance(to: CLLocationCoordinate2D(place.coordinate)).map { $0 <= circle.radius } ?? false
        }
        return Array((places.filter(isInside) + places.filter { !isInside($0) }).prefix(Self.tellable))
    }
}
