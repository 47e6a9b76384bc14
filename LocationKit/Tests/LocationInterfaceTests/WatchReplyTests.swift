@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import TestSupport
import Testing
import Varlink

/// The reply that is written by hand is the one that the encoder gives.
@Suite struct WatchReplyTests {
    private static let numbers: [any WritableKeyPath<Location, Double?> & Sendable] = [
        \.horizontalAccuracy, \.altitude, \.ellipsoidalAltitude, \.geoidSeparation, \.verticalAccuracy, \.speed,
        \.speedAccuracy, \.course,
        \.courseAccuracy, \.climb, \.climbAccuracy, \.magneticVariation, \.hdop, \.vdop, \.pdop,
    ]

    /// - Parameter keeps: asked for each field that may be absent.
    private func location(
        using generator: inout SeededGenerator, keeping keeps: (inout SeededGenerator) -> Bool
    ) throws -> Location {
        func number() -> Double {
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: Double(Int.random(in: -1000...1000, using: &generator))
            case 1: Double(Int.random(in: -1_000_000...1_000_000, using: &generator)) / 1000
            case 2: Double.random(in: -1e17...1e17, using: &generator)
            default: Double(sign: .plus, exponent: Int.random(in: -1070...1020, using: &generator), significand: 1.1)
            }
        }
        func text() -> String {
            var text = "/dev/"
            for _ in 0..<Int.random(in: 0..<12, using: &generator) {
                let range: ClosedRange<UInt32> = Bool.random(using: &generator) ? 0...0x7F : 0x80...0xD7FF
                text.unicodeScalars.append(Unicode.Scalar(UInt32.random(in: range, using: &generator)) ?? "?")
            }
            return text
        }
        let coordinate = Coordinate(
            latitude: .random(in: -90...90, using: &generator), longitude: .random(in: -180...180, using: &generator))
        var location = Location(
            coordinate: try #require(coordinate), mode: Bool.random(using: &generator) ? .threeDimensional : .unknown,
            monotonicTime: BootInstant(nanoseconds: .random(in: 0...(.max), using: &generator)),
            source: SourceInformation(name: text(), isSimulated: .random(using: &generator)))
        location.sequence = .random(in: 0...(.max), using: &generator)
        location.source.method =
            [.gnss, .fixedPosition, .simulated, .replayed, .unknown][Int.random(in: 0...4, using: &generator)]
        location.isTimestampImplausible = .random(using: &generator)
        if keeps(&generator) { location.accuracyBasis = .fromDOP }
        if keeps(&generator) { location.implausibility = .jump }
        if keeps(&generator) { location.basis = .predicted }
        if keeps(&generator) {
            location.errorEllipse = ErrorEllipse(
                semiMajorAxis: 4.5, semiMinorAxis: 0, orientation: .random(in: 0..<180, using: &generator),
                isStandardDeviation: .random(using: &generator))
        }
        if keeps(&generator) { location.source.device = text() }
        if keeps(&generator) { location.augmentation = .rtkFloat }
        if keeps(&generator) { location.satellitesUsed = .random(in: 0...99, using: &generator) }
        if keeps(&generator) { location.antenna = .open }
        if keeps(&generator) { location.jamming = .random(in: 0...255, using: &generator) }
        if keeps(&generator) {
            location.timestamp = UTCTime(seconds: .random(in: 0...4_000_000_000, using: &generator))
        }
        for path in Self.numbers where keeps(&generator) { location[keyPath: path] = number() }
        return location
    }

    private func expectSameBytes(_ location: Location, age: Double) throws {
        let aged = Aged(location, age: age)
        let encoded = try MessageEncoder().reply(WatchReply(location: aged), continues: true)
        let written = try #require(aged.watchReply())
        #expect(String(decoding: written, as: UTF8.self) == String(decoding: encoded, as: UTF8.self))
        #expect(written == encoded)
        guard let read = WatchReply(reading: written.dropLast()) else {
            // Strings with escapes are left to the decoder.
            #expect(written.contains(UInt8(ascii: "\\")))
            return
        }
        let decoded = try Reply(written.dropLast()).parameters(as: WatchReply.self)
        #expect(read == decoded)
    }

    @Test func everyFieldIsWrittenAsTheEncoderDoes() throws {
        var generator = SeededGenerator(seed: 1)
        let location = try location(using: &generator) { _ in true }
        for (name, value) in Mirror(reflecting: location).children {
            // Should a field join, it is to join here.
            #expect(Mirror(reflecting: value).displayStyle != .optional || "\(value)" != "nil", "\(name ?? "?")")
        }
        try expectSameBytes(location, age: 0.25)
    }

    @Test func whateverIsAbsentTheBytesAreTheEncoders() throws {
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<2000 {
            let location = try location(using: &generator) { Bool.random(using: &$0) }
            try expectSameBytes(location, age: .random(in: 0...100, using: &generator))
        }
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func numbersThatAreNoneAreNotWritten(_ number: Double) throws {
        var generator = SeededGenerator(seed: 3)
        var location = try self.location(using: &generator) { _ in false }
        location.altitude = number
        #expect(Aged(location, age: 0).watchReply() == nil)
    }
}
