@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Places
import ProgramTestSupport
@_spi(Programs) import SystemSupport
import Testing

/// What leaves the machine, to the byte.
@Suite(.timeLimit(.minutes(10)))
struct OnlineRequestTests {
    private func request(_ bench: OnlineBench, _ ask: (OnlineBench) async -> Void) async -> String? {
        bench.stub.always { $0.answer(OnlineBench.nothing) }
        await ask(bench)
        return bench.stub.requests.first
    }

    @Test func nominatimIsAskedWhatIsAtAPosition() async throws {
        let bench = try OnlineBench(path: "/base")
        let request = await request(bench) { _ = await $0.place(48.123456789, -11.987654321, locale: "pt_BR") }
        let lines = [
            "GET /base/reverse?format=jsonv2&addressdetails=1&lat=48.12346&lon=-11.98765&accept-language=pt-BR HTTP/1.1",
            "Host: 127.0.0.1:\(bench.stub.port)",
            "User-Agent: locationd-places/\(Release.version) (tests@example.org)",
            "Accept: application/json",
        ]
        #expect(request == lines.joined(separator: "\r\n"))
    }

    @Test func nominatimIsAskedWhereSomethingIs() async throws {
        let request = await request(try OnlineBench()) {
            _ = await $0.find("München & Co?#%\u{0}\r\n=+", locale: "de", limit: 3)
        }
        #expect(
            request?.split(separator: " ")[1] == """
                /search?format=jsonv2&addressdetails=1&q=M%C3%BCnchen%20%26%20Co%3F%23%25%00%0D%0A%3D%2B&limit=3\
                &accept-language=de
                """)
    }

    @Test func photonIsAskedWhatIsAtAPosition() async throws {
        let request = await request(try OnlineBench(.photon)) { _ = await $0.place(-0.000004, 180, locale: "pt-BR") }
        #expect(request?.hasPrefix("GET /reverse?lat=0.00000&lon=180.00000&lang=pt HTTP/1.1\r\n") == true)
    }

    @Test func photonIsAskedWhereSomethingIs() async throws {
        let request = await request(try OnlineBench(.photon)) { _ = await $0.find("Bern", limit: 1_000_000) }
        #expect(request?.hasPrefix("GET /api?q=Bern&limit=40&lang=en HTTP/1.1\r\n") == true)
    }

    @Test(arguments: [(90.0, -180.0, "lat=90.00000&lon=-180.00000"), (-0.5, 0.1, "lat=-0.50000&lon=0.10000")])
    func numbersAreWrittenOut(_ latitude: Double, _ longitude: Double, _ text: String) async throws {
        let request = await request(try OnlineBench(.photon)) { _ = await $0.place(latitude, longitude) }
        #expect(request?.contains(text) == true)
    }

    @Test func photonThatDoesNotKnowTheLanguageIsAskedWithoutItFromThenOn() async throws {
        let bench = try OnlineBench(.photon)
        let answer = #"{"features":[{"geometry":{"coordinates":[11.5,48.2]},"properties":{"name":"Dachau"}}]}"#
        bench.stub.next({ $0.answer(#"{"message":"language xx is not supported"}"#, status: "400 Bad Request") })
        bench.stub.always { $0.answer(answer) }
        #expect(await bench.place(1, locale: "xx").value?.first?.name == "Dachau")
        #expect(await bench.place(2, locale: "xx").value?.first?.name == "Dachau")
        #expect(await bench.place(3, locale: "de").value?.first?.name == "Dachau")
        #expect(bench.stub.paths.map { $0.contains("lang=") } == [true, false, false, true])
    }

    @Test func connectionIsKeptForTheNextQuestion() async throws {
        let bench = try OnlineBench()
        bench.stub.always { $0.answer(OnlineBench.town) }
        for number in 1...3 { #expect(await bench.place(number).value != nil) }
        #expect(bench.stub.connectionCount == 1)
    }

    @Test func withoutTheLibraryThereIsAnError() throws {
        let settings = try OnlineSettings(provider: .photon, url: "http://127.0.0.1:1", contact: "tests@example.org")
        #expect(
            throws: PlacesError.network(
                "libnothing.so.4 is missing; install libcurl4, or choose the offline provider")
        ) {
            try OnlinePlaces(
                settings: settings, version: Release.version, logger: RecordedLog().logger, clock: .machine,
                library: "libnothing.so.4")
        }
    }
}
