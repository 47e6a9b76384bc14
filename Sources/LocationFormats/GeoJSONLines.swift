package import LocationModel

/// GeoJSON as lines: every line is one Feature (RFC 7946), complete in itself.
///
/// Lines suit a live stream: a reader can use each at once, a file that was cut off is good up to its last line, and
/// two files make one by concatenation. Programs that want one object take ``GeoJSONCollection``, or make it of lines:
/// `jq -s '{type: "FeatureCollection", features: .}'`.
package struct GeoJSONLines: LocationFormat {
    package init() {}

    package var opening: String { "" }

    package func record(for location: Location) -> String { location.geoJSONFeature + "\n" }

    package var closing: String { "" }
}
