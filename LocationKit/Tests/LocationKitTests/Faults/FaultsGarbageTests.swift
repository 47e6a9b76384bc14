import ClientTestSupport
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import TestSupport
import Testing

/// Whatever answers at the daemon's socket, a manager reports it and finds the right daemon later.
@Suite(.enabled(if: Products.areBuilt, "no daemon is built: see README.md"), .timeLimit(.minutes(10)))
struct FaultsGarbageTests {
    private static let status =
        #"{"accuracy":"full","authorization":"authorizedAlways","authorizationPending":false,"enabled":true,"#
        + #""source":"tracking"}"#

    private static let invalidReplies: [[UInt8]] = [
        [],
        [0],
        Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8),
        message("[]"),
        message("{"),
        message(#"{"continues":"yes","parameters":[]}"#),
        message(#"{"error":"org.locationd.location.NotAuthorized","parameters":{"authorization":7}}"#),
        message(#"{"continues":true,"parameters":{"status":{"enabled":1e999}}}"#),
        message(#"{"continues":true,"parameters":{"location":{"latitude":1e308,"longitude":0,"age":0}}}"#),
        message(String(repeating: "[", count: 100_000)),
        [UInt8](repeating: 0xff, count: 100_000) + [0],
        [UInt8](repeating: 0x20, count: 5 << 20),
        Array(repeatElement(message("{}"), count: 1000).joined()),
        message(#"{"continues":true,"parameters":{"status":\#(status),"dropped":-9223372036854775808}}"#)
            + message(#"{"continues":true,"parameters":{"dropped":9223372036854775807}}"#) + message("null"),
    ]

    private static func message(_ text: String) -> [UInt8] { Array(text.utf8) + [0] }

    @Test func garbageIsReportedAndTheConnectionRestored() async throws {
        let subject = try await RealDaemonSubject(authorization: .authorizedAlways)
        let folder = try TemporaryFolder()
        var clients: [ConnectedManager] = []
        for (number, bytes) in Self.invalidReplies.enumerated() {
            clients.append(try ConnectedManager(FaultyServer(at: folder("\(number)"), sending: bytes)))
        }
        for (number, client) in clients.enumerated() {
            try await eventually("an error of \(number)", client.errors) { !$0.isEmpty }
            try await eventually("a call of \(number)") { client.server.callerCount > 0 }
            #expect(client.locations.values.isEmpty)
            try client.server.replace(by: subject.daemon.socket)
        }
        try await subject.awaitReceiver()
        try await eventually("locations for all") {
            try await subject.send(latitude: 1)
            return clients.allSatisfy { !$0.locations.values.isEmpty }
        }
        for (number, client) in clients.enumerated() {
            #expect(client.states.values.last == .connected)
            try await eventually("an answer of \(number)", client.answers) { !$0.isEmpty }
            #expect(client.answers.values.count == 1)
        }
        clients = []
        try await eventually("no connection is left") { try await subject.isReceiverWanted() == false }
        try await subject.endService()
    }

    @Test func aLocationOfTheFutureMakesNoneOld() async throws {
        let subject = try await RealDaemonSubject(authorization: .authorizedAlways)
        let folder = try TemporaryFolder()
        let place = #""latitude":52,"longitude":13,"mode":"twoDimensional","age":0,"sequence":0"#
        let source = #"{"name":"gpsd","method":"gnss","isSimulated":false,"isReplayed":false}"#
        let location = "{\(place),\"monotonicTime\":9e9,\"source\":\(source)}"
        let bytes = Self.message(#"{"continues":true,"parameters":{"status":\#(Self.status),"location":\#(location)}}"#)
        let client = try ConnectedManager(FaultyServer(at: folder("future"), sending: bytes))
        try await eventually("the location", client.locations) { !$0.isEmpty }
        #expect(client.manager.location.map { $0.age >= 0 } == true)
        try client.server.replace(by: subject.daemon.socket)
        try await subject.awaitReceiver()
        try await subject.send(latitude: 1)
        try await eventually("the daemon's location", client.locations) { $0.last?.coordinate.latitude == 1 }
        client.manager.stopUpdating()
        try await subject.endService()
    }

    /// A manager that is connected to a faulty server.
    private struct ConnectedManager {
        let server: FaultyServer
        let manager: LocationManager
        let locations = ValueRecorder<Location>()
        let errors = ValueRecorder<LocationError>()
        let states = ValueRecorder<ConnectionState>()
        let answers = ValueRecorder<Result<Location, LocationError>>()

        init(_ server: FaultyServer) {
            self.server = server
            manager = LocationManager(LocationConfiguration(socketPath: server.path))
            manager.addObserver(locations.observer())
            manager.addObserver(errors.observer())
            manager.addObserver(states.observer())
            manager.startUpdating()
            manager.requestLocation(timeout: 60, desiredAccuracy: nil, maximumAge: 60) { [answers] result in
                answers.append(result)
            }
        }
    }
}
