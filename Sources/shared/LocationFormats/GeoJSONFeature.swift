@_spi(Programs) package import LocationModel

extension Location {
    /// This location as a GeoJSON Feature (RFC 7946) on one line, without line end.
    ///
    /// The geometry is a Point: longitude, latitude and, if known, the height above the WGS 84 ellipsoid in metres, as
    /// RFC 7946 (section 4) defines the third number; a height above sea level is never used there. The properties are
    /// the wire's fields with the wire's names and units; absent values are left out.
    var geoJSONFeature: String {
        let position = [coordinate.longitude, coordinate.latitude, ellipsoidalAltitude]
        var geometry = JSONObject()
        geometry.add("type", "Point")
        geometry.add("coordinates", json: "[" + position.compactMap { $0?.plainDecimal }.joined(separator: ",") + "]")
        var feature = JSONObject()
        feature.add("type", "Feature")
        feature.add("geometry", json: geometry.text)
        feature.add("properties", json: geoJSONProperties.text)
        return feature.text
    }

    private var geoJSONProperties: JSONObject {
        var origin = JSONObject()
        origin.add("name", source.name)
        origin.add("device", source.device)
        origin.add("method", methodName)
        origin.add("isSimulated", source.isSimulated)
        origin.add("isReplayed", source.isReplayed)
        var properties = JSONObject()
        for field in MeasuredField.all {
            properties.add(field.name, field.value(self))
        }
        properties.add("accuracyBasis", accuracyBasis?.rawValue)
        properties.add("basis", basis?.rawValue)
        if let errorEllipse { properties.add("errorEllipse", json: errorEllipse.json.text) }
        properties.add("mode", modeName)
        properties.add("augmentation", augmentationName)
        properties.add("satellitesUsed", satellitesUsed)
        properties.add("timestamp", timestamp?.writable?.description)
        if isTimestampImplausible { properties.add("timestampImplausible", true) }
        properties.add("implausible", implausibility?.rawValue)
        properties.add("monotonicTime", deliveryTime)
        properties.add("sequence", givenSequence)
        properties.add("source", json: origin.text)
        return properties
    }
}

extension ErrorEllipse {
    fileprivate var json: JSONObject {
        var ellipse = JSONObject()
        ellipse.add("semiMajorAxis", semiMajorAxis)
        ellipse.add("semiMinorAxis", semiMinorAxis)
        ellipse.add("orientation", orientation)
        ellipse.add("isStandardDeviation", isStandardDeviation)
        return ellipse
    }
}

/// GeoJSON as one FeatureCollection (RFC 7946), with a Feature per line. It is valid only once closed.
package struct GeoJSONCollection: LocationFormat {
    private var isEmpty = true

    package init() {}

    package var opening: String { #"{"type":"FeatureCollection","features":["# + "\n" }

    package mutating func record(for location: Location) -> String {
        // The line end comes with the next record, because only then is it known whether a comma precedes it.
        defer { isEmpty = false }
        return (isEmpty ? "" : ",\n") + location.geoJSONFeature
    }

    package var closing: String { (isEmpty ? "" : "\n") + "]}\n" }
}

/// GeoJSON as lines: every line is one Feature (RFC 7946), complete in itself.
///
/// Lines suit a live stream: a reader can use each at once, a truncated file is valid up to its last line, and two
/// files can be concatenated. Programs that need one object use ``GeoJSONCollection``, or convert the lines: `jq -s
/// '{type: "FeatureCollection", features: .}'`.
package struct GeoJSONLines: LocationFormat {
    package init() {}

    package var opening: String { "" }

    package func record(for location: Location) -> String { location.geoJSONFeature + "\n" }

    package var closing: String { "" }
}

/// A JSON object (RFC 8259) that is built member by member; absent values are left out.
struct JSONObject {
    private var members: [String] = []

    /// The object as text, on one line.
    var text: String { "{" + members.joined(separator: ",") + "}" }

    /// Adds a number; one that is not finite counts as absent, because JSON cannot represent it.
    mutating func add(_ name: String, _ number: Double?) {
        add(name, json: number?.plainDecimal)
    }

    /// Adds an integer.
    mutating func add(_ name: String, _ number: (some BinaryInteger)?) {
        add(name, json: number.map { String($0) })
    }

    /// Adds a string.
    mutating func add(_ name: String, _ string: String?) {
        add(name, json: string.map(Self.quoted))
    }

    /// Adds a Boolean.
    mutating func add(_ name: String, _ truth: Bool) {
        add(name, json: truth ? "true" : "false")
    }

    /// Adds a value that is JSON already.
    mutating func add(_ name: String, json: String?) {
        guard let json else { return }
        members.append(Self.quoted(name) + ":" + json)
    }

    /// A JSON string, quotes included.
    ///
    /// Besides what JSON requires, every character that some reader takes for a line end, a control character or a mark
    /// of direction is escaped, so that the string stays on one line and harms no terminal.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\" + String(scalar)
            case _ where scalar.isUnprintable:
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
