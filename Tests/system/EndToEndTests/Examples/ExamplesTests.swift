import ClientTestSupport
import ProgramTestSupport
import Testing

@Suite struct ExamplesTests {
    @Test(arguments: [
        ("ExampleObservers", 3), ("ExampleAsyncSequence", 3), ("ExampleCombinePipeline", 3),
        ("ExampleSharedManager", 4), ("ExampleOneShot", 1), ("ExampleCoreLocationDelegate", 3),
    ])
    func anExampleTellsWhereTheMachineIs(program: String, locations: Int) async throws {
        let daemon = try await ExampleDrive.daemon()
        let outcome = try await Example.run(program, at: daemon.socket)
        #expect(outcome.code == 0, "\(outcome.output)")
        // A further location may come before a program has ended.
        #expect((locations...locations + 2).contains(outcome.positions.count), "\(outcome.output)")
        for position in outcome.positions {
            #expect(abs(position.latitude - ExampleDrive.start.latitude) < 0.1)
            #expect(abs(position.longitude - ExampleDrive.start.longitude) < 0.1)
        }
        try await daemon.end()
    }

    @Test func whoLeavesASharedManagerIsNotToldAndTheLastEndsIt() async throws {
        let daemon = try await ExampleDrive.daemon()
        let outcome = try await Example.run("ExampleSharedManager", at: daemon.socket)
        #expect(outcome.lines.first?.hasPrefix("speedometer: ") == true, "\(outcome.output)")
        #expect(outcome.lines.suffix(2).first?.hasPrefix("map: ") == true, "\(outcome.output)")
        #expect(outcome.lines.last == "updating: false")
        try await daemon.end()
    }

    @Test func aGeofenceIsLeft() async throws {
        let daemon = try await ExampleDrive.daemon()
        let start = ExampleDrive.start
        let outcome = try await Example.run(
            "ExampleGeofence", ["\(start.latitude)", "\(start.longitude)", "40"], at: daemon.socket)
        #expect(outcome.code == 0)
        #expect(outcome.lines.contains("place is inside"), "\(outcome.output)")
        #expect(outcome.lines.last == "place exited", "\(outcome.output)")
        try await daemon.end()
    }

    /// Source of iOS 17 and 18, of which only the import is changed.
    @Test func aProgramOfSessionsWalks() async throws {
        let daemon = try await ExampleDrive.daemon()
        let outcome = try await Example.run("ExampleCoreLocationSessions", at: daemon.socket)
        #expect(outcome.code == 0, "\(outcome.output)")
        #expect(outcome.lines.count { $0.hasPrefix("walked ") } == 3, "\(outcome.output)")
        #expect(!outcome.lines.contains("not allowed"), "\(outcome.output)")
        try await daemon.end()
    }

    @Test func aCommandWithoutServiceSaysWhatToDo() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Example.run("ExampleOneShot", at: folder("nobody.sock"))
        #expect(outcome.code == 1)
        #expect(outcome.output.contains("LOCATIOND_SOCKET"), "\(outcome.output)")
    }

    @Test func anExampleWaitsForTheService() async throws {
        let folder = try TemporaryFolder()
        let program = try ChildProcess(
            "env",
            ["LOCATIOND_SOCKET=\(DaemonProcess.socket(in: folder))", Products.path(of: "ExampleAsyncSequence")])
        let daemon = try await ExampleDrive.daemon(in: folder)
        let outcome = try await program.outcome()
        #expect(outcome.code == 0, "\(outcome.output)")
        #expect(outcome.positions.count == 3, "\(outcome.output)")
        try await daemon.end()
    }
}
