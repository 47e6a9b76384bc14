import Foundation
@_spi(Programs) import OpenCoreLocation
import OpenCoreLocationTesting
import TestSupport
import Testing

/// A program of CLLocationManager is tested without a daemon, with the public fake alone.
struct FakeLocationServiceTests {
    /// What a program under test may look like.
    @MainActor
    private final class Weather: NSObject, CLLocationManagerDelegate {
        private let manager = CLLocationManager()
        private(set) var places: [CLLocation] = []
        private(set) var failures: [CLError.Code] = []
        private(set) var courses: [CLLocationDirection] = []

        func begin() {
            manager.delegate = self
            manager.requestWhenInUseAuthorization()
            manager.startUpdatingLocation()
            manager.startUpdatingHeading()
        }

        nonisolated func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
            MainActor.assumeIsolated { places += locations }
        }

        nonisolated func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
            let code = (error as? CLError)?.code
            MainActor.assumeIsolated { failures += [code].compactMap(\.self) }
        }

        nonisolated func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {
            MainActor.assumeIsolated { courses.append(newHeading.magneticHeading) }
        }
    }

    @Test @MainActor func programReceivesWhatTheTestSends() async throws {
        let service = FakeLocationService(authorization: .notDetermined)
        let weather = service.run { Weather() }
        weather.begin()
        #expect(service.isAuthorizationRequested)
        service.authorize(.authorizedWhenInUse)
        #expect(service.isReceiverWanted && service.isCompassWanted)
        let sent = CLLocation(
            coordinate: CLLocationCoordinate2D(latitude: 48.5, longitude: 2.25), altitude: 35, horizontalAccuracy: 4,
            verticalAccuracy: 6, course: 90, speed: 1.5, timestamp: Date())
        service.send(sent)
        service.sendHeading(magnetic: 87)
        try await eventually("they are delivered") { weather.places.count == 1 && weather.courses == [87] }
        let place = try #require(weather.places.first)
        #expect(place.distance(from: sent) == 0 && place.altitude == 35 && place.verticalAccuracy == 6)
        #expect(place.course == 90 && place.speed == 1.5 && place.courseAccuracy < 0)
        #expect(abs(place.timestamp.timeIntervalSince(sent.timestamp)) < 0.001)
        service.authorize(.denied)
        try await eventually("it is told") { weather.failures == [.denied] }
    }

    @Test func liveUpdatesAndSessionsUseIt() async throws {
        let service = FakeLocationService(accuracy: .reducedAccuracy)
        try await service.run {
            let session = CLServiceSession(authorization: .whenInUse, fullAccuracyPurposeKey: "gate")
            var updates = CLLocationUpdate.liveUpdates().makeAsyncIterator()
            try await eventually("it is requested") { service.pendingFullAccuracyPurposeKeys == ["gate"] }
            service.authorize(.fullAccuracy)
            service.send(CLLocation(latitude: 1, longitude: 2))
            var update = try await updates.next()
            while update?.location == nil { update = try await updates.next() }
            #expect(update?.accuracyLimited == false && update?.location?.coordinate.latitude == 1)
            session.invalidate()
        }
    }

    @Test func monitorsUseIt() async throws {
        let service = FakeLocationService()
        try await service.run {
            let monitor = await CLMonitor("places")
            let home = CLLocationCoordinate2D(latitude: 52, longitude: 13)
            await monitor.add(CLMonitor.CircularGeographicCondition(center: home, radius: 500), identifier: "home")
            await monitor.add(CLMonitor.BeaconIdentityCondition(uuid: UUID()), identifier: "beacon")
            var events = await monitor.events.makeAsyncIterator()
            let first = try await events.next()
            #expect(first?.identifier == "beacon" && first?.conditionUnsupported == true)
            for _ in 0..<3 { service.send(CLLocation(latitude: 52, longitude: 13)) }
            let second = try await events.next()
            #expect(second?.identifier == "home" && second?.state == .satisfied && second?.accuracyLimited == false)
        }
    }
}
