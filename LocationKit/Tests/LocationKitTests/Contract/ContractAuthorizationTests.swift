import ClientTestSupport
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import TestSupport
import Testing

/// Requests for authorization.
@Suite(.timeLimit(.minutes(10)), .patient) struct ContractAuthorizationTests {
    @Test(arguments: Implementation.allCases) func enoughIsTrueImmediately(for implementation: Implementation)
        async throws
    {
        try await implementation.run { subject in
            #expect(subject.manager.authorizationStatus == .authorizedAlways)
            #expect(subject.manager.accuracyAuthorization == .full)
            for level in AuthorizationLevel.allCases {
                let isGranted = try await subject.manager.requestAuthorization(for: level)
                #expect(isGranted)
            }
            #expect(!subject.manager.isUpdating)
            let isGranted = try await subject.manager.requestAuthorization(for: .whenInUse, startUpdating: true)
            #expect(isGranted && subject.manager.isUpdating)
            try await subject.awaitReceiver()
        }
    }

    @Test(arguments: Implementation.allCases, [AuthorizationStatus.authorizedAlways, .authorizedWhenInUse, .denied])
    func higherLevelWaitsForTheDecision(of implementation: Implementation, decision: AuthorizationStatus) async throws {
        try await implementation.run(authorization: .authorizedWhenInUse) { subject in
            let hasLess = try await subject.manager.requestAuthorization(for: .whenInUse)
            let isAsked = try await subject.isAsked()
            #expect(hasLess && !isAsked)
            let answers = ValueRecorder<Result<Bool, LocationError>>()
            subject.manager.requestAuthorization(for: .always, startUpdating: true) { answers.append($0) }
            try await eventually("somebody is asked") { try await subject.isAsked() }
            #expect(answers.values.isEmpty)
            #expect(subject.manager.authorizationStatus == .authorizedWhenInUse)
            #expect(subject.manager.isUpdating, "the granted level suffices")
            try await subject.authorize(decision)
            try await eventually("an answer", answers) { !$0.isEmpty }
            #expect(answers.values == [.success(decision == .authorizedAlways)])
            try await eventually("the decision") { subject.manager.authorizationStatus == decision }
            #expect(try await !subject.isAsked())
        }
    }

    @Test(arguments: Implementation.allCases) func denialIsFalseImmediately(for implementation: Implementation)
        async throws
    {
        try await implementation.run(authorization: .denied) { subject in
            #expect(subject.manager.authorizationStatus == .denied)
            let isGranted = try await subject.manager.requestAuthorization(for: .whenInUse, startUpdating: true)
            #expect(!isGranted && !subject.manager.isUpdating && !subject.manager.isAuthorized)
            #expect(subject.manager.isLocationServicesEnabled)
        }
    }

    @Test(arguments: Implementation.allCases) func updatingStartsWhenADenialIsReversed(
        for implementation: Implementation
    )
        async throws
    {
        try await implementation.run(authorization: .denied) { subject in
            let isGranted = try await subject.manager.requestAuthorization(for: .always, startUpdating: true)
            #expect(!isGranted && !subject.manager.isUpdating)
            try await subject.authorize(.authorizedAlways)
            try await eventually("updating starts") { subject.manager.isUpdating }
            try await subject.awaitReceiver()
            #expect(subject.manager.isAuthorized)
            subject.manager.stopUpdating()
            try await subject.awaitReceiver(wanted: false)
            try await subject.authorize(.denied)
            try await eventually("the denial") { subject.manager.authorizationStatus == .denied }
            _ = try await subject.manager.requestAuthorization(for: .always, startUpdating: true)
            subject.manager.stopUpdating()
            try await subject.authorize(.authorizedAlways)
            try await eventually("the grant") { subject.manager.authorizationStatus == .authorizedAlways }
            #expect(!subject.manager.isUpdating, "it was stopped before it could start")
        }
    }

    @Test(arguments: Implementation.allCases) func authorizedMeansGrantedAndSwitchedOn(
        by implementation: Implementation
    )
        async throws
    {
        try await implementation.run(authorization: .authorizedWhenInUse) { subject in
            #expect(subject.manager.isAuthorized && subject.manager.isAuthorized(for: .whenInUse))
            #expect(!subject.manager.isAuthorized(for: .always))
            try await subject.setEnabled(false)
            try await eventually("it is off") { !subject.manager.isLocationServicesEnabled }
            #expect(!subject.manager.isAuthorized)
            try await subject.setEnabled(true)
            try await eventually("it is on") { subject.manager.isAuthorized }
        }
    }

    @Test(arguments: Implementation.allCases, [AuthorizationStatus.authorizedAlways, .authorizedWhenInUse, .denied])
    func undecidedWaitsForTheDecision(of implementation: Implementation, decision: AuthorizationStatus) async throws {
        try await implementation.run(authorization: .notDetermined) { subject in
            let answers = ValueRecorder<Result<Bool, LocationError>>()
            subject.manager.requestAuthorization(for: .always, startUpdating: true) { answers.append($0) }
            try await eventually("somebody is asked") { try await subject.isAsked() }
            #expect(answers.values.isEmpty && !subject.manager.isUpdating)
            try await subject.authorize(decision)
            try await eventually("an answer", answers) { !$0.isEmpty }
            #expect(answers.values == [.success(decision == .authorizedAlways)])
            #expect(subject.manager.isUpdating == (decision != .denied))
            #expect(try await !subject.isAsked())
        }
    }

    @Test(arguments: Implementation.allCases) func waitingOutlivesARestart(of implementation: Implementation)
        async throws
    {
        try await implementation.run(authorization: .notDetermined) { subject in
            let answers = ValueRecorder<Result<Bool, LocationError>>()
            subject.manager.requestAuthorization(for: .whenInUse, startUpdating: false) { answers.append($0) }
            try await eventually("somebody is asked") { try await subject.isAsked() }
            try await subject.endService()
            try await subject.beginService()
            subject.pass(30)
            try await eventually("somebody is asked again") { try await subject.isAsked() }
            #expect(answers.values.isEmpty)
            try await subject.authorize(.authorizedWhenInUse)
            try await eventually("an answer", answers) { !$0.isEmpty }
            #expect(answers.values == [.success(true)])
        }
    }

    @Test(arguments: Implementation.allCases) func cancellationEndsTheWaiting(of implementation: Implementation)
        async throws
    {
        try await implementation.run(authorization: .notDetermined) { subject in
            let manager = subject.manager
            let request = Task { try await manager.requestAuthorization(for: .always, startUpdating: true) }
            try await eventually("somebody is asked") { try await subject.isAsked() }
            request.cancel()
            await #expect(throws: LocationError.cancelled) { try await request.value }
            #expect(!manager.isUpdating)
        }
    }

    @Test(arguments: Implementation.allCases) func currentValueIsDeliveredThenChanges(by implementation: Implementation)
        async throws
    {
        try await implementation.run { subject in
            let received = ValueRecorder<AuthorizationStatus>()
            subject.manager.addObserver(received.observer())
            try await eventually("the present", received) { $0 == [.authorizedAlways] }
            for status in [AuthorizationStatus.denied, .notDetermined, .authorizedWhenInUse] {
                try await subject.authorize(status)
                try await eventually("the change to \(status)", received) { $0.last == status }
            }
            #expect(received.values == [.authorizedAlways, .denied, .notDetermined, .authorizedWhenInUse])
            #expect(subject.manager.authorizationStatus == .authorizedWhenInUse)
        }
    }

    @Test(arguments: Implementation.allCases) func revocationEndsTheLocations(of implementation: Implementation)
        async throws
    {
        try await implementation.run { subject in
            let locations = ValueRecorder<Location>()
            let statuses = ValueRecorder<AuthorizationStatus>()
            let errors = ValueRecorder<LocationError>()
            subject.manager.addObserver(locations.observer())
            subject.manager.addObserver(statuses.observer())
            subject.manager.addObserver(errors.observer())
            subject.manager.startUpdating()
            try await subject.awaitReceiver()
            try await subject.send(latitude: 1)
            try await eventually("a location", locations) { $0.count == 1 }
            try await subject.authorize(.denied)
            try await eventually("the revocation", statuses) { $0.last == .denied }
            try await eventually("the error", errors) { $0.contains(where: \.isUnauthorized) }
            try await subject.send(latitude: 2)
            try await subject.authorize(.authorizedAlways)
            try await eventually("the grant", statuses) { $0.last == .authorizedAlways }
            try await subject.awaitReceiver()
            try await subject.send(latitude: 3)
            try await eventually("the next location", locations) { $0.last?.coordinate.latitude == 3 }
            #expect(locations.latitudes == [1, 3])
            #expect(statuses.values == [.authorizedAlways, .denied, .authorizedAlways])
        }
    }
}

extension LocationError {
    fileprivate var isUnauthorized: Bool {
        if case .unauthorized(.denied, _) = self { true } else { false }
    }
}
