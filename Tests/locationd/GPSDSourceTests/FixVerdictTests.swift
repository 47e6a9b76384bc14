@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

@testable import GPSDSource

@Suite struct FixVerdictTests {
    private static let now = BootInstant(seconds: 50)
    private let plain = PositionReport(device: "/dev/a", mode: 3, latitude: 52.5, longitude: 13.25)

    private func judge(_ report: PositionReport) -> (verdict: FixVerdict, spoilt: Int) {
        var spoilt = 0
        let verdict = report.verdict(source: "gpsd", at: Self.now, spoilt: &spoilt)
        return (verdict, spoilt)
    }

    private func location(_ report: PositionReport) throws -> Location {
        guard case .fix(let location) = judge(report).verdict else { throw Failure("no fix: \(report)") }
        return location
    }

    @Test func everyFieldReachesItsPlace() throws {
        let location = try location(try Decoding().position(Line.fullTPV))
        #expect(location.coordinate == Coordinate(latitude: 44.068789557, longitude: -121.314099257))
        #expect(location.horizontalAccuracy == 0.893)
        #expect(location.altitude == 1127.3375)
        #expect(location.ellipsoidalAltitude == 1105.1829)
        #expect(location.verticalAccuracy == 1.362)
        #expect(location.speed == 0.02)
        #expect(location.speedAccuracy == 0.01)
        #expect(location.course == 293.0727)
        #expect(location.courseAccuracy == 2.5)
        #expect(location.climb == -0.017)
        #expect(location.climbAccuracy == 10.88)
        #expect(location.magneticVariation == 14.4)
        #expect(location.mode == .threeDimensional)
        #expect(location.augmentation == .rtkFixed)
        #expect(location.timestamp?.description == "2018-03-29T21:29:39.250Z")
        #expect(location.monotonicTime == Self.now)
        #expect(location.sequence == 0)
        #expect(location.source == SourceInformation(name: "gpsd", device: Line.device))
    }

    @Test func modeAloneDecidesBetweenFixAndNone() {
        var report = plain
        for status in [0, 1, 2, 8, 99] {
            report.status = status
            for mode in [0, 1] {
                report.mode = mode
                #expect(judge(report).verdict == .noFix)
            }
        }
        for mode in [-1, 4, 7, 1_215_752_191, .max, .min] {
            report.mode = mode
            #expect(judge(report).verdict == .rejected)
        }
    }

    @Test func aModeWithoutPositionIsNeitherFixNorLoss() {
        for missing in [\PositionReport.latitude, \.longitude] {
            for mode in [2, 3] {
                var report = plain
                report.mode = mode
                report[keyPath: missing] = nil
                #expect(judge(report).verdict == .withoutPosition)
                report.infinite = 1
                #expect(judge(report).verdict == .rejected)
            }
        }
    }

    @Test(arguments: [(90.1, 0.0), (-90.1, 0), (0, 180.1), (0, -180.1), (1e300, 0), (0, 1e300)])
    func aPositionOutsideTheGlobeIsRejected(latitude: Double, longitude: Double) {
        var report = plain
        (report.latitude, report.longitude) = (latitude, longitude)
        #expect(judge(report).verdict == .rejected)
    }

    @Test(arguments: [(90.0, 180.0), (-90, -180), (0, 0), (-0.0, -0.0)])
    func theEdgesOfTheGlobeBelongToIt(latitude: Double, longitude: Double) throws {
        var report = plain
        (report.latitude, report.longitude) = (latitude, longitude)
        #expect(try location(report).coordinate == Coordinate(latitude: latitude, longitude: longitude))
    }

    @Test func modesAreDimensionsWithOrWithoutAltitude() throws {
        var report = plain
        #expect(try location(report).mode == .threeDimensional)
        #expect(try location(report).altitude == nil)
        report.mode = 2
        report.altitude = 35
        #expect(try location(report).mode == .twoDimensional)
        #expect(try location(report).altitude == 35)
    }

    @Test(
        arguments: [
            (-1, nil), (0, nil), (1, nil), (2, .dgps), (3, .rtkFixed), (4, .rtkFloat), (5, .deadReckoning),
            (6, .gnssDeadReckoning), (7, .timeOnly), (8, .simulated), (9, .precise), (10, nil), (99, nil),
        ] as [(Int, Augmentation?)])
    func statusIsReadByNumber(status: Int, expected: Augmentation?) throws {
        var report = plain
        report.status = status
        #expect(try location(report).augmentation == expected)
        #expect(try location(report).source.isSimulated == (status == 8))
    }

    @Test func whatCannotBeNegativeIsLeftOut() throws {
        let fields: [(field: WritableKeyPath<PositionReport, Double?>, result: KeyPath<Location, Double?>)] = [
            (\.horizontalAccuracy, \.horizontalAccuracy), (\.verticalAccuracy, \.verticalAccuracy), (\.speed, \.speed),
            (\.speedAccuracy, \.speedAccuracy), (\.courseAccuracy, \.courseAccuracy),
            (\.climbAccuracy, \.climbAccuracy),
        ]
        for (field, result) in fields {
            var report = plain
            for good in [0, 0.5, 1e9] {
                report[keyPath: field] = good
                #expect(try location(report)[keyPath: result] == good)
                #expect(judge(report).spoilt == 0)
            }
            for bad in [-0.001, 1.1e9, 1e300] {
                report[keyPath: field] = bad
                #expect(try location(report)[keyPath: result] == nil)
                #expect(judge(report).spoilt == 1)
            }
        }
    }

    @Test func anglesAndHeightsHaveTheirRanges() throws {
        var report = plain
        report.course = 360
        #expect(try location(report).course == 0)
        (report.course, report.magneticVariation, report.altitude) = (360.1, 180.1, 2e8)
        (report.ellipsoidalAltitude, report.climb) = (-2e8, 2e8)
        #expect(judge(report).spoilt == 5)
        #expect(try location(report).saysTheSame(as: try location(plain)))
        (report.course, report.magneticVariation, report.altitude) = (-0.1, -180.1, -430.5)
        #expect(judge(report).spoilt == 4)
        #expect(try location(report).altitude == -430.5)
    }
}
