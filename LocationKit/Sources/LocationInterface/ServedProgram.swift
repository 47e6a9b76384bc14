@_spi(Programs) public import LocationModel

/// The program that a bridge serves with a connection: whoever owns it is judged, and not the bridge.
///
/// It is a parameter beside those of each method of `org.locationd.location`, and with an administrator's token beside
/// those of `org.locationd.admin`.
@_spi(Programs) public struct ServedProgram: ClientRequest {
    /// Its user, as the kernel or the bus reports it.
    @_spi(Programs) public var uid: UInt32
    /// Its system unit, if the bridge knows that from the kernel or the bus.
    @_spi(Programs) public var unit: String?
    /// What it is, for people, 1 to ``labelLimit`` bytes: `gpsd client`, `GeoClue: firefox`. It decides nothing.
    @_spi(Programs) public var label: String
    /// How it reaches the bridge; `nil` if that tells nothing about whose it is.
    @_spi(Programs) public var transport: Transport?
    /// Its pid, if the bridge knows that from the kernel or the bus.
    @_spi(Programs) public var process: Int?

    /// How a program is connected with a bridge.
    @_spi(Programs) public enum Transport: String, Codable, Sendable, Hashable, CaseIterable {
        /// The kernel has named the user who connected.
        case unix
        /// The kernel has named the user who made the socket. Root makes sockets for others, by socket activation or as
        /// the parent of workers: so uid 0 and the daemon's user have no right of their own.
        case tcp
    }

    /// Bytes.
    @_spi(Programs) public static let labelLimit = 128
    /// The label of a user's own page of locationd-web, which is no program that the user has to be asked about.
    @_spi(Programs) public static let pageLabel = "web page"

    @_spi(Programs) public init(
        uid: UInt32, unit: String? = nil, label: String, transport: Transport? = nil, process: Int? = nil
    ) {
        self.uid = uid
        self.unit = unit
        self.label = label
        self.transport = transport
        self.process = process
    }

    @_spi(Programs) public func validate() throws(InvalidField) {
        // The kernel's number for users that it cannot map, and that for "no user".
        if uid == 65_534 || uid == .max { throw InvalidField("onBehalfOf.uid", "it is the uid of one user") }
        if label.isEmpty || label.utf8.count > Self.labelLimit {
            throw InvalidField("onBehalfOf.label", "1 to \(Self.labelLimit) bytes")
        }
        if let process, !DecidedProcess.isProgram(process) {
            throw InvalidField("onBehalfOf.process", "the pid of a program, 2 to 2147483647")
        }
    }
}

/// The parameter by which a bridge names the program it serves, in the parameters of any method that takes it.
@_spi(Programs) public struct ServedProgramParameters: Codable, Sendable {
    @_spi(Programs) public var onBehalfOf: ServedProgram?
    @_spi(Programs) public init(_ program: ServedProgram?) { onBehalfOf = program }
}
