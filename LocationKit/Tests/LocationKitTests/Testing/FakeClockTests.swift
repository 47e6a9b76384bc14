import ClientTestSupport
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationKitTesting
@_spi(Programs) import LocationModel
import TestSupport
import Testing

/// The fake's time advances by its script only.
struct FakeClockTests {
    @Test func clockStandsStillUntilItIsAdvanced() {
        let fake = FakeLocationManager()
        let start = fake.now
        #expect(fake.now == start)
        fake.advance(by: 86_400)
        #expect(fake.now.seconds(since: start) == 86_400)
        fake.advance(by: -1)
        #expect(fake.now.seconds(since: start) == 86_400)
    }

    @Test func timeOutsHappenInTheirOrder() {
        let fake = FakeLocationManager()
        let ended = ValueRecorder<Double>()
        for timeout in [30.0, 10, 20] {
            fake.requestLocation(timeout: timeout, desiredAccuracy: nil, maximumAge: 0) { answer in
                if case .failure(.timedOut) = answer { ended.append(timeout) }
            }
        }
        fake.advance(by: 9.999)
        #expect(ended.values.isEmpty && fake.isReceiverWanted)
        fake.advance(by: 0.001)
        #expect(ended.values == [10])
        fake.advance(by: 3600)
        #expect(ended.values == [10, 20, 30] && !fake.isReceiverWanted)
    }

    @Test func eachThingHappensAtItsTime() {
        let fake = FakeLocationManager()
        let start = fake.now
        let moments = ValueRecorder<Double>()
        for timeout in [5.0, 7] {
            fake.requestLocation(timeout: timeout, desiredAccuracy: nil, maximumAge: 0) { _ in
                moments.append(fake.now.seconds(since: start))
            }
        }
        fake.advance(by: 100)
        #expect(moments.values == [5, 7])
    }

    @Test func refreshRequestsALocationWhenNoneComes() {
        let fake = FakeLocationManager(configuration: LocationConfiguration(refreshInterval: 300))
        let received = ValueRecorder<Location>()
        let observer = received.observer()
        fake.addObserver(observer)
        fake.advance(by: 299)
        #expect(!fake.isReceiverWanted)
        fake.advance(by: 1)
        #expect(fake.isReceiverWanted)
        fake.send(latitude: 1, longitude: 2)
        #expect(received.latitudes == [1] && !fake.isReceiverWanted)
        fake.removeObserver(observer)
        fake.advance(by: 3600)
        #expect(!fake.isReceiverWanted)
    }

    @Test func locationGrowsOld() async throws {
        let fake = FakeLocationManager()
        let sent = try #require(fake.send(latitude: 1, longitude: 2))
        fake.advance(by: 10)
        #expect(sent.age(at: fake.now) == 10)
        let old = try await fake.requestLocation(maximumAge: 10)
        #expect(old == sent)
        let answers = ValueRecorder<Result<Location, LocationError>>()
        fake.requestLocation(timeout: 1, desiredAccuracy: nil, maximumAge: 9) { answers.append($0) }
        #expect(answers.values.isEmpty)
        fake.advance(by: 1)
        #expect(answers.values.count == 1)
    }
}
