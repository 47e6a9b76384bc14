import ClientTestSupport
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import TestSupport
import Testing

/// A manager whose daemon dies, refuses or answers late.
@Suite(.enabled(if: Products.areBuilt, "no daemon is built: see README.md"), .timeLimit(.minutes(10)), .patient)
struct FaultsDaemonTests {
    @Test func aKilledDaemonIsReportedAndReconnected() async throws {
        let subject = try await RealDaemonSubject(authorization: .authorizedAlways)
        let manager = subject.manager
        let locations = ValueRecorder<Location>()
        let looped = ValueRecorder<Location>()
        let states = ValueRecorder<ConnectionState>()
        let answers = ValueRecorder<Result<Location, LocationError>>()
        manager.addObserver(locations.observer())
        manager.addObserver(states.observer())
        let loop = Task { [sequence = manager.locations] in for await location in sequence { looped.append(location) } }
        manager.startUpdating()
        try await subject.awaitReceiver()
        try await subject.send(latitude: 1)
        try await eventually("a location", looped) { $0.count == 1 }
        manager.requestLocation(timeout: 60, desiredAccuracy: nil, maximumAge: 0) { answers.append($0) }
        try await subject.daemon.kill()
        try await eventually("the end", states) { $0.contains(.disconnected(.disconnected)) }
        #expect(manager.isUpdating)
        try await subject.beginService()
        try await eventually("the return", states) { $0.last == .connected }
        try await subject.awaitReceiver()
        try await subject.send(latitude: 2)
        try await eventually("a new location", looped) { $0.count == 2 }
        try await eventually("an answer", answers) { !$0.isEmpty }
        #expect(locations.latitudes == [1, 2])
        #expect(looped.latitudes == [1, 2])
        #expect(answers.values.map { try? $0.get().coordinate.latitude } == [2])
        loop.cancel()
        await loop.value
        try await subject.endService()
    }

    @Test func aRequestForAuthorizationOutlivesItsManagerAndARestart() async throws {
        let subject = try await RealDaemonSubject(authorization: .notDetermined)
        let answers = ValueRecorder<Result<Bool, LocationError>>()
        do {
            let manager = LocationManager(LocationConfiguration(socketPath: subject.daemon.socket))
            manager.requestAuthorization(for: .always, startUpdating: true) { answers.append($0) }
            try await eventually("the question") { try await subject.isAsked() }
        }
        try await subject.daemon.kill()
        try await subject.beginService()
        try await eventually("the question again") { try await subject.isAsked() }
        #expect(answers.values.isEmpty)
        try await subject.authorize(.authorizedAlways)
        try await eventually("an answer", answers) { !$0.isEmpty }
        #expect(answers.values == [.success(true)])
        try await eventually("no connection is left") { try await subject.daemon.statistics().clients == 1 }
        try await subject.endService()
    }

    @Test func denialIsReportedAndLocationsResumeAfterAGrant() async throws {
        let subject = try await RealDaemonSubject(authorization: .authorizedAlways)
        let manager = subject.manager
        let locations = ValueRecorder<Location>()
        let errors = ValueRecorder<LocationError>()
        manager.addObserver(locations.observer())
        manager.addObserver(errors.observer())
        manager.startUpdating()
        try await subject.awaitReceiver()
        try await subject.authorize(.denied)
        try await eventually("the denial", errors) { !$0.isEmpty }
        guard case .unauthorized(.denied, _) = errors.values.first else { throw Failure("\(errors.values)") }
        #expect(manager.authorizationStatus == .denied)
        try await subject.send(latitude: 1)
        try await subject.authorize(.authorizedAlways)
        try await subject.awaitReceiver()
        try await subject.send(latitude: 2)
        try await eventually("a location", locations) { $0.last?.coordinate.latitude == 2 }
        #expect(errors.values.count == 1)
        manager.stopUpdating()
        try await subject.endService()
    }

    @Test func aSlowHandlerOnItsQueueDelaysNoOtherObserver() async throws {
        let subject = try await RealDaemonSubject(authorization: .authorizedAlways)
        let (received, slow) = (ValueRecorder<Location>(), ValueRecorder<Location>())
        let gate = FaultsGate()
        let place = FaultsPlace()
        subject.manager.addObserver(
            Observer<Location>(on: place.delivery) { location in
                gate.pass()
                slow.append(location)
            })
        subject.manager.addObserver(received.observer())
        subject.manager.startUpdating()
        try await subject.awaitReceiver()
        for number in 1...40 { try await subject.send(latitude: Double(number)) }
        try await eventually("every location", received) { $0.count == 40 }
        #expect(slow.values.isEmpty)
        gate.open()
        try await eventually("every location, late", slow) { $0.count == 40 }
        #expect(slow.latitudes == received.latitudes)
        subject.manager.stopUpdating()
        try await subject.endService()
    }

    /// With a thread of its own, so that no other test waits.
    @Test func aHandlerThatBlocksTheClientThreadHoldsUpNeitherDaemonNorCalls() async throws {
        let subject = try await RealDaemonSubject(authorization: .authorizedAlways)
        let received = ValueRecorder<Location>()
        let answers = ValueRecorder<Result<Location, LocationError>>()
        let gate = FaultsGate()
        let transport = DaemonTransport(path: subject.daemon.socket, thread: ClientThread(named: "faults-block"))
        let manager = LocationManager(LocationConfiguration(), transport: transport)
        manager.addObserver(
            Observer<Location> { location in
                gate.pass()
                received.append(location)
            })
        manager.startUpdating()
        try await subject.awaitReceiver()
        try await subject.send(latitude: 0)
        try await eventually("the handler") { gate.isReached }
        for number in 1...60 { try await subject.send(latitude: Double(number)) }
        #expect(manager.isUpdating)
        #expect(manager.authorizationStatus == .authorizedAlways)
        manager.requestLocation(timeout: 60, desiredAccuracy: nil, maximumAge: 0) { answers.append($0) }
        #expect(received.values.isEmpty)
        gate.open()
        try await eventually("the newest location", received) { $0.last?.coordinate.latitude == 60 }
        #expect(received.latitudes == received.latitudes.sorted())
        try await eventually("an answer to the request") {
            if answers.values.isEmpty { try await subject.send(latitude: 61) }
            return !answers.values.isEmpty
        }
        #expect(answers.values.count == 1)
        manager.stopUpdating()
        try await subject.endService()
    }

    @Test func aManagerMayGoWhileItsHandlerRuns() async throws {
        let subject = try await RealDaemonSubject(authorization: .authorizedAlways)
        let gate = FaultsGate()
        let received = ValueRecorder<Location>()
        let transport = DaemonTransport(path: subject.daemon.socket, thread: ClientThread(named: "faults-gone"))
        weak var released: LocationManager?
        weak var persisted: ValueRecorder<Int>?
        do {
            let manager = LocationManager(LocationConfiguration(), transport: transport)
            let captured = ValueRecorder<Int>()
            (released, persisted) = (manager, captured)
            manager.addObserver(
                Observer<Location> { location in
                    gate.pass()
                    received.append(location)
                    captured.append(1)
                })
            manager.startUpdating()
            try await subject.awaitReceiver()
            try await subject.send(latitude: 1)
            try await eventually("the handler") { gate.isReached }
            for number in 2...20 { try await subject.send(latitude: Double(number)) }
        }
        #expect(released == nil)
        gate.open()
        try await eventually("what the handler keeps is released") { persisted == nil }
        try await eventually("no connection is left") { try await subject.daemon.statistics().clients == 1 }
        #expect(received.latitudes == [1])
        try await subject.endService()
    }
}
