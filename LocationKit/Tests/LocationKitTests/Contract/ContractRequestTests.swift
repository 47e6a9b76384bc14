import ClientTestSupport
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import TestSupport
import Testing

/// Requests for one location.
@Suite(.timeLimit(.minutes(10))) struct ContractRequestTests {
    private typealias Answer = Result<Location, LocationError>

    /// The error that a request fails with at once.
    private func failure(of subject: any ContractSubject) async throws -> LocationError {
        let location: Location
        do {
            location = try await subject.manager.requestLocation(timeout: 3600)
        } catch {
            return error
        }
        throw Failure("answered \(location)")
    }

    @Test(arguments: Implementation.allCases) func callersShareOneAnswer(of implementation: Implementation) async throws
    {
        try await implementation.run { subject in
            let answers = ValueRecorder<Answer>()
            let observed = ValueRecorder<Location>()
            subject.manager.addObserver(observed.observer())
            for _ in 1...3 {
                subject.manager.requestLocation(timeout: 60, desiredAccuracy: nil, maximumAge: 0) { answers.append($0) }
            }
            try await subject.awaitReceiver()
            try await subject.send(latitude: 1)
            try await eventually("three answers", answers) { $0.count >= 3 }
            try await subject.awaitReceiver(wanted: false)
            try await requireNewLocation(of: subject)
            let latitudes = try answers.values.map { try $0.get().coordinate.latitude }
            #expect(latitudes == [1, 1, 1])
            #expect(observed.values.first?.coordinate.latitude == 1)
            #expect(observed.values.count { $0.coordinate.latitude == 1 } == 1)
        }
    }

    @Test(arguments: Implementation.allCases) func goodEnoughIsWaitedFor(by implementation: Implementation) async throws
    {
        try await implementation.run { subject in
            let answers = ValueRecorder<Answer>()
            subject.manager.requestLocation(timeout: 60, desiredAccuracy: 10, maximumAge: 0) { answers.append($0) }
            try await subject.awaitReceiver()
            try await subject.send(latitude: 1, accuracy: 50)
            try await subject.send(latitude: 2, accuracy: 10)
            try await eventually("an answer", answers) { !$0.isEmpty }
            #expect(try answers.values.map { try $0.get().coordinate.latitude } == [2])
        }
    }

    @Test(arguments: Implementation.allCases) func timeOutHoldsTheBest(of implementation: Implementation) async throws {
        try await implementation.run { subject in
            let answers = ValueRecorder<Answer>()
            subject.manager.requestLocation(timeout: 15, desiredAccuracy: 1, maximumAge: 0) { answers.append($0) }
            try await subject.awaitReceiver()
            for (latitude, accuracy) in [(1.0, 90.0), (2, 40), (3, 60)] {
                try await subject.send(latitude: latitude, accuracy: accuracy)
            }
            subject.pass(15)
            try await eventually("an answer", answers) { !$0.isEmpty }
            guard case .failure(.timedOut(let best)) = answers.values.first else {
                Issue.record("\(answers.values)")
                return
            }
            #expect(best?.coordinate.latitude == 2 && best?.horizontalAccuracy == 40)
            try await subject.awaitReceiver(wanted: false)
            #expect(answers.values.count == 1)
        }
    }

    @Test(arguments: Implementation.allCases) func ageDecidesWhatIsNew(_ implementation: Implementation) async throws {
        try await implementation.run { subject in
            let received = ValueRecorder<Location>()
            let observer = received.observer()
            subject.manager.addObserver(observer)
            subject.manager.startUpdating()
            try await subject.awaitReceiver()
            try await subject.send(latitude: 1)
            try await eventually("a location", received) { $0.count == 1 }
            subject.manager.removeObserver(observer)
            try await subject.awaitReceiver(wanted: false)
            let old = try await subject.manager.requestLocation(timeout: 60, maximumAge: 3600)
            #expect(old.coordinate.latitude == 1)
            try await requireNewLocation(of: subject)
        }
    }

    @Test(arguments: Implementation.allCases) func lastOneIsKnownToTheService(_ implementation: Implementation)
        async throws
    {
        try await implementation.run { subject in
            try await subject.send(latitude: 1)
            let location = try await subject.manager.requestLocation(timeout: 60, maximumAge: 3600)
            #expect(location.coordinate.latitude == 1)
        }
    }

    @Test(arguments: Implementation.allCases) func newMeansAfterTheRequest(to implementation: Implementation)
        async throws
    {
        try await implementation.run { subject in
            try await subject.send(latitude: 1)
            try await requireNewLocation(of: subject)
        }
    }

    /// A request without a maximum age waits for a location that comes after it.
    private func requireNewLocation(of subject: any ContractSubject) async throws {
        let answers = ValueRecorder<Answer>()
        subject.manager.requestLocation(timeout: 60, desiredAccuracy: nil, maximumAge: 0) { answers.append($0) }
        try await subject.awaitReceiver()
        try await subject.send(latitude: 2)
        try await eventually("an answer", answers) { !$0.isEmpty }
        #expect(try answers.values.map { try $0.get().coordinate.latitude } == [2], "an old one is given as new")
    }

    @Test(arguments: Implementation.allCases) func cancellationEndsTheRequest(of implementation: Implementation)
        async throws
    {
        try await implementation.run { subject in
            let manager = subject.manager
            let request = Task { try await manager.requestLocation(timeout: 60) }
            try await subject.awaitReceiver()
            request.cancel()
            await #expect(throws: LocationError.cancelled) { try await request.value }
            try await subject.awaitReceiver(wanted: false)
        }
    }

    @Test(arguments: Implementation.allCases) func deniedIsReportedImmediately(by implementation: Implementation)
        async throws
    {
        try await implementation.run(authorization: .denied) { subject in
            let error = try await failure(of: subject)
            guard case .unauthorized(.denied, let reason) = error else { throw error }
            #expect(!reason.isEmpty)
        }
    }

    @Test(arguments: Implementation.allCases) func switchedOffIsReportedImmediately(by implementation: Implementation)
        async throws
    {
        try await implementation.run { subject in
            try await subject.setEnabled(false)
            await #expect(throws: LocationError.disabled) {
                try await subject.manager.requestLocation(timeout: 3600)
            }
        }
    }

    @Test(arguments: Implementation.allCases) func absentServiceIsReportedImmediately(by implementation: Implementation)
        async throws
    {
        try await implementation.run { subject in
            try await subject.endService()
            let error = try await failure(of: subject)
            guard case .daemonNotRunning(_, let reason) = error else { throw error }
            #expect(!reason.isEmpty)
        }
    }
}
