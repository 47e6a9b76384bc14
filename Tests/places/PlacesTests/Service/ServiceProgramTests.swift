import Foundation
@_spi(Programs) import LocationInterface
import ProgramTestSupport
import Testing
import Varlink

/// The built program, started by systemd's own activation, as clients see it that know nothing of this project.
///
/// Python's `varlink` is that of the interpreter which `LOCATIOND_TEST_PYTHON` names, else of
/// `.build/python/bin/python3`; `make test` puts it there. Without it these tests fail.
@Suite(.timeLimit(.minutes(10)))
struct ServiceProgramTests {

    private let folder: TemporaryFolder
    private let receiver: NotificationReceiver

    init() throws {
        folder = try TemporaryFolder()
        receiver = try NotificationReceiver(folder("notify"))
    }

    private var path: String { folder("places.sock") }

    /// Returns with the first client, which starts the program.
    private func activated(_ configuration: String) async throws -> (ChildProcess, ServiceClient) {
        let file = folder("places.toml")
        try "[service]\ndatabase = \"\(folder("absent.sqlite"))\"\n\(configuration)".write(
            toFile: file, atomically: true, encoding: .utf8)
        let child = try ChildProcess(
            "systemd-socket-activate",
            SocketActivation.passingSanitizers + [
                "-E", "NOTIFY_SOCKET=\(receiver.address)", "-l", path, "--fdname=places", Products.places, "--config",
                file,
            ])
        var client: ServiceClient?
        do {
            try await eventually("it can be connected to") {
                client = try? ServiceClient(path)
                return client != nil
            }
        } catch {
            try? await child.end()
            throw Failure("\(error): \(try await child.outcome().output)")
        }
        return (child, try #require(client))
    }

    private func output(_ script: String) async throws -> String {
        let named = ProcessInfo.processInfo.environment["LOCATIOND_TEST_PYTHON"] ?? ".build/python/bin/python3"
        let head = "import json, sys, varlink\nclient = varlink.Client(address='unix:' + sys.argv[1])\n"
        let outcome = try await ChildProcess(
            URL(filePath: named, relativeTo: Repository.root).path, ["-c", head + script, path]
        ).outcome()
        guard outcome.code == 0 else { throw Failure("the script failed: \(outcome.output)") }
        return outcome.output
    }

    @Test func activatedByTheFirstClientItEndsAfterTheLast() async throws {
        let (child, client) = try await activated("idle-exit = 1")
        // Without a database it says what is missing.
        let reply = try await client.call("ReverseGeocode", "{\"latitude\":1,\"longitude\":2}")
        #expect(reply.error == PlacesInterface.Failure.network)
        #expect(try reply.parameters(as: Explained.self).reason?.contains(folder("absent.sqlite")) == true)
        try await eventually("it is ready") { receiver.messages == ["READY=1"] }
        client.end()
        let outcome = try await child.outcome()
        #expect(outcome.code == 0, "\(outcome.output)")
        #expect(receiver.messages == ["READY=1", "STOPPING=1"])
        // Nothing of what was asked is in the log.
        #expect(!outcome.output.contains("latitude") && outcome.output.contains("listening"), "\(outcome.output)")
    }

    @Test func otherImplementationsUseItUnchanged() async throws {
        let (child, client) = try await activated("idle-exit = \"off\"")
        client.end()
        let info = try await output(
            """
            with client.open("org.varlink.service") as connection:
                info = connection.GetInfo()
                print(info["product"], info["version"], " ".join(info["interfaces"]))
                with open(sys.argv[1] + ".varlink", "w") as file:
                    file.write(connection.GetInterfaceDescription("org.locationd.places")["description"])
            """)
        #expect(info == "locationd-places \(Release.version) org.varlink.service org.locationd.places\n")
        // The parser of the package has read the description to offer the methods at all.
        let errors = try await output(
            """
            with client.open("org.locationd.places") as connection:
                for call in (lambda: connection.ReverseGeocode(latitude=91, longitude=0),
                             lambda: connection.Geocode(text="Berlin", limit=1)):
                    try:
                        call()
                    except varlink.VarlinkError as error:
                        print(error.error(), error.parameters().get("parameter"))
            """)
        #expect(
            errors == "org.varlink.service.InvalidParameter latitude\norg.locationd.places.Network None\n")
        let generated = try await ChildProcess("varlink-go-interface-generator", [path + ".varlink"]).outcome()
        #expect(generated.code == 0, "\(generated.output)")
        // SIGTERM, as systemctl stop sends it.
        try await child.end()
        #expect(try await child.outcome().code == 0)
    }

    @Test func whatIsWrongIsSaidAtOnce() async throws {
        try "[online]\nprovider = \"photon\"\nurl = \"http://a?b\"\ncontact = \"admin@example.org\"\n".write(
            toFile: folder("wrong.toml"), atomically: true, encoding: .utf8)
        for (arguments, code, words) in [
            (["--config", folder("wrong.toml"), "--check-config"], Int32(2), "wrong.toml:3: online.url: "),
            (["--config", folder("absent.toml")], 2, "does not exist"),
            (["--sokket"], 2, "Did you mean '--socket'? See locationd-places --help"),
            ([], 1, "start locationd-places.socket instead"),
            (["--socket", "/nonexistent/places.sock"], 1, "/nonexistent/places.sock"),
            (["--version"], 0, "locationd-places \(Release.version)\n"),
        ] {
            let outcome = try await ChildProcess(Products.places, arguments).outcome()
            #expect(outcome.code == code, "\(arguments) \(outcome.output)")
            #expect(outcome.output.contains(words), "\(arguments) \(outcome.output)")
        }
    }
}
