@_spi(Programs) public import LocationModel
public import Varlink

/// The parameters of `ReverseGeocode`.
@_spi(Programs) public struct ReverseGeocodeParameters: Codable, Sendable, Hashable {
    @_spi(Programs) public var latitude: Double
    @_spi(Programs) public var longitude: Double
    @_spi(Programs) public var locale: String?
    @_spi(Programs) public var timeout: Double?

    @_spi(Programs) public init(latitude: Double, longitude: Double, locale: String? = nil, timeout: Double? = nil) {
        self.latitude = latitude
        self.longitude = longitude
        self.locale = locale
        self.timeout = timeout
    }
}

/// The parameters of `Geocode`.
@_spi(Programs) public struct GeocodeParameters: Codable, Sendable, Hashable {
    @_spi(Programs) public var text: String
    @_spi(Programs) public var locale: String?
    @_spi(Programs) public var limit: Int?
    @_spi(Programs) public var timeout: Double?

    @_spi(Programs) public init(text: String, locale: String? = nil, limit: Int? = nil, timeout: Double? = nil) {
        self.text = text
        self.locale = locale
        self.limit = limit
        self.timeout = timeout
    }
}

/// The reply of both methods, and the parameters of the error `PartialResult`.
@_spi(Programs) public struct PlacemarksReply: Codable, Sendable, Hashable {
    @_spi(Programs) public var placemarks: [Placemark]
    @_spi(Programs) public init(placemarks: [Placemark]) { self.placemarks = placemarks }
}

/// The parameters of the errors of `org.locationd.places`.
@_spi(Programs) public enum PlacesFailure {
    @_spi(Programs) public struct Network: Codable, Sendable { @_spi(Programs) public var reason: String }
    @_spi(Programs) public struct Busy: Codable, Sendable { @_spi(Programs) public var limit: Int }
}

extension ErrorReply {
    @_spi(Programs) public static var noResult: Self { Self(PlacesInterface.Failure.noResult) }

    @_spi(Programs) public static func partialResult(_ placemarks: [Placemark]) -> Self {
        Self(PlacesInterface.Failure.partialResult, parameters: PlacemarksReply(placemarks: placemarks))
    }

    @_spi(Programs) public static func network(reason: String) -> Self {
        Self(PlacesInterface.Failure.network, parameters: PlacesFailure.Network(reason: reason))
    }

    @_spi(Programs) public static var cancelled: Self { Self(PlacesInterface.Failure.cancelled) }

    @_spi(Programs) public static func busy(limit: Int) -> Self {
        Self(PlacesInterface.Failure.busy, parameters: PlacesFailure.Busy(limit: limit))
    }
}
