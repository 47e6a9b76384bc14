import Delivery
import Fleet
import Foundation
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
        let settings = try configuration.brokerSettings(for: configuration.device(), credentials: nil)
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

    @Test func loginComesFromAFileAlone() throws {
        let folder = try TemporaryFolder()
        var configuration = try fleetConfiguration(
            of: "[broker]\nurl = \"mqtt://b\"\nuser = \"anna\"\ndevice = \"boat\"")
        let device = try configuration.device()
        #expect(try configuration.brokerSettings(for: device, credentials: folder.path).login == nil)
        try folder.write("anna\nsecret\n", to: "locationd-fleet.login")
        #expect(
            try configuration.brokerSettings(for: device, credentials: folder.path).login == BrokerLogin("anna\nsecret")
        )
        configuration.broker.loginFile = try folder.write("otto\n", to: "login")
        #expect(try configuration.brokerSettings(for: device, credentials: folder.path).login == BrokerLogin("otto"))
        configuration.broker.loginFile = try folder.write("\n", to: "login")
        let error = #expect(throws: ConfigurationError.self) {
            _ = try configuration.brokerSettings(for: device, credentials: nil)
        }
        #expect(
            error?.description.hasSuffix("write the user name in the first line and the password in the second") == true
        )
    }
}
