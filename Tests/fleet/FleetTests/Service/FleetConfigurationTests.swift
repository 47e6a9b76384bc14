import Delivery
import Fleet
import Foundation
import Glibc
@_spi(Programs) import LocationModel
import ProgramTestSupport
import ServiceKit
import Testing

@testable import locationd_fleet

/// What a text says to the program.
func fleetConfiguration(of text: String) throws(ConfigurationError) -> FleetConfiguration {
    try FleetConfiguration(Document(text, origin: "fleet.toml"))
}

/// What the program makes of its file, and what is wrong with it.
@Suite struct FleetConfigurationTests {
    private func mistake(_ text: String) -> String? {
        do {
            _ = try fleetConfiguration(of: text)
            return nil
        } catch {
            return error.description
        }
    }

    @Test func emptyFileIsTheDefaultsAndOff() throws {
        let usual = try fleetConfiguration(of: "")
        #expect(usual == FleetConfiguration())
        #expect(!usual.broker.triesVersion5, "libmosquitto aborts at some packets of 5")
        #expect(throws: NotConfigured.broker) { _ = try usual.device() }
    }

    @Test func keysAreRead() throws {
        let configuration = try fleetConfiguration(
            of: """
                [service]
                daemon = "/run/control.sock"
                [broker]
                url = "mqtts://broker.example"
                user = "anna"
                device = "boat"
                tracker-id = "B1"
                client-id = "boat of anna"
                ca-file = "/ca"
                certificate-file = "/crt"
                key-file = "/key"
                keepalive = 30
                [messages]
                own-tracks = false
                plain = true
                home-assistant = true
                home-assistant-prefix = "ha"
                [reports]
                interval = 1
                distance = 5
                required-accuracy = 50
                heartbeat = "off"
                include-simulated = true
                hours = ["mon-fri 07:00-18:30", "22:00-06:00"]
                [outbox]
                path = "/outbox"
                size-limit = 2
                drain-rate = 100
                [metrics]
                textfile = "/fleet.prom"
                interval = 5
                [[regions]]
                name = "harbour"
                latitude = 54.3
                longitude = 10.1
                radius = 200
                """)
        let settings = try #require(try configuration.brokerSettings(for: configuration.device(), credentials: nil))
        #expect(
            settings.addresses.description == "mqtts://broker.example:8883" && settings.clientID == "boat of anna"
                && settings.keepalive == 30)
        #expect(settings.tls.authorities == "/ca" && settings.tls.certificate == "/crt" && settings.tls.key == "/key")
        #expect(settings.login == nil)
        #expect(try configuration.device().trackerID == "B1")
        #expect(!configuration.messages.forms.ownTracks && configuration.messages.forms.homeAssistantPrefix == "ha")
        #expect(configuration.reports.heartbeat == nil && configuration.reports.requiredAccuracy == 50)
        #expect(configuration.reports.hours.intervals.map(\.description) == ["mon-fri 07:00-18:30", "22:00-06:00"])
        #expect(configuration.outbox.sizeLimit == 2 && configuration.outbox.drainRate == 100)
        #expect(configuration.metrics.textfile == "/fleet.prom" && configuration.metrics.interval == 5)
        let region = try #require(configuration.regions.first)
        guard case .circle(let circle) = region.shape else { throw Failure("no circle") }
        #expect(region.identifier == "harbour" && circle.radius == 200 && circle.center.latitude == 54.3)
    }

    @Test(
        arguments: [
            (
                "[broker]\nurl = \"mqtt://anna:secret@broker\"",
                "fleet.toml:2: broker.url: is no address of a broker; use \(BrokerAddresses.accepted), in quotes, or \"\" for none"
            ),
            ("[broker]\npassword = \"x\"", "fleet.toml:2: broker.password: unknown key; known here are url, user"),
            (
                "[broker]\nuser = \"a/#\"",
                "fleet.toml:2: broker.user: \"a/#\" is no such name; use \(FleetDevice.accepted)"
            ),
            (
                "[broker]\nkey-file = \"/k\"",
                "fleet.toml:1: broker: has one of certificate-file and key-file; give both or none"
            ),
            (
                "[reports]\ninterval = -1",
                "fleet.toml:2: reports.interval: -1 is out of range; use a number from 0 to 86400"
            ),
            (
                "[reports]\nhours = \"mon\"",
                "fleet.toml:2: reports.hours: is text, not a list; use a list of texts like"
            ),
            (
                "[reports]\nhours = [7]",
                "fleet.toml:2: reports.hours: has an integer, not text; use a list of texts like"
            ),
            (
                "[reports]\nhours = [\"mon-fri 7-18\"]",
                "fleet.toml:2: reports.hours: \"mon-fri 7-18\" is no interval of hours; use a list of texts like \"mon-fri"
            ),
            (
                "regions = 7",
                "fleet.toml:1: regions: is an integer, not a list; begin each region with a line [[regions]]"
            ),
            ("regions = [7]", "fleet.toml:1: regions[0]: is an integer, not a table; begin each region with"),
            (
                "[[regions]]\nname = \"a\"",
                "fleet.toml:1: regions[0].latitude: is missing; give it a number from -90 to 90"
            ),
            (
                "[[regions]]\nname=\"a\"\nlatitude=1\nlongitude=1\nradius=9\n[[regions]]\nname=\"a\"\nlatitude=1\nlongitude=1\n"
                    + "radius=9",
                "fleet.toml:7: regions[1].name: \"a\" is the name of an earlier region; give each region a name of its own"
            ),
        ])
    func mistakesNameTheirLine(text: String, message: String) throws {
        let mistake = try #require(self.mistake(text))
        #expect(mistake.hasPrefix(message), "\(mistake)")
    }

    @Test(
        arguments: [
            (
                "url = \"https://a\"",
                "2: destinations[0].url: is no address of a destination; use owntracks+https://HOST"
            ),
            (
                "url = \"traccar+ftp://a\"",
                "2: destinations[0].url: is no address of a destination; begin with https:// or"
            ),
            (
                "url = \"traccar+https://a:b@c\"",
                "2: destinations[0].url: is no address of a destination; leave user and"
            ),
            (
                "url = \"owntracks+https://a/p?api_key=1\"",
                "2: destinations[0].url: is no address of a destination; leave out"
            ),
            (
                "url = \"owntracks+http://a\"",
                "2: destinations[0].url: sends everything in the clear to another machine; use owntracks+https://, or set"
            ),
            ("url = \"owntracks+http://127.0.0.1.example\"", "2: destinations[0].url: sends everything in the clear"),
            (
                "home = true\nurl = \"traccar+https://a\"",
                "2: destinations[0].home: is for home-assistant alone; remove it"
            ),
            (
                "remote-commands = true\nurl = \"traccar+https://a\"",
                "2: destinations[0].remote-commands: is for owntracks alone; remove it"
            ),
            (
                "url = \"traccar+https://a\"\ntoken-file = \"/a\"\npassword-file = \"/b\"",
                "4: destinations[0].password-file: stands beside token-file; give one of them"
            ),
            ("url = \"traccar+https://a\"\ntoken = \"x\"", "3: destinations[0].token: unknown key"),
            ("url = \"traccar+https://a\"\nuser = \"a:b\"", "3: destinations[0].user: \"a:b\" is something else"),
            ("url = \"traccar+https://a\"\ndevice = \"a\\nb\"", "3: destinations[0].device: \"a"),
        ])
    func mistakesInDestinationsNameTheirLine(text: String, message: String) throws {
        let mistake = try #require(self.mistake("[[destinations]]\n\(text)\nname = \"home\""))
        #expect(mistake.hasPrefix("fleet.toml:\(message)"), "\(mistake)")
    }

    @Test(arguments: ["", "broker", "Home", "a_b", String(repeating: "a", count: 33)])
    func nameOfADestinationIsShortAndPlain(name: String) throws {
        let table = "[[destinations]]\nurl = \"traccar+https://a\"\nname = "
        #expect(mistake("\(table)\"\(name)\"")?.hasPrefix("fleet.toml:3: destinations[0].name: ") == true)
        #expect(mistake("\(table)\"\(String(repeating: "a", count: 32))\"") == nil)
        #expect(
            mistake("\(table)\"a-1\"\n\(table)\"a-1\"")
                == "fleet.toml:6: destinations[1].name: \"a-1\" is the name of an earlier destination; give each destination a "
                + "name of its own")
    }

    @Test func destinationHasTheBrokersNamesWhereItHasNone() throws {
        let text = """
            [[destinations]]
            name = "home"
            url = "home-assistant+http://ha.example:8123/"
            insecure = true
            interval = 30
            home = true
            """
        let configuration = try fleetConfiguration(of: text)
        #expect(configuration.warnings.count == 1 && configuration.warnings[0].contains("home are sent in the clear"))
        #expect(configuration.forms.isForDestinations && !configuration.forms.ownTracks)
        #expect(try configuration.device().user == "locationd")
        var broker = FleetConfiguration.Broker()
        let settings = configuration.destinations[0]
        let first = try #require(settings.destination(of: broker, credentials: nil, version: "1"))
        #expect(first.user == "locationd" && first.device == DestinationSettings.hostName && first.movesHome)
        #expect(first.address.url == "http://ha.example:8123" && first.interval == 30)
        (broker.user, broker.device) = ("anna", "boat")
        let second = try #require(settings.destination(of: broker, credentials: nil, version: "1"))
        #expect(second.user == "anna" && second.device == "boat")
        for host in ["localhost:8123", "127.0.0.1", "[::1]:8123"] {
            let plain = try fleetConfiguration(
                of: "[[destinations]]\nname = \"a\"\nurl = \"traccar+http://\(host)\"")
            #expect(plain.warnings.isEmpty)
        }
    }

    @Test func secretComesFromAPrivateFileOrTheCredential() throws {
        let folder = try TemporaryFolder()
        var settings = DestinationSettings()
        settings.name = "home"
        #expect(try settings.secret(credentials: nil) == nil && settings.secret(credentials: folder.path) == nil)
        try folder.write(
            "# secrets\nother token T0\nhome password a b\nhome token T2\n", to: "locationd-fleet.secrets")
        #expect(try settings.secret(credentials: folder.path) == .password("a b"))
        settings.tokenFile = try folder.write("T1\n", to: "token")
        let error = #expect(throws: ConfigurationError.self) { try settings.secret(credentials: folder.path) }
        #expect(error?.description.hasSuffix("may be read by others than its owner; `chmod 600` it") == true)
        #expect(chmod(folder("token"), 0o600) == 0)
        #expect(try settings.secret(credentials: folder.path) == .token("T1"))
        for text in ["", "\n", "a\nb\n", "ä", String(repeating: "a", count: 4097)] {
            try folder.write(text, to: "token")
            #expect(chmod(folder("token"), 0o600) == 0)
            #expect(throws: ConfigurationError.self, "\(text)") { try settings.secret(credentials: nil) }
        }
        settings.tokenFile = folder("absent")
        #expect(throws: ConfigurationError.self) { try settings.secret(credentials: nil) }
        (settings.tokenFile, settings.passwordFile) = (nil, folder("token"))
        try folder.write(String(repeating: "a", count: 4096), to: "token")
        #expect(chmod(folder("token"), 0o600) == 0)
        #expect(try settings.secret(credentials: nil) == .password(String(repeating: "a", count: 4096)))
        for line in ["home token", "home key T", "home", "home token \u{7F}"] {
            try folder.write(line, to: "locationd-fleet.secrets")
            settings.passwordFile = nil
            let error = #expect(throws: ConfigurationError.self) { try settings.secret(credentials: folder.path) }
            #expect(error?.description.contains("\u{7F}") == false)
        }
    }

    @Test func loginComesFromAFileAlone() throws {
        let folder = try TemporaryFolder()
        var configuration = try fleetConfiguration(
            of: "[broker]\nurl = \"mqtt://b\"\nuser = \"anna\"\ndevice = \"boat\"")
        let device = try configuration.device()
        #expect(try configuration.brokerSettings(for: device, credentials: folder.path)?.login == nil)
        try folder.write("anna\nsecret\n", to: "locationd-fleet.login")
        #expect(
            try configuration.brokerSettings(for: device, credentials: folder.path)?.login
                == BrokerLogin("anna\nsecret")
        )
        configuration.broker.loginFile = try folder.write("otto\n", to: "login")
        #expect(try configuration.brokerSettings(for: device, credentials: folder.path)?.login == BrokerLogin("otto"))
        configuration.broker.loginFile = try folder.write("\n", to: "login")
        let error = #expect(throws: ConfigurationError.self) {
            _ = try configuration.brokerSettings(for: device, credentials: nil)
        }
        #expect(
            error?.description.hasSuffix("write the user name in the first line and the password in the second") == true
        )
    }
}
