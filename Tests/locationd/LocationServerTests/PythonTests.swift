import Foundation
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

/// The server as Python's `varlink` sees it, a client that knows nothing of this project.
///
/// The interpreter is the one that `LOCATIOND_TEST_PYTHON` names, else `.build/python/bin/python3`; `make test` puts it
/// there. Without it, or without the package, these tests fail.
@Suite(.timeLimit(.minutes(10)))
struct PythonTests {

    private static var interpreter: String {
        let named = ProcessInfo.processInfo.environment["LOCATIOND_TEST_PYTHON"] ?? ".build/python/bin/python3"
        return URL(filePath: named, relativeTo: Repository.root).path
    }

    /// Runs a script that gets an open connection and the socket's address.
    private func start(_ script: String, on path: String) throws -> ChildProcess {
        guard FileManager.default.isExecutableFile(atPath: Self.interpreter) else {
            throw Failure(
                "no interpreter at \(Self.interpreter); `make test` makes one, or name one in LOCATIOND_TEST_PYTHON")
        }
        let head = """
            import json, sys
            try:
                import varlink
            except ImportError:
                sys.exit("the package varlink is missing; `pip install varlink==31.0.0` adds it")
            client = varlink.Client(address="unix:" + sys.argv[1])

            """
        return try ChildProcess(Self.interpreter, ["-c", head + script, path])
    }

    private func output(_ script: String, on path: String) async throws -> String {
        let outcome = try await start(script, on: path).outcome()
        guard outcome.code == 0 else { throw Failure("the script failed: \(outcome.output)") }
        return outcome.output
    }

    @Test func informationIsRead() async throws {
        try await TestServer.run { server in
            let script = """
                with client.open("org.varlink.service") as connection:
                    info = connection.GetInfo()
                    print(info["product"], info["version"], info["url"], " ".join(info["interfaces"]))
                """
            let publicly = try await output(script, on: server.locationPath)
            #expect(publicly == "locationd 1.2.3 man:locationd(8) org.varlink.service org.locationd.location\n")
            let privately = try await output(script, on: server.controlPath)
            #expect(
                privately
                    == "locationd 1.2.3 man:locationd(8) org.varlink.service org.locationd.location org.locationd.admin\n"
            )
        }
    }

    @Test(arguments: [LocationInterface.name, AdminInterface.name])
    func descriptionIsTheFileByteForByte(_ interface: String) async throws {
        try await TestServer.run { server in
            let script = """
                with client.open("org.varlink.service") as connection:
                    text = connection.GetInterfaceDescription("\(interface)")["description"]
                    sys.stdout.buffer.write(text.encode())
                """
            let folder = interface == AdminInterface.name ? "LocationInterface/Administration" : "LocationInterface"
            let file = try Data(
                contentsOf: Repository.root.appending(path: "LocationKit/Sources/\(folder)/\(interface).varlink"))
            #expect(try await output(script, on: server.controlPath) == String(decoding: file, as: UTF8.self))
        }
    }

    /// The parser of the package has read the description to offer the method at all.
    @Test func statusIsRead() async throws {
        try await TestServer.run { server in
            let script = """
                with client.open("org.locationd.location") as connection:
                    print(json.dumps(connection.GetStatus()["status"], sort_keys=True))
                """
            let text = try await output(script, on: server.locationPath)
            #expect(
                text == """
                    {"accuracy": "full", "authorization": "authorizedAlways", "authorizationPending": false, \
                    "enabled": true, "source": "stopped"}

                    """)
        }
    }

    @Test func locationIsRead() async throws {
        try await TestServer.run { server in
            var demands = server.demands.makeAsyncIterator()
            let script = """
                with client.open("org.locationd.location") as connection:
                    print(json.dumps(connection.GetLocation(timeout=3600)["location"], sort_keys=True))
                """
            let child = try start(script, on: server.locationPath)
            #expect(await demands.next() == true)
            try server.post(fix: 1)
            let outcome = try await child.outcome()
            #expect(outcome.code == 0, "\(outcome.output)")
            let location = try JSONDecoder().decode(Aged<Location>.self, from: Data(outcome.output.utf8))
            var expected = try Sample.fix(1)
            expected.sequence = 101
            #expect(location == Aged(expected, age: 0))
        }
    }

    @Test func errorsAreRaisedByName() async throws {
        try await TestServer.run { server in
            let script = """
                with client.open("org.locationd.location") as connection:
                    try:
                        connection.GetLocation(timeout=0)
                    except varlink.VarlinkError as error:
                        print(error.error(), json.dumps(error.parameters()))
                    try:
                        connection.Watch()
                    except varlink.VarlinkError as error:
                        print(error.error())
                """
            let text = try await output(script, on: server.locationPath)
            #expect(
                text == """
                    org.locationd.location.TimedOut {}
                    org.varlink.service.ExpectedMore

                    """)
        }
    }

    @Test func watchIsFollowed() async throws {
        try await TestServer.run { server in
            var demands = server.demands.makeAsyncIterator()
            let script = """
                with client.open("org.locationd.location") as connection:
                    for reply in connection.Watch(maximumUpdates=3, _more=True):
                        if reply.get("location"):
                            print(reply["location"]["sequence"], reply["location"]["longitude"])
                        else:
                            print(reply["status"]["source"])
                """
            let child = try start(script, on: server.locationPath)
            #expect(await demands.next() == true)
            for number in 1...4 { try server.post(fix: number) }
            let outcome = try await child.outcome()
            #expect(outcome.code == 0)
            #expect(outcome.output == "stopped\nstarting\ntracking\n101 13.0001\n102 13.0002\n103 13.0003\n")
            #expect(await demands.next() == false)
        }
    }

    @Test func administrationIsDriven() async throws {
        try await TestServer.run { server in
            let script = """
                with client.open("org.locationd.admin") as connection:
                    connection.Simulate(location={"latitude": 1.5, "longitude": 2.5})
                    connection.Stop()
                    print(connection.GetStatistics()["statistics"]["fixes"])
                    print(len(connection.ListClients()["clients"]))
                    try:
                        connection.Simulate(location={"latitude": 1.5, "longitude": 2.5})
                    except varlink.VarlinkError as error:
                        print(error.error())
                    connection.Start()
                """
            let text = try await output(script, on: server.controlPath)
            #expect(text == "1\n1\norg.locationd.admin.Disabled\n")
        }
    }
}
