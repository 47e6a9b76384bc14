public import Varlink

/// `org.locationd.location`: its description and the names of its methods and errors.
@_spi(Programs) public enum LocationInterface {
    @_spi(Programs) public static let name = "org.locationd.location"
    @_spi(Programs) public static let description = InterfaceDescription(
        name: name, text: String(decoding: PackageResources.org_locationd_location_varlink, as: UTF8.self))

    @_spi(Programs) public enum Method {
        @_spi(Programs) public static let getStatus = "\(name).GetStatus"
        @_spi(Programs) public static let getLocation = "\(name).GetLocation"
        @_spi(Programs) public static let watch = "\(name).Watch"
        @_spi(Programs) public static let requestAuthorization = "\(name).RequestAuthorization"
        @_spi(Programs) public static let monitor = "\(name).Monitor"
        @_spi(Programs) public static let changeRegions = "\(name).ChangeRegions"
        @_spi(Programs) public static let listMonitors = "\(name).ListMonitors"
        @_spi(Programs) public static let removeMonitor = "\(name).RemoveMonitor"
        @_spi(Programs) public static let listReceivers = "\(name).ListReceivers"
        @_spi(Programs) public static let watchRequests = "\(name).WatchRequests"
        @_spi(Programs) public static let decide = "\(name).Decide"
    }

    @_spi(Programs) public enum Failure {
        @_spi(Programs) public static let notAuthorized = "\(name).NotAuthorized"
        @_spi(Programs) public static let disabled = "\(name).Disabled"
        @_spi(Programs) public static let locationUnavailable = "\(name).LocationUnavailable"
        @_spi(Programs) public static let timedOut = "\(name).TimedOut"
        @_spi(Programs) public static let tooManyClients = "\(name).TooManyClients"
        @_spi(Programs) public static let tooManyRequests = "\(name).TooManyRequests"
        @_spi(Programs) public static let tooManyAuthorizations = "\(name).TooManyAuthorizations"
        @_spi(Programs) public static let tooManyRegions = "\(name).TooManyRegions"
        @_spi(Programs) public static let noSuchMonitor = "\(name).NoSuchMonitor"
        @_spi(Programs) public static let monitorInUse = "\(name).MonitorInUse"
        @_spi(Programs) public static let notPermitted = "\(name).NotPermitted"
        @_spi(Programs) public static let noSuchRequest = "\(name).NoSuchRequest"
    }
}

/// `org.locationd.places`: its description and the names of its methods and errors.
@_spi(Programs) public enum PlacesInterface {
    @_spi(Programs) public static let name = "org.locationd.places"
    @_spi(Programs) public static let description = InterfaceDescription(
        name: name, text: String(decoding: PackageResources.org_locationd_places_varlink, as: UTF8.self))

    @_spi(Programs) public enum Method {
        @_spi(Programs) public static let reverseGeocode = "\(name).ReverseGeocode"
        @_spi(Programs) public static let geocode = "\(name).Geocode"
    }

    @_spi(Programs) public enum Failure {
        @_spi(Programs) public static let noResult = "\(name).NoResult"
        @_spi(Programs) public static let partialResult = "\(name).PartialResult"
        @_spi(Programs) public static let network = "\(name).Network"
        @_spi(Programs) public static let cancelled = "\(name).Cancelled"
        @_spi(Programs) public static let busy = "\(name).Busy"
    }
}

/// The names of the sockets in the runtime directory.
@_spi(Programs) public enum SocketName {
    @_spi(Programs) public static let location = "locationd.sock"
    @_spi(Programs) public static let control = "control.sock"
    @_spi(Programs) public static let nmea = "nmea.sock"
    @_spi(Programs) public static let places = "places.sock"
}
