@_spi(Programs) import LocationModel
@_spi(Programs) import OpenCoreLocation
import Testing

@Suite struct LocationOfServiceTests {
    private let arrival = Date(timeIntervalSince1970: 1_772_366_400)

    private func received(_ change: (inout Location) -> Void = { _ in }) throws -> CLLocation {
        let coordinate = try #require(Coordinate(latitude: 52.52, longitude: 13.405))
        var location = Location(
            coordinate: coordinate, monotonicTime: BootInstant(seconds: 100), source: SourceInformation(name: "gpsd"))
        change(&location)
        return CLLocation(location, arrival: arrival)
    }

    @Test func everythingKnownIsDelivered() throws {
        let location = try received {
            $0.horizontalAccuracy = 4
            $0.altitude = 30
            $0.ellipsoidalAltitude = 70
            $0.verticalAccuracy = 6
            $0.course = 359.5
            $0.courseAccuracy = 3
            $0.speed = 2
            $0.speedAccuracy = 0.5
            $0.timestamp = UTCTime(seconds: 1_772_366_399, nanoseconds: 250_000_000)
        }
        #expect(location.coordinate.latitude == 52.52)
        #expect(location.coordinate.longitude == 13.405)
        #expect(location.horizontalAccuracy == 4)
        #expect(location.altitude == 30)
        #expect(location.ellipsoidalAltitude == 70)
        #expect(location.verticalAccuracy == 6)
        #expect(location.course == 359.5)
        #expect(location.courseAccuracy == 3)
        #expect(location.speed == 2)
        #expect(location.speedAccuracy == 0.5)
        #expect(location.timestamp == Date(timeIntervalSince1970: 1_772_366_399.25))
        #expect(location.floor == nil)
    }

    @Test func whatIsUnknownIsNegative() throws {
        let location = try received()
        #expect(location.verticalAccuracy == -1)
        #expect(location.course == -1)
        #expect(location.courseAccuracy == -1)
        #expect(location.speed == -1)
        #expect(location.speedAccuracy == -1)
    }

    @Test(
        arguments: [
            (nil, nil, 100), (1.5, nil, 28.5), (1.5, .dgps, 7.125), (1.5, .rtkFixed, 7.125), (2, .deadReckoning, 38),
        ] as [(Double?, Augmentation?, Double)])
    func horizontalAccuracyIsNeverNegative(_ hdop: Double?, _ augmentation: Augmentation?, _ expected: Double) throws {
        let location = try received {
            $0.hdop = hdop
            $0.augmentation = augmentation
        }
        #expect(location.horizontalAccuracy == expected)
    }

    @Test(arguments: [(nil, nil, 150), (2, nil, 46), (2, .dgps, 11.5)] as [(Double?, Augmentation?, Double)])
    func altitudeIsNeverTakenForInvalid(_ vdop: Double?, _ augmentation: Augmentation?, _ expected: Double) throws {
        let location = try received {
            $0.altitude = 30
            $0.vdop = vdop
            $0.augmentation = augmentation
        }
        #expect(location.verticalAccuracy == expected)
        #expect(location.altitude == 30)
        #expect(location.ellipsoidalAltitude == 30)
    }

    @Test func heightAboveTheEllipsoidAloneMakesNoAltitude() throws {
        let location = try received {
            $0.ellipsoidalAltitude = 70
            $0.verticalAccuracy = 6
        }
        #expect(location.verticalAccuracy == -1)
        #expect(location.ellipsoidalAltitude == 70)
    }

    @Test(arguments: [(0, 0), (-86_400, -86_400), (86_400, 86_400), (-86_401, 0), (-1024 * 604_800, 0), (86_401, 0)])
    func receiverThatIsADayOffIsNotBelieved(_ lag: Int64, _ expected: Double) throws {
        let location = try received { $0.timestamp = UTCTime(seconds: 1_772_366_400 + lag) }
        #expect(location.timestamp == arrival + expected)
    }

    @Test func receiverWithoutTimeHasThatOfArrival() throws {
        #expect(try received().timestamp == arrival)
    }

    @Test func arrivalIsAsLongAgoAsTheLocationIsOld() throws {
        let coordinate = try #require(Coordinate(latitude: 0, longitude: 0))
        let location = Location(
            coordinate: coordinate, monotonicTime: BootInstant(seconds: 0), source: SourceInformation(name: "gpsd"))
        // It is as old as the time since boot.
        #expect(CLLocation(location, now: arrival).timestamp < arrival)
    }

    @Test(
        arguments: [(false, false, nil, false), (true, false, nil, true), (false, true, nil, true)]
            + [(false, false, Augmentation.simulated, true)] as [(Bool, Bool, Augmentation?, Bool)])
    func simulationIsReported(_ simulated: Bool, _ replayed: Bool, _ augmentation: Augmentation?, _ expected: Bool)
        throws
    {
        let location = try received {
            $0.source.isSimulated = simulated
            $0.source.method = replayed ? .replayed : simulated ? .simulated : .gnss
            $0.augmentation = augmentation
        }
        #expect(location.sourceInformation?.isSimulatedBySoftware == expected)
        #expect(location.sourceInformation?.isProducedByAccessory == false)
    }
}
