package import LocationModel

/// GeoJSON as one FeatureCollection (RFC 7946), with a Feature per line. It is valid only once closed.
package struct GeoJSONCollection: LocationFormat {
    private var isEmpty = true

    package init() {}

    package var opening: String { #"{"type":"FeatureCollection","features":["# + "\n" }

    package mutating func record(for location: Location) -> String {
        // The line end follows with the next piece, because only then is it known whether a comma precedes it.
        defer { isEmpty = false }
        return (isEmpty ? "" : ",\n") + location.geoJSONFeature
    }

    package var closing: String { (isEmpty ? "" : "\n") + "]}\n" }
}
