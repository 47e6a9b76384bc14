import ClientTestSupport
import Foundation
import ProgramTestSupport
import Testing

/// What a place is called, where a name is, and why that is not known.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct PlaceCommandTests {
    private static let zürich =
        #"{"latitude":47.36667,"longitude":8.55,"name":"Zürich","locality":"Zürich","administrativeArea":"Zürich","#
        + #""country":"Switzerland","countryCode":"CH","timeZone":"Europe/Zurich","distance":1234.5,"#
        + #""attribution":"GeoNames (CC BY 4.0)"}"#
    private static let placemarks = #"{"placemarks":[\#(zürich)]}"#

    /// Runs the command before a service that answers every call so, and knows one position.
    private func place(
        _ arguments: String..., reply: String = "{\"parameters\":\(placemarks)}"
    ) throws -> (answer: DaemonProcess.Answer, calls: [String]) {
        let service = try ScriptedService([
            "ReverseGeocode": [reply], "Geocode": [reply], "GetLocation": [ScriptedReply.location()],
        ])
        let answer = try service.run(["place", "--places-socket", service.socket] + arguments)
        return (answer, service.calls)
    }

    @Test func positionHasAName() throws {
        let (answer, calls) = try place("47.37", "8.54", "--locale", "en")
        #expect(answer.code == 0, "\(answer)")
        #expect(
            answer.output == """
                Zürich, Zürich, Switzerland
                  distance    1.2 km
                  time zone   Europe/Zurich
                  source      GeoNames (CC BY 4.0)

                """)
        #expect(
            calls == [
                #"{"method":"org.locationd.places.ReverseGeocode","parameters":{"latitude":47.37,"locale":"en","#
                    + #""longitude":8.54,"timeout":30}}"#
            ])
    }

    @Test func withoutArgumentsTheMachineIsMeant() throws {
        let (answer, calls) = try place()
        #expect(answer.code == 0 && answer.output.hasPrefix("Zürich, Zürich, Switzerland\n"), "\(answer)")
        #expect(calls.count == 2 && calls[0].contains("GetLocation") && calls[0].contains(#""maximumAge":300"#))
        #expect(calls[1].contains(#""latitude":52.5"#))
    }

    @Test func whoMayNotKnowHasNoPlace() throws {
        let service = try ScriptedService(["GetLocation": [ScriptedReply.notAuthorized("denied")]])
        let answer = try service.run(["place", "--places-socket", service.socket])
        #expect(answer.code == 4 && answer.errors.contains(ScriptedReply.unheard), "\(answer)")
        #expect(service.calls.count == 1)
    }

    @Test func jSONIsThatOfTheInterface() throws {
        let (answer, _) = try place("47.37", "8.54", "--json")
        let places = try #require(try answer.object["placemarks"] as? [[String: Any]])
        #expect(answer.code == 0 && places.count == 1)
        #expect(places[0]["locality"] as? String == "Zürich" && places[0]["distance"] as? Double == 1234.5)
    }

    @Test(arguments: [
        ("NoResult", "{}", 5, "no place is known there"),
        ("Network", #"{"reason":"the server is down"}"#, 1, "the server is down"),
        ("Busy", #"{"limit":16}"#, 1, "the limit is 16"), ("Cancelled", "{}", 1, "cancelled"),
        ("PartialResult", placemarks, 1, "only a part"),
    ])
    func failuresAreToldWithTheirCode(_ name: String, _ parameters: String, _ code: Int32, _ words: String) throws {
        let (answer, _) = try place(
            "47.37", "8.54", reply: ScriptedReply.error("org.locationd.places.\(name)", parameters))
        #expect(answer.code == code && answer.errors.contains(words), "\(answer)")
        #expect(answer.output.isEmpty == (name != "PartialResult"), "what is known is told")
    }

    @Test func withoutAServiceTheNextStepIsTold() throws {
        let folder = try TemporaryFolder()
        let child = try LoggedProcess(
            Products.command, ["place", "1", "2"], environment: ["LOCATIOND_PLACES_SOCKET": folder("p.sock")])
        #expect(try child.wait() == 3)
        #expect(child.errors.contains("locationd-places cannot be reached at \(folder("p.sock"))"))
        #expect(child.errors.contains("install it (`apt install locationd-places`)"))
    }

    @Test(arguments: [["--find", ""], ["1", "2", "--locale", ""]])
    func wrongUsageIsTwo(_ arguments: [String]) throws {
        let folder = try TemporaryFolder()
        let child = try LoggedProcess(
            Products.command, ["place"] + arguments, environment: ["LOCATIOND_PLACES_SOCKET": folder("p.sock")])
        #expect(try child.wait() == 2, "\(child.output) \(child.errors)")
        #expect(!child.errors.isEmpty)
    }
}
