import DBus
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
@_spi(Programs) import LocationSession
import NIOCore

/// A location that a program may read.
struct KeptLocation {
    /// A program reads all properties of a location once, together or each by itself.
    private static let ownReads = 10

    let number: Int
    let location: Location
    /// The reads that do not count against its user's rate: the daemon's rate of locations limits them. So a program
    /// reads each location that it was told of, whatever other programs of its user do.
    var readsLeft = Self.ownReads
}

/// A client object of one program on the bus.
struct GeoClueClient {
    /// The most bytes of a desktop id: the daemon shows it whole.
    static let desktopIDLimit = ServedProgram.labelLimit - DesktopID.labelPrefix.utf8.count
    /// So many locations can be read: a program reads one only after it was told of it, and more may have come
    /// meanwhile.
    static let keptLocations = 32

    let number: Int
    /// The unique name of the program that owns it.
    let owner: String
    let uid: UInt32
    let process: SenderProcess?

    /// Whether it receives estimates in place of fixes.
    let estimates: Bool
    var desktopID = ""
    /// Metres and seconds; 0 is every location.
    var (distanceThreshold, timeThreshold): (UInt32, UInt32) = (0, 0)
    var requestedAccuracyLevel = AccuracyLevel.none

    /// The accuracy level that the user's agents allow to this program.
    var allowedLevel = AccuracyLevel.exact
    /// Whether the program has started it.
    var isStarted = false
    /// Whether its program may receive locations, as far as is known; what the property `Active` says.
    var isActive = false
    /// Whether it has received a location since its program may.
    var receives = false
    /// Whether an authorization was requested since its watch was opened, or since the last decision.
    var hasRequested = false
    /// The calls of `Start` that wait for the daemon's first word about the program's user.
    var starting: [Int] = []
    /// Until when the calls of `Start` may wait for agents and for the person at the screen; `nil` while there is none.
    var startDeadline: NIODeadline?
    /// Until when they wait for the desktop's switch, which is off; `nil` if they do not.
    var switchDeadline: NIODeadline?
    /// Whether they wait for the person's decision.
    var awaitsDecision = false
    /// How often its watch has begun: what belongs to an earlier start is known by it.
    var starts = 0
    /// The newest locations, the last one last, by the numbers in their objects' paths.
    var locations: [KeptLocation] = []
    /// It outlasts a watch, which is opened anew with each change of the request.
    private var seen = SeenFixes()
    var locationCount = 0
    /// What its watch has been requested with, while it is started.
    var requested: WatchRequest?
    /// What its watch has said of the user; without a status when there is no watch, and during an outage.
    var view = UserView()
    var status: ServiceStatus? { view.status }

    init(number: Int, owner: String, uid: UInt32, process: SenderProcess? = nil, estimates: Bool = false) {
        (self.number, self.owner, self.uid, self.estimates) = (number, owner, uid, estimates)
        self.process = process
    }

    /// No call of `Start` waits any more.
    mutating func endWait() { (startDeadline, switchDeadline, awaitsDecision) = (nil, nil, false) }

    /// Whether it is a part of the desktop, by the id that it claims.
    var isDesktopPart: Bool { DesktopID.desktopParts.contains(desktopID) }

    var path: String { "\(GeoClueInterfaces.clientPath)/\(number)" }

    /// The path of the newest location's object.
    var locationPath: String { locations.last.map { path(of: $0.number) } ?? "/" }

    func path(of number: Int) -> String { "\(path)/Location/\(number)" }

    /// Adds a location, and forgets the oldest.
    /// - Returns: the paths of the former and of the new one; `nil` if it is the last one again.
    mutating func add(_ location: Location, at now: UTCTime) -> (old: String, new: String)? {
        guard seen.admit(location) else { return nil }
        var location = location
        // The interface wants the time of the measurement, or else that of the reception.
        location.timestamp = location.timestamp ?? now
        let old = locationPath
        locations = locations.suffix(Self.keptLocations - 1)
        locations.append(KeptLocation(number: locationCount, location: location))
        locationCount += 1
        return (old, locationPath)
    }

    /// What was received may not be read any more; the last one is received again, as it may be known now.
    mutating func forgetLocations() { (locations, seen) = ([], SeenFixes()) }

    /// What is to be requested of the daemon.
    ///
    /// - Parameter limit: the accuracy level that the user allows to programs.
    func request(within limit: UInt32) -> WatchRequest {
        var request = WatchRequest()
        if distanceThreshold > 0 { request.distanceFilter = Double(distanceThreshold) }
        if timeThreshold > 0 { request.minimumInterval = Double(timeThreshold) }
        request.estimate = estimates
        request.reducedAccuracy = min(requestedAccuracyLevel, limit) < AccuracyLevel.street
        return request
    }

    var program: ServedProgram {
        // The portal asks for many programs, each of which would have what is granted to its process.
        let process = desktopID == "xdg-desktop-portal" ? nil : process?.presentPID
        return ServedProgram(uid: uid, label: DesktopID.labelPrefix + desktopID, process: process)
    }

    /// Its properties but those that are computed elsewhere.
    var properties: [String: GeoClueProperty] {
        [
            "Location": .init(.objectPath(locationPath)),
            "DistanceThreshold": .init(.uint32(distanceThreshold), isWritable: true),
            "TimeThreshold": .init(.uint32(timeThreshold), isWritable: true),
            "DesktopId": .init(.string(desktopID), isWritable: true),
            "RequestedAccuracyLevel": .init(.uint32(requestedAccuracyLevel), isWritable: true),
            "Active": .init(.boolean(isActive)),
        ]
    }
}
