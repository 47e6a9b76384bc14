import LocationFormats
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Varlink

/// What holds for every location that a source lets through.
func check(_ location: Location, from source: String) {
    let notNegative: [(String, Double?)] = [
        ("horizontalAccuracy", location.horizontalAccuracy), ("verticalAccuracy", location.verticalAccuracy),
        ("speed", location.speed), ("speedAccuracy", location.speedAccuracy),
        ("courseAccuracy", location.courseAccuracy), ("climbAccuracy", location.climbAccuracy),
        ("hdop", location.hdop), ("vdop", location.vdop), ("pdop", location.pdop),
    ]
    let finite: [(String, Double?)] =
        notNegative + [
            ("altitude", location.altitude), ("ellipsoidalAltitude", location.ellipsoidalAltitude),
            ("climb", location.climb),
        ]
    for (name, value) in notNegative {
        require((value ?? 0) >= 0, "\(source): \(name) is \(value.map { "\($0)" } ?? "absent")")
    }
    for (name, value) in finite { require((value ?? 0).isFinite, "\(source): \(name) is not finite") }
    require((0..<360).contains(location.course ?? 0), "\(source): the course is a direction")
    require((-180...180).contains(location.magneticVariation ?? 0), "\(source): the variation is an angle")
    require((location.satellitesUsed ?? 0) >= 0, "\(source): satellites are counted from 0")
    checkReply(with: location, from: source)
    checkSentences(of: location, from: source)
}

/// What goes over the wire says the same to who reads it, if its times are as precise as the wire.
func checkRoundTrip(of location: Location, from source: String) {
    let bytes = require(Aged(location, age: 0.25).watchReply(), "\(source): a location can be written")
    let read = require("\(source): what was written can be read") {
        try Reply(bytes.dropLast()).parameters(as: WatchReply.self)
    }
    let hasEscapes = bytes.contains(UInt8(ascii: "\\"))
    require(
        hasEscapes || WatchReply(reading: bytes.dropLast()) == read, "\(source): it is read as it is decoded")
    require(
        read.location?.value == location, "\(source): \(location) was written and \(String(describing: read)) read")
}

/// What is written by hand is what the encoder writes.
private func checkReply(with location: Location, from source: String) {
    let aged = Aged(location, age: 0.25)
    let bytes = require("\(source): a location can be encoded") {
        try MessageEncoder().reply(WatchReply(location: aged), continues: true)
    }
    require(
        aged.watchReply() == bytes, "\(source): \(String(decoding: bytes, as: UTF8.self)) is written as it is encoded")
}

/// What goes to readers of NMEA 0183 keeps to its frame.
private func checkSentences(of location: Location, from source: String) {
    let text = NMEASentences.record(for: location)
    for sentence in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: true) {
        let isPrintable = sentence.dropLast().allSatisfy { (0x20..<0x7F).contains($0) }
        require(sentence.count < 82 && sentence.last == 0x0D && isPrintable, "\(source): \(text) is no NMEA")
    }
}

func check(_ satellites: [Satellite], from source: String) {
    for satellite in satellites {
        require((0..<360).contains(satellite.azimuth ?? 0), "\(source): an azimuth is a direction")
        require((-90...90).contains(satellite.elevation ?? 0), "\(source): an elevation is an angle")
        require((satellite.signal ?? 0).isFinite, "\(source): a signal is finite")
    }
}

func check(_ heading: Heading, from source: String) {
    require((0..<360).contains(heading.trueHeading ?? 0), "\(source): a heading is a direction")
    require((0..<360).contains(heading.magneticHeading ?? 0), "\(source): a heading is a direction")
    require((-90...90).contains(heading.pitch ?? 0), "\(source): a pitch is an angle")
    require((-180...180).contains(heading.roll ?? 0), "\(source): a roll is an angle")
}

extension Reply {
    init(_ bytes: ArraySlice<UInt8>) throws {
        try self.init(Array(bytes))
    }
}
