package import LocationKit
package import LocationModel

/// What the classes of this module ask: the daemon, unless a test says otherwise.
package struct LocationBackend: Sendable {
    /// A manager of LocationKit for each new object of this module.
    package let makeProvider: @Sendable () -> any LocationProviding
    /// The state of the service now; `nil` if it cannot be asked.
    package let status: @Sendable () -> ServiceStatus?

    /// A monitor of LocationKit, kept under the name if there is one.
    package let makeMonitor: @Sendable (_ name: String?) -> any MonitorProviding
    /// What all managers of this backend share.
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

    /// The backend of what is made within the scope of this value.
    @TaskLocal package static var current = LocationBackend.daemon(at: nil)

    /// The daemon at a socket; `nil` for `LOCATIOND_SOCKET` or the usual one.
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

/// What the geocoders of this module ask: the service, unless a test says otherwise.
package struct GeocodingBackend: Sendable {
    /// A geocoder of LocationKit for each new one of this module.
    package let makeGeocoder: @Sendable () -> any ReverseGeocoding

    package init(makeGeocoder: @escaping @Sendable () -> any ReverseGeocoding) {
        self.makeGeocoder = makeGeocoder
    }

    /// The backend of what is made within the scope of this value.
    @TaskLocal package static var current = GeocodingBackend { ReverseGeocoder() }
}
