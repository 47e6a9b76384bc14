@_spi(Programs) import LocationModel

@testable import GPSDProtocol

/// What the tests of this target are about.
enum Sample {
    static let path = "/dev/ttyACM0"
    static let device = GPSDDevice(path: path, name: "gpsd", activated: UTCTime("2026-11-21T08:41:35.119Z"))
    static let other = GPSDDevice(path: "/dev/ttyUSB1", name: "gpsd")
    static let now = UTCTime(seconds: 1_795_598_366, nanoseconds: 193_000_000)

    static func location(_ latitude: Double = 44.068789557, device: String? = path) throws -> Location {
        guard let coordinate = Coordinate(latitude: latitude, longitude: -121.314099257) else { throw Unfit() }
        return Location(
            coordinate: coordinate, mode: .threeDimensional, monotonicTime: BootInstant(seconds: 5),
            source: SourceInformation(name: "gpsd", device: device))
    }

    /// A location with every field that a TPV has.
    static func fullLocation() throws -> Location {
        var location = try location()
        location.augmentation = .rtkFixed
        location.timestamp = UTCTime("2018-03-29T21:29:39.250Z")
        location.ellipsoidalAltitude = 1105.1829
        location.altitude = 1127.3375
        location.errorEllipse = ErrorEllipse(longitudeError: 9.054, latitudeError: 11.25)
        location.verticalAccuracy = 1.362
        location.course = 293.0727
        location.magneticVariation = 14.4
        location.speed = 0.02
        location.climb = -0.017
        location.courseAccuracy = 2.5
        location.speedAccuracy = 0.01
        location.climbAccuracy = 10.88
        location.geoidSeparation = -22.155
        location.horizontalAccuracy = 0.893
        return location
    }

    struct Unfit: Error {}
}

extension GPSDRequestParser {
    mutating func receive(_ text: String) -> [GPSDRequest] {
        receive(Array(text.utf8))
    }

    mutating func receive(_ bytes: [UInt8]) -> [GPSDRequest] {
        bytes.withUnsafeBytes { receive($0) }
    }
}

extension GPSDSession {
    /// The lines of the answer, without their ends.
    mutating func lines(for text: String) -> [String] {
        Array(text.utf8).withUnsafeBytes { receive($0, at: Sample.now) }.lines
    }
}

extension [UInt8] {
    var text: String { String(decoding: self, as: UTF8.self) }

    /// Lines without CR LF; a line that ends otherwise is marked.
    var lines: [String] {
        split(separator: 0x0A).map { $0.last == 0x0D ? Array($0.dropLast()).text : "NO CR: " + Array($0).text }
            + (isEmpty || last == 0x0A ? [] : ["NO LF"])
    }
}
