@_spi(Programs) public import LocationKit
@_spi(Programs) public import LocationModel

/// Where the classes of this module get locations from: the daemon, or a test double.
@_spi(Programs) public struct LocationBackend: Sendable {
    /// Makes a manager of LocationKit for each object of this module.
    @_spi(Programs) public let makeProvider: @Sendable () -> any LocationProviding
    /// The current status of the service; `nil` if it cannot be reached.
    @_spi(Programs) public let status: @Sendable () -> ServiceStatus?

    /// Makes a monitor of LocationKit, persisted under the name if there is one.
    @_spi(Programs) public let makeMonitor: @Sendable (_ name: String?) -> any MonitorProviding
    /// The regions, which all managers of this backend share.
    @_spi(Programs) public let regions: ProgramRegions

    @_spi(Programs) public init(
        makeProvider: @escaping @Sendable () -> any LocationProviding, status: @escaping @Sendable () -> ServiceStatus?,
        makeMonitor: @escaping @Sendable (_ name: String?) -> any MonitorProviding
    ) {
        self.makeProvider = makeProvider
        self.status = status
        self.makeMonitor = makeMonitor
        regions = ProgramRegions(makeMonitor(ProgramName.current))
    }

    /// The backend of objects that are made within the scope of this value.
    @TaskLocal @_spi(Programs) public static var current = LocationBackend.daemon(at: nil)

    /// The daemon at a socket; `nil` for `LOCATIOND_SOCKET` or the default socket.
    @_spi(Programs) public static func daemon(at path: String?) -> LocationBackend {
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
@_spi(Programs) public struct GeocodingBackend: Sendable {
    /// Makes a geocoder of LocationKit for each geocoder of this module.
    @_spi(Programs) public let makeGeocoder: @Sendable () -> any ReverseGeocoding

    @_spi(Programs) public init(makeGeocoder: @escaping @Sendable () -> any ReverseGeocoding) {
        self.makeGeocoder = makeGeocoder
    }

    /// The backend of geocoders that are made within the scope of this value.
    @TaskLocal @_spi(Programs) public static var current = GeocodingBackend { ReverseGeocoder() }
}
