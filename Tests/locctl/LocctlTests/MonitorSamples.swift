@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import Testing

@testable import locctl

/// Sample contents of the live view.
enum MonitorSamples {
    static let now = BootInstant(seconds: 1000)
    /// When `now` is by a clock of UTC: on the day of the samples.
    static let clock = clock(now: "2026-03-01T12:04:32.000Z")

    /// - Parameter hours: by which local time is ahead of UTC.
    static func clock(now: String, hours: Int64 = 0) -> LocalTime {
        LocalTime(now: UTCTime(now) ?? UTCTime(seconds: 0), offset: { _ in hours * 3600 })
    }

    static func status(_ source: SourceState = .tracking, reason: String? = nil) -> ServiceStatus {
        ServiceStatus(
            authorization: .authorizedAlways, accuracy: .full, enabled: true,
            source: SourceStatus(state: source, reason: reason))
    }

    /// A fix with every value.
    static func location() throws -> Location {
        var location = Location(
            coordinate: try #require(Coordinate(latitude: -33.8568, longitude: 151.2153)), mode: .threeDimensional,
            monotonicTime: now, source: SourceInformation(name: "gpsd", device: "/dev/ttyACM0"))
        location.horizontalAccuracy = 3.2
        location.altitude = 12.5
        location.verticalAccuracy = 4.8
        location.speed = 13.9
        location.speedAccuracy = 0.3
        location.course = 87
        location.courseAccuracy = 1
        location.climb = 0.2
        location.augmentation = .dgps
        location.hdop = 0.9
        location.timestamp = UTCTime("2026-03-01T12:04:31.250Z")
        return location
    }

    /// A number of satellites all over the sky, every third of them unused.
    static func sky(_ count: Int) -> [Satellite] {
        (0..<count).map { index in
            var satellite = Satellite(
                gnss: ["GPS", "GLONASS", "Galileo", "BeiDou"][index % 4], id: index / 4 + 1, used: index % 3 != 0)
            satellite.azimuth = Double(index * 47 % 360)
            satellite.elevation = Double(index * 13 % 90)
            satellite.signal = Double(20 + index % 30)
            return satellite
        }
    }

    static func client(_ id: Int, purpose: String? = nil) -> ClientReport {
        var client = ClientReport(
            id: id, principal: "uid:1000 (alice)", pid: 4000 + id, since: UTCTime(seconds: 0), socket: .location)
        client.request = "Watch"
        client.purpose = purpose
        return client
    }

    /// - Parameter reason: the reason in the status.
    static func state(satellites: Int = 12, source: SourceState = .tracking, reason: String? = nil) throws
        -> MonitorModel
    {
        var state = MonitorModel()
        state.apply(WatchReply(status: status(source, reason: reason), location: Aged(try location(), age: 0)), at: now)
        state.apply(WatchReply(satellites: sky(satellites)), at: now)
        state.clients = .known([client(1, purpose: "tide tables"), client(2)])
        return state
    }

    static func screen(
        _ state: MonitorModel, _ columns: Int, _ rows: Int, style: ScreenStyle = ScreenStyle(),
        after seconds: Double = 0
    ) -> [ScreenLine] {
        MonitorScreen(
            state: state, style: style, columns: columns, rows: rows, now: now.advanced(bySeconds: seconds),
            clock: clock
        ).lines
    }

    /// The same as text.
    static func text(
        _ state: MonitorModel, _ columns: Int = 80, _ rows: Int = 24, style: ScreenStyle = ScreenStyle(),
        after seconds: Double = 0
    ) -> String {
        screen(state, columns, rows, style: style, after: seconds).map(\.text).joined(separator: "\n")
    }
}
