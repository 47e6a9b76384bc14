@_spi(Programs) import LocationModel

/// A cache of reverse geocoding results: placemarks and `noResult`, but no failure, which may be temporary.
struct PlacemarkCache {
    /// The number of entries; the least recently used one is evicted.
    static let capacity = 128
    /// How far a position may be from a cached one, degrees of latitude and of longitude.
    static let tolerance = 1e-4

    private struct Entry {
        let coordinate: Coordinate
        let locale: String?
        let answer: Result<[Placemark], GeocodingError>
    }

    /// The most recently used entry is the last.
    private var entries: [Entry] = []

    var count: Int { entries.count }

    mutating func result(for request: GeocodingRequest) -> Result<[Placemark], GeocodingError>? {
        guard case .place(let coordinate, let locale) = request,
            let index = entries.lastIndex(where: { $0.locale == locale && $0.coordinate.isNear(coordinate) })
        else { return nil }
        let entry = entries.remove(at: index)
        entries.append(entry)
        return entry.answer.map { $0.map { $0.measured(from: coordinate) } }
    }

    mutating func store(_ answer: Result<[Placemark], GeocodingError>, for request: GeocodingRequest) {
        guard case .place(let coordinate, let locale) = request else { return }
        switch answer {
        case .success, .failure(.noResult): break
        case .failure: return
        }
        if entries.count == Self.capacity { entries.removeFirst() }
        entries.append(Entry(coordinate: coordinate, locale: locale, answer: answer))
    }
}

extension Coordinate {
    /// Allows for the rounding of decimal fractions.
    fileprivate func isNear(_ other: Coordinate) -> Bool {
        let tolerance = PlacemarkCache.tolerance + 1e-9
        let turn = abs(longitude - other.longitude)
        return abs(latitude - other.latitude) <= tolerance && min(turn, 360 - turn) <= tolerance
    }
}

extension Placemark {
    /// The same place, with its distance from the coordinate.
    fileprivate func measured(from coordinate: Coordinate) -> Placemark {
        var place = self
        if distance != nil { place.distance = self.coordinate.distance(to: coordinate) }
        return place
    }
}
