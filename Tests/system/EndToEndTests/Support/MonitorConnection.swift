import ClientTestSupport
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Varlink

/// A monitor on a connection, read reply by reply.
final class MonitorConnection {
    private let connection: ClientConnection
    /// Every report of a region, in the order in which it came.
    private(set) var reports: [RegionReportOnWire] = []
    private(set) var statuses: [ServiceStatus] = []
    private(set) var isFinal = false

    /// Opens the monitor on somebody's connection.
    init(_ connection: ClientConnection, name: String? = nil, regions: [Region]?, passive: Bool = false) throws {
        self.connection = connection
        let request = MonitorRequest(
            name: name, subjects: regions.map { MonitorSubjects(regions: $0) }, passive: passive)
        try connection.send(LocationInterface.Method.monitor, request, more: true)
    }

    /// Reads on until the latest reports of the regions are these, such as `home inside`.
    func await(_ states: String..., within seconds: Double = 30) throws {
        while !Set(states).isSubset(of: latest) { note(try next(within: seconds)) }
    }

    /// The present state of each region, as far as it was told.
    var latest: Set<String> {
        Set(Dictionary(reports.map { ($0.identifier, $0.state) }) { $1 }.map { "\($0.key) \($0.value)" })
    }

    /// What came without waiting.
    func readWaiting() throws {
        for reply in try connection.waiting() {
            isFinal = !reply.continues
            note(try reply.answer())
        }
    }

    /// Reads to the end of the connection.
    func readToTheEnd() throws {
        for reply in try connection.awaitEnd() {
            isFinal = !reply.continues
            note(try reply.answer())
        }
    }

    /// Events, such as `home entered`.
    var events: [String] {
        reports.compactMap { report in report.event.map { "\(report.identifier) \($0)" } }
    }

    private func next(within seconds: Double) throws -> MonitorReply {
        let reply = try connection.next(within: seconds)
        isFinal = !reply.continues
        return try reply.answer()
    }

    private func note(_ reply: MonitorReply) {
        if let report = reply.region { reports.append(report) }
        if let status = reply.status { statuses.append(status) }
    }
}

extension DaemonProcess {
    /// The test's own connection.
    func connection() throws -> ClientConnection {
        try ClientConnection(descriptor: UnixSocket(path: socket).release(), by: nil)
    }

    /// Injects a fix.
    func simulate(_ coordinate: Coordinate, accuracy: Double = 5) throws {
        var location = Location(
            coordinate: coordinate, monotonicTime: BootInstant(seconds: 0), source: SourceInformation(name: "test"))
        location.horizontalAccuracy = accuracy
        _ = try administer(
            AdminInterface.Method.simulate, SimulateParameters(location: location), as: SimulateReply.self)
    }

    func monitors() throws -> [NamedMonitorOnWire] {
        try connect().call(LocationInterface.Method.listMonitors, as: ListMonitorsReply.self, seconds: 20).monitors
    }
}

extension Coordinate {
    /// The middle of ``Region/home``.
    static let home = at(metresNorth: 0)
    /// A kilometre away from it.
    static let away = at(metresNorth: 1000)

    static func at(metresNorth: Double) -> Coordinate {
        guard let coordinate = Coordinate(latitude: 47 + metresNorth / 111_200, longitude: 8) else {
            preconditionFailure("a valid place")
        }
        return coordinate
    }
}

extension Region {
    static let home = circle("home", around: .home, radius: 300)

    static func circle(_ identifier: String, around center: Coordinate, radius: Double) -> Region {
        do {
            return try Region(identifier: identifier, shape: .circle(RegionCircle(center: center, radius: radius)))
        } catch {
            preconditionFailure("\(error)")
        }
    }
}
