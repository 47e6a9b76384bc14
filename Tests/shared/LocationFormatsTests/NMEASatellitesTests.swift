@_spi(Programs) import LocationModel
import Testing

@testable import LocationFormats

/// GSA and GSV: which satellites are used, and which are in view.
struct NMEASatellitesTests {
    private func satellite(
        _ gnss: String, _ id: Int, used: Bool = true, _ elevation: Double? = nil, _ azimuth: Double? = nil,
        _ signal: Double? = nil
    ) -> Satellite {
        var satellite = Satellite(gnss: gnss, id: id, used: used)
        (satellite.elevation, satellite.azimuth, satellite.signal) = (elevation, azimuth, signal)
        return satellite
    }

    /// The fields of the sentences of one kind, after their frames are checked.
    private func sentences(_ text: String, _ kind: String) -> [[String]] {
        text.split(separator: "\r\n").map(String.init).compactMap { line in
            #expect(line.utf8.count <= 80, "\(line)")
            let halves = line.dropFirst().split(separator: "*")
            #expect(line.hasPrefix("$") && UInt8(halves.last ?? "", radix: 16) == halves.first?.utf8.reduce(0, ^))
            let fields = halves[0].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            return fields[0].hasSuffix(kind) ? fields : nil
        }
    }

    /// What sentences of gpsd 3.22 say of a receiver with GPS alone (its own test of a Garmin 18x) is said the same
    /// way, but for the decimals of GSA and the system's number.
    @Test func viewIsWrittenAsGpsdWritesIt() throws {
        let gpsd =
            "$GPGSV,3,1,11,03,50,307,17,14,40,075,38,16,47,161,30,22,66,271,17*74\r\n"
            + "$GPGSV,3,2,11,26,63,112,19,31,41,037,36,32,17,097,31,01,18,240,*70\r\n"
            + "$GPGSV,3,3,11,04,05,194,,23,28,310,,25,03,035,*4F\r\n"
        let seen: [(Int, Double, Double, Double?)] = [
            (3, 50, 307, 17), (14, 40, 75, 38), (16, 47, 161, 30), (22, 66, 271, 17), (26, 63, 112, 19),
            (31, 41, 37, 36),
            (32, 17, 97, 31), (1, 18, 240, -1), (4, 5, 194, -1), (23, 28, 310, nil), (25, 3, 35, nil),
        ]
        var format = NMEASentences()
        var location = try Sample.full()
        (location.pdop, location.hdop, location.vdop) = (3.2, 1.5, 2.8)
        #expect(sentences(format.record(for: location), "GSA")[0][3...14].allSatisfy { $0.isEmpty })
        let view = format.record(
            for: seen.map {
                satellite("GPS", $0.0, used: [3, 14, 16, 22, 26, 31, 32].contains($0.0), $0.1, $0.2, $0.3)
            })
        #expect(view == gpsd)
        #expect(
            sentences(format.record(for: location), "GSA") == [
                "GPGSA,A,3,03,14,16,22,26,31,32,,,,,,3.20,1.50,2.80,1".split(
                    separator: ",", omittingEmptySubsequences: false
                ).map(String.init)
            ])
    }

    @Test func eachSystemHasItsSentencesAndNumbers() throws {
        let all = [
            satellite("NavIC", 3, 1, 2, 3), satellite("QZSS", 2), satellite("BeiDou", 19), satellite("Galileo", 11),
            satellite("GLONASS", 24), satellite("SBAS", 123, used: false), satellite("SBAS", 158), satellite("GPS", 7),
            satellite("IMES", 2, used: false), satellite("unknown", 5), satellite("GPS", 0), satellite("GPS", .max),
            // As receivers of before NMEA 4.10 number them.
            satellite("GLONASS", 88), satellite("Galileo", 301), satellite("BeiDou", 437), satellite("QZSS", 193),
            satellite("SBAS", 33),
        ]
        var format = NMEASentences()
        let location = try Sample.full()
        _ = format.record(for: location)
        let view = sentences(format.record(for: all), "GSV")
        #expect(
            view.map { fields in [fields[0]] + stride(from: 4, to: fields.count, by: 4).map { fields[$0] } } == [
                ["GPGSV", "36", "158", "07", "174"], ["GPGSV", "33"], ["GLGSV", "88", "88"], ["GAGSV", "11", "01"],
                ["GBGSV", "19", "37"], ["GQGSV", "02", "01"], ["GIGSV", "03"],
            ])
        #expect(view[0][1...3] == ["2", "1", "05"] && view[1][1...3] == ["2", "2", "05"])
        let used = sentences(format.record(for: location), "GSA")
        #expect(used.map { $0[18] } == ["1", "2", "3", "4", "5", "6"] && used.allSatisfy { $0.count == 19 })
        #expect(
            used.map { $0[3...14].filter { !$0.isEmpty } } == [
                ["158", "07", "33"], ["88", "88"], ["11", "01"], ["19", "37"], ["02", "01"], ["03"],
            ])
        #expect(used.allSatisfy { $0[0...2] == ["GNGSA", "A", "3"] && $0[15...17] == ["1.60", "0.90", "1.30"] })
    }

    /// Programs that are written for GPS alone compare `$GPGGA` and `$GPRMC` literally.
    @Test(arguments: [
        ([("GPS", 7, true), ("SBAS", 123, true), ("GLONASS", 8, false)], "GP"), ([("GLONASS", 8, true)], "GL"),
        ([("Galileo", 3, true), ("GPS", 7, false)], "GA"), ([("BeiDou", 19, true)], "GB"),
        ([("GPS", 7, true), ("GLONASS", 8, true)], "GN"), ([("GPS", 7, false)], "GP"), ([("unknown", 5, true)], "GP"),
        ([], "GP"),
    ])
    func talkerIsThatOfTheSystemsThatAreUsed(seen: [(String, Int, Bool)], talker: String) throws {
        var format = NMEASentences()
        _ = format.record(for: try Sample.full())
        _ = format.record(for: seen.map { satellite($0.0, $0.1, used: $0.2) })
        let kinds = format.record(for: try Sample.full()).split(separator: "\r\n").map { String($0.prefix(6)) }
        #expect(Set(kinds) == ["$\(talker)GGA", "$\(talker)RMC", "$\(talker)GSA", "$\(talker)GST"])
        format.isReduced = true
        #expect(format.record(for: try Sample.full()).hasPrefix("$GPGGA"), "which systems there are is not told")
    }

    @Test func viewHasNinetyNineSatellitesOfASystemAtMost() {
        var format = NMEASentences()
        let view = sentences(format.record(for: (0..<100).map { satellite("GPS", $0 % 32 + 1) }), "GSV")
        #expect(view.first?[1...3] == ["25", "1", "99"])
    }

    @Test func moreThanASentenceHasRoomForAreInAnother() throws {
        var format = NMEASentences()
        let location = try Sample.full()
        _ = format.record(for: location)
        let many = (1...32).map { satellite("GPS", $0) }
        #expect(sentences(format.record(for: many), "GSV").count == 8)
        let used = sentences(format.record(for: location), "GSA")
        #expect(used.map { $0[3...14].count { !$0.isEmpty } } == [12, 12, 8])
        // Three digits each, and the largest dilutions.
        var worst = location
        (worst.pdop, worst.hdop, worst.vdop) = (99.99, 1000, 99.99)
        let wide = (152...158).map { satellite("SBAS", $0) } + (1...10).map { satellite("IMES", $0) }
        _ = format.record(for: wide)
        #expect(sentences(format.record(for: worst), "GSA").map { $0[15] } == ["99.9", "99.99"])
    }

    @Test func anglesAndSignalsAreWholeNumbersInRange() throws {
        var format = NMEASentences()
        _ = format.record(for: try Sample.full())
        let fields = sentences(
            format.record(for: [
                satellite("GPS", 1, 89.6, 359.6, 44.5), satellite("GPS", 2, -3, 0, 0),
                satellite("GPS", 3, .nan, -1, 1e300),
                satellite("GPS", 4, 5.2, 9.4, -1),
            ]), "GSV")[0]
        #expect(
            fields[4...] == ["01", "90", "000", "45", "02", "", "000", "00", "03", "", "", "", "04", "05", "009", ""])
    }

    @Test func noSatelliteInViewIsSaid() throws {
        var format = NMEASentences()
        _ = format.record(for: try Sample.full())
        #expect(format.record(for: []) == "$GPGSV,1,1,00*79\r\n")
        #expect(sentences(format.record(for: try Sample.full()), "GSA")[0].count == 18)
    }

    @Test func anOldViewOrThatOfAnotherReceiverSaysNothing() throws {
        func used(_ format: inout NMEASentences, _ location: Location) -> Int {
            sentences(format.record(for: location), "GSA")[0][3...14].count { !$0.isEmpty }
        }
        var format = NMEASentences()
        var location = try Sample.full()
        _ = format.record(for: location)
        _ = format.record(for: [satellite("GPS", 1)])
        location.monotonicTime = location.monotonicTime.advanced(bySeconds: 9.9)
        #expect(used(&format, location) == 1)
        location.monotonicTime = location.monotonicTime.advanced(bySeconds: 0.2)
        #expect(used(&format, location) == 0)
        _ = format.record(for: [satellite("GPS", 1)])
        #expect(used(&format, location) == 1)
        location.source.device = "/dev/ttyACM1"
        #expect(used(&format, location) == 0)
        _ = format.record(for: [satellite("GPS", 1)])
        format.interrupt()
        #expect(used(&format, location) == 0)
    }

    @Test(arguments: [(FixMode.twoDimensional, "2"), (.threeDimensional, "3"), (.unknown, "2")])
    func modeIsToldByGSA(mode: FixMode, text: String) throws {
        var location = try Sample.bare()
        location.mode = mode
        let gsa = sentences(NMEASentences.record(for: location), "GSA")
        #expect(gsa == [["GPGSA", "A", text] + Array(repeating: "", count: 15)])
    }

    /// A reader with reduced accuracy is told nothing that the position does not say.
    @Test func reducedAccuracyHasNeitherSatellitesNorDilutionsNorErrors() throws {
        var format = NMEASentences(statesHDOP: true)
        _ = format.record(for: try Sample.full())
        _ = format.record(for: [satellite("GPS", 1)])
        format.isReduced = true
        let text = format.record(for: try Sample.full())
        #expect(sentences(text, "GSA").map { $0[3...] } == [Array(repeating: "", count: 15)[...]])
        #expect(!text.contains("GST"))
        #expect(format.record(for: [satellite("GPS", 1)]).isEmpty)
    }
}
