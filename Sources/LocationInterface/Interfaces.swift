package import Varlink

/// `org.locationd.location`: its description and the names of its methods and errors.
package enum LocationInterface {
    package static let name = "org.locationd.location"
    package static let description = InterfaceDescription(
        name: name, text: String(decoding: PackageResources.org_locationd_location_varlink, as: UTF8.self))

    package enum Method {
        package static let getStatus = "\(name).GetStatus"
        package static let getLocation = "\(name).GetLocation"
        package static let watch = "\(name).Watch"
        package static let requestAuthorization = "\(name).RequestAuthorization"
        package static let monitor = "\(name).Monitor"
        package static let changeRegions = "\(name).ChangeRegions"
        package static let listMonitors = "\(name).ListMonitors"
        package static let removeMonitor = "\(name).RemoveMonitor"
    }

    package enum Failure {
        package static let notAuthorized = "\(name).NotAuthorized"
        package static let disabled = "\(name).Disabled"
        package static let locationUnavailable = "\(name).LocationUnavailable"
        package static let timedOut = "\(name).TimedOut"
        package static let tooManyClients = "\(name).TooManyClients"
        package static let tooManyRequests = "\(name).TooManyRequests"
        package static let tooManyAuthorizations = "\(name).TooManyAuthorizations"
        package static let tooManyRegions = "\(name).TooManyRegions"
        package static let noSuchMonitor = "\(name).NoSuchMonitor"
        package static let monitorInUse = "\(name).MonitorInUse"
    }
}

/// `org.locationd.places`: its description and the names of its methods and errors.
package enum PlacesInterface {
    package static let name = "org.locationd.places"
    package static let description = InterfaceDescription(
        name: name, text: String(decoding: PackageResources.org_locationd_places_varlink, as: UTF8.self))

    package enum Method {
        package static let reverseGeocode = "\(name).ReverseGeocode"
        package static let geocode = "\(name).Geocode"
    }

    package enum Failure {
        package static let noResult = "\(name).NoResult"
        package static let partialResult = "\(name).PartialResult"
        package static let network = "\(name).Network"
        package static let cancelled = "\(name).Cancelled"
        package static let busy = "\(name).Busy"
    }
}

/// The names of the sockets in the runtime directory.
package enum SocketName {
    package static let location = "locationd.sock"
    package static let control = "control.sock"
    package static let nmea = "nmea.sock"
    package static let places = "places.sock"
}
