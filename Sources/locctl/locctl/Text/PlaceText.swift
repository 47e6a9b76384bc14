import LocationFormats
@_spi(Programs) import LocationKit

/// A place for a person to read.
enum PlaceText {
    /// The best match for a position: its name, then further details.
    static func here(_ placemarks: [Placemark]) -> [String] {
        guard let place = placemarks.first else { return [] }
        var lines = [title(place)]
        func add(_ label: String, _ text: String?) {
            guard let text else { return }
            lines.append("  " + label + String(repeating: " ", count: max(1, 12 - label.count)) + plain(text))
        }
        add("distance", place.distance.map { Text.distance($0) })
        add("time zone", place.timeZone)
        add("source", place.attribution)
        return lines
    }

    /// All matches for a name with their positions, then the attributions.
    static func found(_ placemarks: [Placemark]) -> [String] {
        let places = placemarks.map { "\(title($0))  \(Text.coordinate($0.coordinate))" }
        var sources: [String] = []
        for case let source? in placemarks.map(\.attribution) where !sources.contains(source) { sources.append(source) }
        return places + sources.map { "  source      \(plain($0))" }
    }

    /// From the nearest to the widest: "Zürich, Zürich, Switzerland". A place that is only near may be in another
    /// country.
    static func title(_ place: Placemark) -> String {
        let nearest = place.nearestPlace.flatMap { place.name == $0 || place.locality == $0 ? nil : "near \($0)" }
        let first = [place.name, street(of: place), place.ocean ?? place.inlandWater]
        var words: [String] = []
        for case let word? in first + [place.locality] where !words.contains(word) { words.append(word) }
        words += [place.administrativeArea, place.country, place.locality == nil ? nearest : nil].compactMap(\.self)
        return words.isEmpty ? Text.coordinate(place.coordinate) : plain(words.joined(separator: ", "))
    }

    private static func street(of place: Placemark) -> String? {
        guard let street = place.thoroughfare, place.name?.contains(street) != true else { return nil }
        return street + (place.subThoroughfare.map { " \($0)" } ?? "")
    }

    /// Names may come from a network, and must not control the terminal.
    private static func plain(_ text: String) -> String {
        String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
    }
}
