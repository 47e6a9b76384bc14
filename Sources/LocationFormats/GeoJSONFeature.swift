import LocationModel

extension Location {
    /// This location as a GeoJSON Feature (RFC 7946) on one line, without line end.
    ///
    /// The geometry is a Point: longitude, latitude and, if known, the height above the WGS 84 ellipsoid in metres,
    /// which is what RFC 7946 (section 4) means by a third number; a height above sea level never stands there. The
    /// properties are the wire's fields under the wire's names and in its units, absent ones left out.
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
        origin.add("isSimulated", source.isSimulated)
        origin.add("isReplayed", source.isReplayed)
        var properties = JSONObject()
        for field in MeasuredField.all {
            properties.add(field.name, field.value(self))
        }
        properties.add("mode", modeName)
        properties.add("augmentation", augmentationName)
        properties.add("satellitesUsed", satellitesUsed)
        properties.add("timestamp", timestamp?.writable?.description)
        properties.add("monotonicTime", monotonicTime.seconds)
        properties.add("sequence", givenSequence)
        properties.add("source", json: origin.text)
        return properties
    }
}
