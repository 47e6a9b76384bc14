import Foundation
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Places
import ProgramTestSupport
import Testing
import Varlink

@testable import locationd_places

/// What is asked reaches the provider, and its answer the caller.
@Suite(.timeLimit(.minutes(10)))
struct ServiceCallTests {
    @Test func positionIsAnswered() async throws {
        let places = ScriptedPlaces { _ in .success([.berlin]) }
        try await ServiceBench.run {
            $0.offline = places
        } _: { bench in
            let client = try bench.connect()
            client.send(
                ServiceClient.request("ReverseGeocode", "{\"latitude\":52.25,\"longitude\":-13,\"locale\":\"pt-BR\"}"))
            let message = try await client.next()
            #expect(
                message == """
                    {"parameters":{"placemarks":[{"countryCode":"DE","latitude":52.5,"locality":"Berlin",\
                    "longitude":13.5,"timeZone":"Europe/Berlin"}]}}
                    """)
            #expect(
                places.asked == [.init(position: Coordinate(latitude: 52.25, longitude: -13), locale: "pt-BR")])
        }
    }

    @Test func textIsAnswered() async throws {
        let places = ScriptedPlaces { _ in .success([.berlin, .berlin]) }
        try await ServiceBench.run {
            $0.offline = places
        } _: { bench in
            let client = try bench.connect()
            let reply = try await client.call("Geocode", "{\"text\":\"Berlin, DE\",\"limit\":2,\"locale\":null}")
            #expect(try reply.parameters(as: PlacemarksReply.self).placemarks == [.berlin, .berlin])
            _ = try await client.call("Geocode", "{\"text\":\"B\"}")
            #expect(places.asked == [.init(text: "Berlin, DE", limit: 2), .init(text: "B", limit: 10)])
        }
    }

    @Test(
        arguments: [
            (PlacesError.noResult, "NoResult", "{}"), (.cancelled, "Cancelled", "{}"),
            (.busy(limit: 3), "Busy", "{\"limit\":3}"),
            (.network("the wire is cut"), "Network", "{\"reason\":\"the wire is cut\"}"),
            (
                .partialResult([.berlin]), "PartialResult",
                "{\"placemarks\":[{\"countryCode\":\"DE\",\"latitude\":52.5,\"locality\":\"Berlin\",\"longitude\":13.5,"
                    + "\"timeZone\":\"Europe/Berlin\"}]}"
            ),
        ])
    func errorsHaveTheirNames(error: PlacesError, name: String, parameters: String) async throws {
        try await ServiceBench.run {
            $0.offline = ScriptedPlaces { _ in .failure(error) }
        } _: { bench in
            let client = try bench.connect()
            client.send(ServiceClient.reverse)
            let wanted = "{\"error\":\"org.locationd.places.\(name)\",\"parameters\":\(parameters)}"
            #expect(try await client.next() == wanted)
        }
    }

    private static let wrong: [(String, String, String)] = [
        ("ReverseGeocode", "{\"latitude\":90.1,\"longitude\":0}", "latitude"),
        ("ReverseGeocode", "{\"latitude\":0,\"longitude\":-180.1}", "longitude"),
        ("ReverseGeocode", "{\"latitude\":0}", "longitude"),
        ("ReverseGeocode", "{\"latitude\":\"0\",\"longitude\":0}", "latitude"),
        ("ReverseGeocode", "{\"latitude\":1e999,\"longitude\":0}", "latitude"),
        ("ReverseGeocode", "{\"latitude\":0,\"longitude\":0,\"locale\":\"\"}", "locale"),
        ("ReverseGeocode", "{\"latitude\":0,\"longitude\":0,\"locale\":\"de_DE.UTF-8\"}", "locale"),
        ("ReverseGeocode", "{\"latitude\":0,\"longitude\":0,\"locale\":\"1de\"}", "locale"),
        ("ReverseGeocode", "{\"latitude\":0,\"longitude\":0,\"locale\":\"de-\"}", "locale"),
        ("ReverseGeocode", "{\"latitude\":0,\"longitude\":0,\"locale\":\"de-\u{e4}\"}", "locale"),
        (
            "ReverseGeocode",
            "{\"latitude\":0,\"longitude\":0,\"locale\":\"de\(String(repeating: "-abcdefg", count: 8))\"}", "locale"
        ),
        ("ReverseGeocode", "{\"latitude\":0,\"longitude\":0,\"timeout\":0.9}", "timeout"),
        ("ReverseGeocode", "{\"latitude\":0,\"longitude\":0,\"timeout\":301}", "timeout"),
        ("Geocode", "{}", "text"),
        ("Geocode", "{\"text\":\"\"}", "text"),
        ("Geocode", "{\"text\":\" \\t\"}", "text"),
        ("Geocode", "{\"text\":\"a\\u0000b\"}", "text"),
        ("Geocode", "{\"text\":\"\(String(repeating: "\u{e4}", count: 257))\"}", "text"),
        ("Geocode", "{\"text\":\"a\",\"limit\":0}", "limit"),
        ("Geocode", "{\"text\":\"a\",\"limit\":101}", "limit"),
        ("Geocode", "{\"text\":\"a\",\"limit\":1.5}", "limit"),
        ("Geocode", "{\"text\":\"a\",\"locale\":7}", "locale"),
        ("Geocode", "{\"text\":\"a\",\"timeout\":-1}", "timeout"),
    ]

    /// Whoever asks wrongly is told which field it is, may go on, and has asked nobody.
    @Test func wrongParametersAreNamed() async throws {
        let places = ScriptedPlaces { _ in .success([.berlin]) }
        try await ServiceBench.run {
            $0.offline = places
        } _: { bench in
            let client = try bench.connect()
            for (method, parameters, name) in Self.wrong {
                let reply = try await client.call(method, parameters)
                #expect(reply.error == "org.varlink.service.InvalidParameter", "\(parameters)")
                let explained = try reply.parameters(as: Explained.self)
                #expect(explained.parameter == name, "\(parameters)")
                #expect(explained.reason?.isEmpty == false, "\(parameters)")
            }
            #expect(places.asked.isEmpty)
            let widest = "{\"latitude\":-90,\"longitude\":180,\"timeout\":300,\"locale\":\"zh-Hant-TW\",\"more\":1}"
            #expect(try await client.call("ReverseGeocode", widest).error == nil)
            let longest = "{\"text\":\"\(String(repeating: "\u{e4}", count: 256))\",\"limit\":100,\"timeout\":1}"
            #expect(try await client.call("Geocode", longest).error == nil)
        }
    }

    @Test func answersComeInTheOrderOfTheCalls() async throws {
        let places = ScriptedPlaces { asked in
            // The later, the sooner.
            try? await Task.sleep(for: .milliseconds(20 - (asked.limit ?? 0)))
            return .success([Placemark](repeating: .berlin, count: asked.limit ?? 0))
        }
        try await ServiceBench.run {
            $0.offline = places
        } _: { bench in
            let client = try bench.connect()
            client.send((1...20).map { ServiceClient.request("Geocode", "{\"text\":\"a\",\"limit\":\($0)}") }.joined())
            client.endWriting()
            let counts = try await client.rest().map {
                try Reply(Array($0.utf8)).parameters(as: PlacemarksReply.self).placemarks.count
            }
            #expect(counts == Array(1...20))
        }
    }

    /// `more` gets the one reply there is; `oneway` gets none, and asks nobody.
    @Test func flagsAreHeeded() async throws {
        let places = ScriptedPlaces { _ in .success([.berlin]) }
        try await ServiceBench.run {
            $0.offline = places
        } _: { bench in
            let client = try bench.connect()
            let reply = try await client.call("Geocode", "{\"text\":\"a\"}", ",\"more\":true")
            #expect(!reply.continues && reply.error == nil)
            client.send(ServiceClient.request("Geocode", "{\"text\":\"b\"}", ",\"oneway\":true"))
            client.send(ServiceClient.request("Geocode", "{\"limit\":1}", ",\"oneway\":true"))
            #expect(try await client.call("Geocode", "{\"text\":\"c\"}").error == nil)
            #expect(places.asked.map(\.text) == ["a", "c"])
        }
    }

    @Test func whatDoesNotExistIsSaid() async throws {
        try await ServiceBench.run { bench in
            let client = try bench.connect()
            let method = try await client.call("Locate", "{}")
            #expect(method.error == "org.varlink.service.MethodNotFound")
            #expect(try method.parameters(as: Explained.self).method == "org.locationd.places.Locate")
            client.send("{\"method\":\"org.locationd.location.GetLocation\"}\0")
            let interface = try await client.reply()
            #expect(interface.error == "org.varlink.service.InterfaceNotFound")
            #expect(try interface.parameters(as: Explained.self).interface == "org.locationd.location")
        }
    }

    @Test func serviceDescribesItself() async throws {
        try await ServiceBench.run { bench in
            let client = try bench.connect()
            client.send("{\"method\":\"org.varlink.service.GetInfo\"}\0")
            let info = try await client.reply().parameters(as: ServiceDescription.Info.self)
            #expect(info.product == "locationd-places" && info.version == Release.version)
            #expect(info.interfaces == ["org.varlink.service", "org.locationd.places"])
            client.send(
                "{\"method\":\"org.varlink.service.GetInterfaceDescription\","
                    + "\"parameters\":{\"interface\":\"org.locationd.places\"}}\0")
            let text = try await client.reply().parameters(as: ServiceDescription.Description.self).description
            let file = Repository.root.appending(
                path: "LocationKit/Sources/LocationInterface/org.locationd.places.varlink")
            #expect(try text == String(contentsOf: file, encoding: .utf8))
        }
    }
}
