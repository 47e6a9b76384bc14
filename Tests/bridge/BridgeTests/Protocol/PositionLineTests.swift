@_spi(Programs) import LocationModel
import Testing

@testable import GPSDProtocol

struct PositionLineTests {
    private func line(_ change: (inout Location) -> Void = { _ in }) throws -> String {
        var location = try Sample.location()
        change(&location)
        return try #require(GPSDReport(location).bytes(in: .json).lines.first)
    }

    @Test func aFixHasEveryFieldInGpsdsOrderAndPrecision() throws {
        #expect(
            GPSDReport(try Sample.fullLocation()).bytes(in: .json).text
                == #"{"class":"TPV","device":"/dev/ttyACM0","status":3,"mode":3,"time":"2018-03-29T21:29:39.250Z","#
                + #""lat":44.068789557,"lon":-121.314099257,"altHAE":1105.1829,"altMSL":1127.3375,"alt":1127.3375,"#
                + #""epx":9.054,"epy":11.250,"epv":1.362,"track":293.0727,"magtrack":278.6727,"magvar":14.4,"speed":0.020,"#
                + #""climb":-0.017,"epd":2.5000,"eps":0.01,"epc":10.88,"geoidSep":-22.155,"eph":0.893}"# + "\r\n")
    }

    @Test func whatIsNotKnownIsLeftOut() throws {
        #expect(
            try line { $0.mode = .twoDimensional }
                == #"{"class":"TPV","device":"/dev/ttyACM0","mode":2,"lat":44.068789557,"lon":-121.314099257}"#)
        #expect(try line { $0.mode = .unknown }.contains(#""mode":2"#))
        #expect(try line { $0.ellipsoidalAltitude = 5 }.contains(#""altHAE":5.0000,"alt":5.0000"#))
        #expect(try line { $0.altitude = 5 }.contains(#""altMSL":5.0000,"alt":5.0000"#))
    }

    @Test func aNumberThatIsNotFiniteIsLeftOut() throws {
        let plain = try line()
        for number in [Double.nan, .infinity, -.infinity, 1e300] {
            #expect(
                try line {
                    ($0.altitude, $0.speed, $0.course, $0.climb) = (number, number, number, number)
                    ($0.horizontalAccuracy, $0.geoidSeparation, $0.magneticVariation) = (number, number, number)
                } == plain)
        }
    }

    @Test(arguments: [
        (Augmentation.dgps, 2), (.rtkFixed, 3), (.rtkFloat, 4), (.deadReckoning, 5), (.gnssDeadReckoning, 6),
        (.timeOnly, 7), (.simulated, 8), (.precise, 9),
    ])
    func anAugmentationIsGpsdsStatus(augmentation: Augmentation, status: Int) throws {
        #expect(try line { $0.augmentation = augmentation }.contains(#""status":\#(status),"mode":3"#))
    }

    @Test func aPlainFixHasNoStatus() throws {
        #expect(try !line().contains("status"))
        #expect(try !line { $0.augmentation = .unknown }.contains("status"))
    }

    @Test func whatIsNotMeasuredSaysSo() throws {
        func status(_ method: LocationMethod, _ augmentation: Augmentation?, simulated: Bool = false) throws -> String {
            try line {
                $0.source = SourceInformation(name: "any", method: method, isSimulated: simulated)
                $0.augmentation = augmentation
            }
        }
        #expect(try status(.simulated, nil, simulated: true).contains(#""status":8"#))
        #expect(try status(.gnss, .dgps, simulated: true).contains(#""status":8"#))
        #expect(try status(.replayed, .rtkFixed).contains(#""status":8"#))
        #expect(try status(.fixedPosition, nil).contains(#""status":7"#))
        #expect(try status(.network, nil).contains(#""status":5"#))
        #expect(try status(.network, nil, simulated: true).contains(#""status":8"#))
    }

    @Test func onlyAnEllipseAlongTheAxesIsWritten() throws {
        func ellipse(_ major: Double, _ minor: Double, _ orientation: Double, deviation: Bool = false) throws -> String
        {
            try line {
                $0.errorEllipse = ErrorEllipse(
                    semiMajorAxis: major, semiMinorAxis: minor, orientation: orientation,
                    isStandardDeviation: deviation)
            }
        }
        #expect(try ellipse(3, 2, 0).contains(#""epx":2.000,"epy":3.000"#))
        #expect(try ellipse(3, 2, 90).contains(#""epx":3.000,"epy":2.000"#))
        #expect(try ellipse(3, 3, 45).contains(#""epx":3.000,"epy":3.000"#))
        #expect(try !ellipse(3, 2, 45).contains("ep"))
        #expect(try !ellipse(3, 2, 0, deviation: true).contains("ep"), "a standard deviation is not gpsd's epx")
    }

    @Test func directionsAreBelow360() throws {
        #expect(try line { $0.course = 359.99996 }.contains(#""track":0.0000"#))
        #expect(try line { $0.course = 359.9999 }.contains(#""track":359.9999"#))
        let west = try line { ($0.course, $0.magneticVariation) = (359, -3) }
        #expect(west.contains(#""track":359.0000,"magtrack":2.0000,"magvar":-3.0"#))
        #expect(try line { ($0.course, $0.magneticVariation) = (1, 3) }.contains(#""magtrack":358.0000"#))
    }

    @Test func aTimeThatClientsCannotReadIsLeftOut() throws {
        for seconds: Int64 in [0, -1, .min, .max, 253_402_300_800] {
            #expect(try !line { $0.timestamp = UTCTime(seconds: seconds) }.contains("time"))
        }
        #expect(try line { $0.timestamp = UTCTime(seconds: 1) }.contains(#""time":"1970-01-01T00:00:01.000Z""#))
    }

    @Test func theDeviceIsTheReceiverOrTheSource() throws {
        #expect(GPSDReport(try Sample.location(device: nil)).device == "gpsd")
        #expect(try line { $0.source.device = "/dev/\u{7}" }.contains(#""device":"/dev/\\u{7}""#))
    }

    @Test func withoutAFixThereIsOnlyAMode() {
        #expect(
            GPSDReport.noFix(device: Sample.path).bytes(in: .json).text
                == #"{"class":"TPV","device":"/dev/ttyACM0","mode":1}"# + "\r\n")
        #expect(GPSDReport.noFix(device: nil).bytes(in: .json).text == #"{"class":"TPV","mode":1}"# + "\r\n")
        #expect(GPSDReport.unknown.bytes(in: .json).text == #"{"class":"TPV","mode":0}"# + "\r\n")
    }

    @Test func sentencesComeBeforeTheLine() throws {
        let report = GPSDReport(try Sample.fullLocation())
        let sentences = report.bytes(in: .nmea)
        #expect(sentences.lines.map { $0.prefix(6) } == ["$GPGGA", "$GPRMC", "$GPGSA", "$GPGST"])
        #expect(report.bytes(in: [.json, .nmea]) == sentences + report.bytes(in: .json))
        #expect(report.bytes(in: []) == [])
        let short = GPSDReport(try Sample.fullLocation(), sentences: "")
        #expect(short.bytes(in: .nmea) == [] && short.bytes(in: [.json, .nmea]) == report.bytes(in: .json))
        #expect(GPSDReport.noFix(device: nil).bytes(in: .nmea).lines.count == 3)
    }
}
