import LocationKit
import LocationModel
import TestSupport
import Testing

/// Whatever speaks where the daemon should, a manager tells it and finds the true one later.
@Suite(.timeLimit(.minutes(2))) struct FaultsGarbageTests {
    private static let status =
        #"{"accuracy":"full","authorization":"authorizedAlways","authorizationPending":false,"enabled":true,"#
        + #""source":"tracking"}"#

    private static let babble: [[UInt8]] = [
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
        var parties: [Party] = []
        for (number, words) in Self.babble.enumerated() {
            parties.append(try Party(FaultsBabbler(at: folder("\(number)"), saying: words)))
        }
        for (number, party) in parties.enumerated() {
            try await subject.eventually("an error of \(number)", party.errors) { !$0.isEmpty }
            try await subject.eventually("a call of \(number)") { party.babbler.callerCount > 0 }
            #expect(party.locations.values.isEmpty)
            try party.babbler.giveWay(to: subject.daemon.socket)
        }
        try await subject.awaitReceiver()
        try await subject.eventually("locations for all") {
            try await subject.send(latitude: 1)
            return parties.allSatisfy { !$0.locations.values.isEmpty }
        }
        for (number, party) in parties.enumerated() {
            #expect(party.states.values.last == .connected)
            try await subject.eventually("an answer of \(number)", party.answers) { !$0.isEmpty }
            #expect(party.answers.values.count == 1)
        }
        parties = []
        try await subject.eventually("no connection is left") { try await subject.isReceiverWanted() == false }
        try await subject.endService()
    }

    @Test func aLocationOfTheFutureMakesNoneOld() async throws {
        let subject = try await RealDaemonSubject(authorization: .authorizedAlways)
        let folder = try TemporaryFolder()
        let place = #""latitude":52,"longitude":13,"mode":"twoDimensional","age":0,"sequence":1"#
        let source = #"{"name":"gpsd","isSimulated":false,"isReplayed":false}"#
        let location = "{\(place),\"monotonicTime\":9e9,\"source\":\(source)}"
        let words = Self.message(#"{"continues":true,"parameters":{"status":\#(Self.status),"location":\#(location)}}"#)
        let party = try Party(FaultsBabbler(at: folder("future"), saying: words))
        try await subject.eventually("the location", party.locations) { !$0.isEmpty }
        #expect(party.manager.location.map { $0.age >= 0 } == true)
        try party.babbler.giveWay(to: subject.daemon.socket)
        try await subject.awaitReceiver()
        try await subject.send(latitude: 1)
        try await subject.eventually("the daemon's location", party.locations) { $0.last?.coordinate.latitude == 1 }
        party.manager.stopUpdating()
        try await subject.endService()
    }

    /// A manager that hears a babbler.
    private struct Party {
        let babbler: FaultsBabbler
        let manager: LocationManager
        let locations = ContractRecord<Location>()
        let errors = ContractRecord<LocationError>()
        let states = ContractRecord<ConnectionState>()
        let answers = ContractRecord<Result<Location, LocationError>>()

        init(_ babbler: FaultsBabbler) {
            self.babbler = babbler
            manager = LocationManager(LocationConfiguration(socketPath: babbler.path))
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
