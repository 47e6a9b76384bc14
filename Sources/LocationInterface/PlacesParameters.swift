package import LocationModel
package import Varlink

/// The parameters of `ReverseGeocode`.
package struct ReverseGeocodeParameters: Codable, Sendable, Hashable {
    package var latitude: Double
    package var longitude: Double
    package var locale: String?
    package var timeout: Double?

    package init(latitude: Double, longitude: Double, locale: String? = nil, timeout: Double? = nil) {
        self.latitude = latitude
        self.longitude = longitude
        self.locale = locale
        self.timeout = timeout
    }
}

/// The parameters of `Geocode`.
package struct GeocodeParameters: Codable, Sendable, Hashable {
    package var text: String
    package var locale: String?
    package var limit: Int?
    package var timeout: Double?

    package init(text: String, locale: String? = nil, limit: Int? = nil, timeout: Double? = nil) {
        self.text = text
        self.locale = locale
        self.limit = limit
        self.timeout = timeout
    }
}

/// The reply of both methods, and the parameters of the error `PartialResult`.
package struct PlacemarksReply: Codable, Sendable, Hashable {
    package var placemarks: [Placemark]
    package init(placemarks: [Placemark]) { self.placemarks = placemarks }
}

/// The parameters of the errors of `org.locationd.places`.
package enum PlacesFailure {
    package struct Network: Codable, Sendable { package var reason: String }
    package struct Busy: Codable, Sendable { package var limit: Int }
}

extension ErrorReply {
    package static var noResult: Self { Self(PlacesInterface.Failure.noResult) }

    package static func partialResult(_ placemarks: [Placemark]) -> Self {
        Self(PlacesInterface.Failure.partialResult, parameters: PlacemarksReply(placemarks: placemarks))
    }

    package static func network(reason: String) -> Self {
        Self(PlacesInterface.Failure.network, parameters: PlacesFailure.Network(reason: reason))
    }

    package static var cancelled: Self { Self(PlacesInterface.Failure.cancelled) }

    package static func busy(limit: Int) -> Self {
        Self(PlacesInterface.Failure.busy, parameters: PlacesFailure.Busy(limit: limit))
    }
}
