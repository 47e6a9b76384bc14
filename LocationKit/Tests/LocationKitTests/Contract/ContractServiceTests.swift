import ClientTestSupport
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import TestSupport
import Testing

/// A service that is switched off, ends, and comes back.
@Suite(.timeLimit(.minutes(10))) struct ContractServiceTests {
    @Test(arguments: Implementation.allCases) func switchedOffServiceIsAnError(of implementation: Implementation)
        async throws
    {
        try await implementation.run { subject in
            let locations = ValueRecorder<Location>()
            let errors = ValueRecorder<LocationError>()
            subject.manager.addObserver(locations.observer())
            subject.manager.addObserver(errors.observer())
            subject.manager.startUpdating()
            try await subject.awaitReceiver()
            #expect(errors.values.isEmpty)
            try await subject.setEnabled(false)
            try await eventually("the error", errors) { !$0.isEmpty }
            #expect(errors.values == [.disabled])
            #expect(subject.manager.isUpdating, "an error ends nothing")
            try await subject.setEnabled(true)
            try await subject.awaitReceiver()
            try await subject.send(latitude: 1)
            try await eventually("a location", locations) { $0.count == 1 }
        }
    }

    @Test(arguments: Implementation.allCases) func restartIsSurvived(of implementation: Implementation) async throws {
        try await implementation.run { subject in
            let locations = ValueRecorder<Location>()
            let states = ValueRecorder<ConnectionState>()
            let errors = ValueRecorder<LocationError>()
            subject.manager.addObserver(locations.observer())
            subject.manager.addObserver(states.observer())
            subject.manager.addObserver(errors.observer())
            subject.manager.startUpdating()
            try await subject.awaitReceiver()
            try await subject.send(latitude: 1)
            try await eventually("a location", locations) { $0.count == 1 }
            try await subject.endService()
            try await eventually("the end", states) { $0.last.map(\.isDisconnected) == true }
            try await eventually("the failure", errors) { !$0.isEmpty }
            try await subject.beginService()
            try await eventually("the return", states) { $0.last == .connected }
            try await subject.awaitReceiver()
            try await subject.send(latitude: 2)
            try await eventually("a new location", locations) { $0.last?.coordinate.latitude == 2 }
            #expect(locations.latitudes == [1, 2], "an old location is delivered as new")
            #expect(zip(states.values, states.values.dropFirst()).allSatisfy { $0 != .connected || $1 != .connected })
        }
    }

    @Test(arguments: Implementation.allCases) func serviceThatComesLateIsFound(by implementation: Implementation)
        async throws
    {
        try await implementation.run { subject in
            try await subject.endService()
            let locations = ValueRecorder<Location>()
            let states = ValueRecorder<ConnectionState>()
            subject.manager.addObserver(locations.observer())
            subject.manager.addObserver(states.observer())
            #expect(subject.manager.authorizationStatus == .notDetermined, "nobody could be asked")
            subject.manager.startUpdating()
            try await eventually("no connection", states) { $0.first.map(\.isDisconnected) == true }
            try await subject.beginService()
            try await eventually("a connection", states) { $0.last == .connected }
            try await subject.awaitReceiver()
            try await subject.send(latitude: 1)
            try await eventually("a location", locations) { $0.count == 1 }
        }
    }
}

extension ConnectionState {
    fileprivate var isDisconnected: Bool {
        if case .disconnected = self { true } else { false }
    }
}
