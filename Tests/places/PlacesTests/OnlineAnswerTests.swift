@_spi(Programs) import LocationModel
import Places
import ProgramTestSupport
import Testing

/// What the services say becomes placemarks.
@Suite(.timeLimit(.minutes(10)))
struct OnlineAnswerTests {
    private func placemarks(
        of provider: OnlineSettings.Provider = .nominatim, _ body: String, type: String = "application/json"
    ) async throws -> [Placemark]? {
        let bench = try OnlineBench(provider)
        bench.stub.always { $0.answer(body, type: type) }
        return await bench.place(48.25, 11.5).value
    }

    @Test func addressOfNominatim() async throws {
        let placemark = try await placemarks(
            """
            {"place_id":1,"licence":"Data © OpenStreetMap contributors, ODbL 1.0.","lat":"48.2501","lon":"11.5002",
            "category":"building","type":"yes","name":"","display_name":"7, Am Bach, …","address":{"house_number":"7",
            "road":"Am Bach","neighbourhood":"Siedlung","suburb":"Ost","hamlet":"Weiler","town":"Stadt",
            "municipality":"Gemeinde","county":"Kreis","state":"Land","ISO3166-2-lvl4":"DE-BY","postcode":"85221",
            "country":"Deutschland","country_code":"de"},"boundingbox":["48","49","11","12"]}
            """)?.first
        var expected = Placemark(coordinate: try #require(Coordinate(latitude: 48.2501, longitude: 11.5002)))
        expected.name = "Am Bach 7"
        expected.thoroughfare = "Am Bach"
        expected.subThoroughfare = "7"
        expected.subLocality = "Ost"
        expected.locality = "Stadt"
        expected.subAdministrativeArea = "Kreis"
        expected.administrativeArea = "Land"
        expected.postalCode = "85221"
        expected.country = "Deutschland"
        expected.countryCode = "DE"
        expected.attribution = "Data © OpenStreetMap contributors, ODbL 1.0."
        expected.distance = placemark?.distance
        #expect(placemark == expected)
        #expect(abs((placemark?.distance ?? 0) - 18.55) < 0.05)
    }

    @Test func numberComesFirstWhereItDoes() async throws {
        let placemark = try await placemarks(
            """
            {"lat":40.7,"lon":-74,"address":{"house_number":"350","road":"5th Avenue","country_code":"us"}}
            """)?.first
        #expect(placemark?.name == "350 5th Avenue")
        #expect(placemark?.attribution?.contains("OpenStreetMap") == true)
    }

    @Test func sightsAreOfInterest() async throws {
        let placemark = try await placemarks(
            """
            {"lat":"48","lon":"11","category":"tourism","type":"museum","name":"Museum",
            "address":{"tourism":"Museum","historic":"Schloss","road":"Allee"}}
            """)?.first
        #expect(placemark?.name == "Museum")
        #expect(placemark?.areasOfInterest == ["Museum", "Schloss"])
    }

    @Test(arguments: [
        ("place", "sea", "ocean"), ("place", "ocean", "ocean"), ("natural", "water", "water"),
        ("waterway", "river", "water"),
        ("place", "town", "land"),
    ])
    func waterIsTold(_ key: String, _ value: String, _ kind: String) async throws {
        let placemark = try await placemarks(
            #"{"lat":"48","lon":"11","category":"\#(key)","type":"\#(value)","name":"Name"}"#)?.first
        #expect(placemark?.name == "Name")
        #expect((placemark?.ocean == "Name") == (kind == "ocean"))
        #expect((placemark?.inlandWater == "Name") == (kind == "water"))
    }

    @Test(arguments: [
        (#"{"village":"V","hamlet":"H"}"#, "V"), (#"{"city":"C","town":"T"}"#, "C"), (#"{"municipality":"M"}"#, "M"),
    ])
    func townIsTheFirstThereIs(_ address: String, _ locality: String) async throws {
        let placemark = try await placemarks(#"{"lat":"48","lon":"11","address":\#(address)}"#)?.first
        #expect(placemark?.locality == locality)
    }

    @Test func wrongValuesAreUnknown() async throws {
        let placemark = try await placemarks(
            """
            {"lat":"48","lon":"11","name":["a"],"category":5,"licence":null,"address":{"road":7,"city":{"a":1},
            "town":"  Two \\t Words ","state":"a\\u0007b","country":"\(String(repeating: "x", count: 1001))",
            "country_code":"deu","county":"   "}}
            """)?.first
        var expected = Placemark(coordinate: try #require(Coordinate(latitude: 48, longitude: 11)))
        expected.distance = placemark?.distance
        expected.attribution = placemark?.attribution
        #expect(placemark?.locality == nil)
        #expect(placemark == expected)
    }

    @Test func listOfNominatim() async throws {
        let bench = try OnlineBench()
        bench.stub.always {
            $0.answer(
                #"[{"lat":"1","lon":"2","name":"A"},{"lat":"x"},7,{"lat":"3","lon":"4","name":"B"},{"lat":5,"lon":6}]"#)
        }
        let placemarks = await bench.find("a", limit: 2).value
        #expect(placemarks?.map(\.name) == ["A", "B"])
        #expect(placemarks?.map(\.distance) == [nil, nil])
    }

    @Test func featuresOfPhoton() async throws {
        let body = """
            {"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point","coordinates":[11.5,48.25]},
            "properties":{"osm_key":"leisure","osm_value":"stadium","type":"house","name":"Stadion","street":"Platz",
            "housenumber":"3","district":"West","city":"Stadt","county":"Kreis","state":"Land","postcode":"14053",
            "country":"Germany","countrycode":"DE","extent":[1,2,3,4]}},
            {"geometry":{"coordinates":[200,48]},"properties":{}},
            {"geometry":{"coordinates":[11,48]},"properties":{"osm_key":"place","type":"city","name":"Ort","state":"Land"}}]}
            """
        let placemarks = try await placemarks(of: .photon, body, type: "application/json;charset=utf-8")
        #expect(placemarks?.count == 2)
        let first = try #require(placemarks?.first)
        #expect([first.name, first.thoroughfare, first.subThoroughfare] == ["Stadion", "Platz", "3"])
        #expect([first.subLocality, first.locality, first.subAdministrativeArea] == ["West", "Stadt", "Kreis"])
        #expect([first.administrativeArea, first.postalCode, first.country] == ["Land", "14053", "Germany"])
        #expect(first.countryCode == "DE")
        #expect(first.areasOfInterest == ["Stadion"])
        #expect(first.attribution?.contains("OpenStreetMap") == true)
        #expect(first.distance == 0)
        #expect(placemarks?.last?.locality == "Ort")
    }

    @Test(arguments: [
        (OnlineSettings.Provider.nominatim, #"{"error":"Unable to geocode"}"#, "200 OK"),
        (.nominatim, #"{"error":"Unable to geocode"}"#, "404 Not Found"), (.nominatim, "[]", "200 OK"),
        (.photon, #"{"features":[],"type":"FeatureCollection"}"#, "200 OK"),
    ])
    func nothingIsNoResult(_ provider: OnlineSettings.Provider, _ body: String, _ status: String) async throws {
        let bench = try OnlineBench(provider)
        bench.stub.always { $0.answer(body, status: status) }
        #expect(await bench.place().failure == .noResult)
    }
}
