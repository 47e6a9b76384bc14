@_spi(Programs) import LocationKit
@_spi(Programs) import LocationKitTesting
@_spi(Programs) import LocationModel
@_spi(Programs) import OpenCoreLocation
import TestSupport
import Testing

struct LiveUpdatesTests {
    private func updates(
        _ fake: FakeLocationManager, _ configuration: CLLocationUpdate.LiveConfiguration = .default
    ) -> CLLocationUpdate.Updates {
        LocationBackend.$current.withValue(backend(fake)) { CLLocationUpdate.liveUpdates(configuration) }
    }

    @Test func locationsComeWhileTheLoopLasts() async throws {
        let fake = FakeLocationManager()
        do {
            var updates = updates(fake).makeAsyncIterator()
            #expect(fake.demand == LocationFilter())
            fake.send(latitude: 1, longitude: 2)
            var latitude: Double?
            while latitude == nil, let update = try await updates.next() {
                latitude = update.location?.coordinate.latitude
            }
            #expect(latitude == 1)
        }
        #expect(!fake.isReceiverWanted)
    }

    @Test func updatesSayWhetherTheMachineIsStationary() async throws {
        let fake = FakeLocationManager()
        var updates = updates(fake, .fitness).makeAsyncIterator()
        func next(_ latitude: Double) async throws -> CLLocationUpdate? {
            fake.advance(by: 1)
            fake.send(latitude: latitude, longitude: 2)
            var update = try await updates.next()
            while update?.location == nil { update = try await updates.next() }
            return update
        }
        #expect(try await next(1)?.stationary == false)
        fake.becomeStationary()
        #expect(fake.isStationary && !fake.isPaused)
        #expect(try await next(2)?.stationary == true)
        #expect(try await next(3)?.isStationary == true)
        fake.beginMoving()
        #expect(try await next(4)?.stationary == false)
    }

    @Test func theConfigurationSelectsTheFilter() async throws {
        let fake = FakeLocationManager()
        let updates = updates(fake, .fitness).makeAsyncIterator()
        withExtendedLifetime(updates) {
            #expect(fake.demand == LocationFilter(distance: 3, interval: 1))
        }
    }

    @Test @MainActor func aLoopEndsWhenItsTaskIsCancelled() async throws {
        let fake = FakeLocationManager()
        let updates = updates(fake)
        let loop = Task {
            var count = 0
            for try await update in updates where update.location != nil { count += 1 }
            return count
        }
        try await eventually("the receiver is wanted") { fake.isReceiverWanted }
        loop.cancel()
        #expect(try await loop.value == 0)
        #expect(!fake.isReceiverWanted)
    }

    /// The first update without a location after `change`.
    private func update(
        authorization: AuthorizationStatus = .authorizedAlways, change: (FakeLocationManager) -> Void = { _ in }
    ) async throws -> CLLocationUpdate {
        let fake = FakeLocationManager(authorization: authorization)
        change(fake)
        var updates = updates(fake).makeAsyncIterator()
        let update = try await updates.next()
        return try #require(update)
    }

    @Test func aRefusalTellsItsKind() async throws {
        let denied = try await update(authorization: .denied)
        #expect(denied.authorizationDenied)
        #expect(!denied.authorizationDeniedGlobally)
        #expect(!denied.locationUnavailable)
        #expect(denied.location == nil)
        let restricted = try await update(authorization: .restricted)
        #expect(restricted.authorizationRestricted)
        #expect(!restricted.authorizationDenied)
        let undecided = try await update(authorization: .notDetermined)
        #expect(undecided.authorizationRequestInProgress)
        #expect(!undecided.authorizationDenied)
    }

    @Test func aServiceThatIsOffIsDeniedToAll() async throws {
        let update = try await update { $0.disableService() }
        #expect(update.authorizationDeniedGlobally)
        #expect(update.authorizationDenied)
        #expect(!update.locationUnavailable)
    }

    @Test func whatHasNoLocationIsUnavailable() async throws {
        let unavailable = try await update { $0.becomeUnavailable() }
        #expect(unavailable.locationUnavailable)
        #expect(!unavailable.authorizationDenied)
        let away = try await update { $0.disconnect() }
        #expect(away.locationUnavailable)
    }

    @Test func aCoarseLocationIsLimited() async throws {
        let fake = FakeLocationManager(accuracy: .reduced)
        var updates = updates(fake).makeAsyncIterator()
        fake.send(latitude: 1, longitude: 2)
        var last = try await updates.next()
        while last?.location == nil { last = try await updates.next() }
        #expect(last?.accuracyLimited == true)
        #expect(last?.stationary == false)
        #expect(last?.serviceSessionRequired == false)
    }
}
