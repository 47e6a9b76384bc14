package import LocationKit
package import LocationModel

/// Where the classes of this module get locations from: the daemon, or a test double.
package struct LocationBackend: Sendable {
    /// Makes a manager of LocationKit for each object of this module.
    package let makeProvider: @Sendable () -> any LocationProviding
    /// The current status of the service; `nil` if it cannot be reached.
    package let status: @Sendable () -> ServiceStatus?

    /// Makes a monitor of LocationKit, persisted under the name if there is one.
    package let makeMonitor: @Sendable (_ name: String?) -> any MonitorProviding
    /// The regions, which all managers of this backend share.
    package let regions: ProgramRegions

    package init(
        makeProvider: @escaping @Sendable () -> any LocationProviding, status: @escaping @Sendable () -> ServiceStatus?,
        makeMonitor: @escaping @Sendable (_ name: String?) -> any MonitorProviding
    ) {
        self.makeProvider = makeProvider
        self.status = status
        self.makeMonitor = makeMonitor
        regions = ProgramRegions(makeMonitor(ProgramName.current))
    }

    /// The backend of objects that are made within the scope of this value.
    @TaskLocal package static var current = LocationBackend.daemon(at: nil)

    /// The daemon at a socket; `nil` for `LOCATIOND_SOCKET` or the default socket.
    package static func daemon(at path: String?) -> LocationBackend {
        LocationBackend {
            LocationManager(LocationConfiguration(socketPath: path))
        } status: {
            try? DaemonTransport.shared(at: path ?? SocketPath.location).status()
        } makeMonitor: { name in
            LocationMonitor(name: name, configuration: LocationConfiguration(socketPath: path))
        }
    }
}

/// Where the geocoders of this module get places from: the service, or a test double.
package struct GeocodingBackend: Sendable {
    /// Makes a geocoder of LocationKit for each geocoder of this module.
    package let makeGeocoder: @Sendable () -> any ReverseGeocoding

    package init(makeGeocoder: @escaping @Sendable () -> any ReverseGeocoding) {
        self.makeGeocoder = makeGeocoder
    }

    /// The backend of geocoders that are made within the scope of this value.
    @TaskLocal package static var current = GeocodingBackend { ReverseGeocoder() }
}
