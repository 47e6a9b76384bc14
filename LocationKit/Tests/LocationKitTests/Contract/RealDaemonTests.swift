import ClientTestSupport
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import TestSupport
import Testing

/// The connections and calls that the managers of one process cause at the daemon.
@Suite(.enabled(if: Products.areBuilt, "no daemon is built: see README.md"), .timeLimit(.minutes(10)), .patient)
struct RealDaemonTests {
    @Test func managersShareOneWatch() async throws {
        let subject = try await RealDaemonSubject(authorization: .authorizedAlways)
        let daemon = subject.daemon
        let other = LocationManager(LocationConfiguration(socketPath: daemon.socket))
        let received = [ValueRecorder<Location>(), ValueRecorder()]
        let answers = ValueRecorder<Result<Location, LocationError>>()
        let loop = Task { [locations = other.locations] in for await _ in locations {} }
        for (manager, record) in zip([subject.manager, other], received) {
            manager.addObserver(record.observer())
            manager.startUpdating()
            manager.requestLocation(timeout: 60, desiredAccuracy: nil, maximumAge: 0) { answers.append($0) }
        }
        try await subject.awaitReceiver()
        #expect(try await daemon.statistics().watches == 1)
        try await subject.send(latitude: 1)
        for record in received { try await eventually("a location", record) { $0.count == 1 } }
        try await eventually("two answers", answers) { $0.count == 2 }
        #expect(try await daemon.statistics().watches == 1)
        loop.cancel()
        for manager in [subject.manager, other] { manager.removeObservers() }
        // The connection that is left is the one that reads the statistics.
        try await eventually("no connection is left") { try await daemon.statistics().clients == 1 }
        try await subject.endService()
    }

    @Test func purposeIsShown() async throws {
        let subject = try await RealDaemonSubject(authorization: .authorizedAlways)
        let daemon = subject.daemon
        let manager = LocationManager(LocationConfiguration(socketPath: daemon.socket, purpose: "weather"))
        manager.startUpdating()
        try await subject.awaitReceiver()
        let clients = try await daemon.call(AdminInterface.Method.listClients, as: ClientList.self).clients
        #expect(clients.filter { $0.request == "Watch" }.map(\.purpose) == ["weather"])
        manager.stopUpdating()
        try await subject.endService()
    }

    @Test func releasedManagersLeaveNoConnection() async throws {
        let subject = try await RealDaemonSubject(authorization: .authorizedAlways)
        let daemon = subject.daemon
        for _ in 1...20 {
            let manager = LocationManager(LocationConfiguration(socketPath: daemon.socket))
            manager.addObserver(Observer<Location> { _ in })
            manager.startUpdating()
            #expect(manager.authorizationStatus == .authorizedAlways)
        }
        try await eventually("no connection is left") { try await daemon.statistics().clients == 1 }
        try await subject.endService()
    }
}
