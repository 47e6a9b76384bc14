import ClientTestSupport
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import TestSupport
import Testing

/// Observers, and the demand that `startUpdating` makes.
@Suite(.timeLimit(.minutes(10))) struct ContractObserverTests {
    @Test(arguments: Implementation.allCases) func observerReceivesEachLocation(of implementation: Implementation)
        async throws
    {
        try await implementation.run { subject in
            let received = ValueRecorder<Location>()
            subject.manager.addObserver(received.observer())
            subject.manager.startUpdating()
            #expect(subject.manager.isUpdating)
            try await subject.awaitReceiver()
            for latitude in [1.0, 2, 3] { try await subject.send(latitude: latitude) }
            try await eventually("three locations", received) { $0.count >= 3 }
            #expect(received.latitudes == [1, 2, 3])
            #expect(received.values.allSatisfy { $0.source.isSimulated && $0.horizontalAccuracy == 5 })
            #expect(subject.manager.location == received.values.last)
        }
    }

    @Test(arguments: Implementation.allCases) func addingTwiceIsOnce(to implementation: Implementation) async throws {
        try await implementation.run { subject in
            let received = ValueRecorder<Location>()
            let observer = received.observer()
            subject.manager.addObserver(observer)
            subject.manager.addObserver(observer)
            subject.manager.startUpdating()
            try await subject.awaitReceiver()
            try await subject.send(latitude: 1)
            try await subject.send(latitude: 2)
            try await eventually("the second location", received) { $0.last?.coordinate.latitude == 2 }
            #expect(received.latitudes == [1, 2])
            subject.manager.removeObserver(observer)
            try await subject.awaitReceiver(wanted: false)
        }
    }

    @Test(arguments: Implementation.allCases) func observersAloneRequestNothing(of implementation: Implementation)
        async throws
    {
        try await implementation.run { subject in
            let received = ValueRecorder<Location>()
            let delivered = ValueRecorder<AuthorizationStatus>()
            subject.manager.addObserver(received.observer())
            subject.manager.addObserver(delivered.observer())
            try await eventually("the authorization is delivered", delivered) { !$0.isEmpty }
            #expect(try await !subject.isReceiverWanted())
            #expect(!subject.manager.isUpdating && received.values.isEmpty)
        }
    }

    @Test(arguments: Implementation.allCases) func removingTheLastEndsTheDemand(of implementation: Implementation)
        async throws
    {
        try await implementation.run { subject in
            let received = [ValueRecorder<Location>(), ValueRecorder()]
            let observers = received.map { $0.observer() }
            for observer in observers { subject.manager.addObserver(observer) }
            subject.manager.startUpdating()
            try await subject.awaitReceiver()
            try await subject.send(latitude: 1)
            try await eventually("the first location", received[1]) { $0.count == 1 }
            subject.manager.removeObserver(observers[0])
            #expect(subject.manager.isUpdating)
            try await subject.send(latitude: 2)
            try await eventually("the second location", received[1]) { $0.count == 2 }
            subject.manager.removeObserver(observers[1])
            #expect(!subject.manager.isUpdating)
            try await subject.awaitReceiver(wanted: false)
            try await subject.send(latitude: 3)
            let later = ValueRecorder<Location>()
            subject.manager.addObserver(later.observer())
            subject.manager.startUpdating()
            try await subject.awaitReceiver()
            try await subject.send(latitude: 4)
            try await eventually("the last location", later) { $0.last?.coordinate.latitude == 4 }
            #expect(received.map(\.latitudes) == [[1], [1, 2]])
        }
    }

    @Test(arguments: Implementation.allCases) func stoppedIsSilentUntilStarted(_ implementation: Implementation)
        async throws
    {
        try await implementation.run { subject in
            let received = ValueRecorder<Location>()
            subject.manager.addObserver(received.observer())
            subject.manager.startUpdating()
            try await subject.awaitReceiver()
            try await subject.send(latitude: 1)
            try await eventually("a location", received) { $0.count == 1 }
            subject.manager.stopUpdating()
            #expect(!subject.manager.isUpdating)
            try await subject.awaitReceiver(wanted: false)
            subject.manager.startUpdating()
            try await subject.awaitReceiver()
            try await subject.send(latitude: 2)
            try await eventually("another location", received) { $0.count == 2 }
            #expect(received.latitudes == [1, 2], "what was delivered before is delivered again")
        }
    }

    @Test(arguments: Implementation.allCases) func observerMayRemoveItself(from implementation: Implementation)
        async throws
    {
        try await implementation.run { subject in
            let (once, always) = (ValueRecorder<Location>(), ValueRecorder<Location>())
            let manager = subject.manager
            let token = ValueRecorder<Observer<Location>>()
            let observer = Observer<Location> { location in
                once.append(location)
                for own in token.values { manager.removeObserver(own) }
            }
            token.append(observer)
            manager.addObserver(observer)
            manager.addObserver(always.observer())
            manager.startUpdating()
            try await subject.awaitReceiver()
            try await subject.send(latitude: 1)
            try await subject.send(latitude: 2)
            try await eventually("both locations", always) { $0.count == 2 }
            #expect(once.latitudes == [1])
        }
    }

    @Test(arguments: Implementation.allCases) func filtersHoldBack(_ implementation: Implementation) async throws {
        try await implementation.run { subject in
            let received = ValueRecorder<Location>()
            subject.manager.requiredAccuracy = 10
            subject.manager.distanceFilter = 50_000
            subject.manager.desiredAccuracy = 1
            subject.manager.addObserver(received.observer())
            subject.manager.startUpdating()
            try await subject.awaitReceiver()
            try await subject.send(latitude: 1, accuracy: 11)
            try await subject.send(latitude: 2, accuracy: 10)
            try await subject.send(latitude: 2.1, accuracy: 10)
            try await subject.send(latitude: 3, accuracy: 10)
            try await eventually("the last location", received) { $0.last?.coordinate.latitude == 3 }
            #expect(received.latitudes == [2, 3])
        }
    }
}
