public import Varlink

/// `org.locationd.location`: its description and the names of its methods and errors.
@_spi(Programs) public enum LocationInterface {
    @_spi(Programs) public static let name = "org.locationd.location"
    @_spi(Programs) public static let description = InterfaceDescription(
        name: name, text: String(decoding: PackageResources.org_locationd_location_varlink, as: UTF8.self))
}

/// `org.locationd.places`: its description and the names of its methods and errors.
@_spi(Programs) public enum PlacesInterface {
    @_spi(Programs) public static let name = "org.locationd.places"
    @_spi(Programs) public static let description = InterfaceDescription(
        name: name, text: String(decoding: PackageResources.org_locationd_places_varlink, as: UTF8.self))
}

/// The names of the sockets in the runtime directory.
@_spi(Programs) public enum SocketName {
    @_spi(Programs) public static let location = "locationd.sock"
    @_spi(Programs) public static let control = "control.sock"
    @_spi(Programs) public static let nmea = "nmea.sock"
    @_spi(Programs) public static let places = "places.sock"
}
