package import Varlink

/// `org.locationd.history`: its description and the names of its methods and errors.
package enum HistoryInterface {
    package static let name = "org.locationd.history"
    package static let description = InterfaceDescription(
        name: name, text: String(decoding: PackageResources.org_locationd_history_varlink, as: UTF8.self))
    /// The service's socket, if nothing else is configured.
    package static let socketPath = "/run/locationd-history/history.sock"

    package enum Method {
        package static let getState = "\(name).GetState"
        package static let getTrips = "\(name).GetTrips"
        package static let getStays = "\(name).GetStays"
        package static let getTrack = "\(name).GetTrack"
        package static let pause = "\(name).Pause"
        package static let resume = "\(name).Resume"
    }

    package enum Failure {
        package static let notAuthorized = "\(name).NotAuthorized"
        package static let noSuchTrip = "\(name).NoSuchTrip"
        package static let fileUnusable = "\(name).FileUnusable"
        package static let busy = "\(name).Busy"
        package static let cancelled = "\(name).Cancelled"
    }

    /// The parameters of `NotAuthorized` and `FileUnusable`.
    package struct Reason: Codable, Sendable {
        package var reason: String
        package init(reason: String) { self.reason = reason }
    }

    /// The parameters of `NoSuchTrip`.
    package struct Number: Codable, Sendable {
        package var number: Int64
        package init(number: Int64) { self.number = number }
    }
}
