@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

/// Locations injected by hand.
@Suite(.timeLimit(.minutes(10)))
struct SimulateTests {
    @Test func injectedLocationReachesWatchesMarked() async throws {
        try await TestServer.run { server in
            let watch = try await server.watcher(isFirst: true)
            let control = try server.connect(.control)
            let message = try await control.call(
                AdminInterface.Method.simulate,
                #"{"location":{"latitude":-90,"longitude":180,"altitude":-5,"source":{"name":"x","isSimulated":false,"#
                    + #""isReplayed":false},"sequence":7,"monotonicTime":3}}"#)
            #expect(message.text == #"{"parameters":{"sequence":101}}"#)
            let location = try #require(try await watch.location().update.location?.value)
            #expect(location.coordinate == Coordinate(latitude: -90, longitude: 180))
            #expect(location.altitude == -5)
            #expect(location.source == SourceInformation(name: "simulate", method: .simulated))
            #expect(location.sequence == 101)
            #expect(location.age(at: .present) < 600)
            _ = try await control.call(
                AdminInterface.Method.simulate, #"{"location":{"latitude":1,"longitude":2},"isReplayed":true}"#)
            #expect(try await watch.location().update.location?.value.source.isReplayed == true)
        }
    }

    @Test func injectionNeedsNobodyWhoWatches() async throws {
        try await TestServer.run { server in
            let control = try server.connect(.control)
            #expect(
                try await control.call(AdminInterface.Method.simulate, #"{"location":{"latitude":1,"longitude":2}}"#)
                    .error
                    == nil)
            let location = try await server.connect().call(LocationInterface.Method.getLocation, #"{"maximumAge":60}"#)
                .parameters(as: LocationReply.self).location.value
            #expect(location.coordinate == Coordinate(latitude: 1, longitude: 2))
        }
    }

    struct Impossible: Sendable, CustomTestStringConvertible {
        let fields: String
        /// The parameter that the error names.
        let named: String
        var testDescription: String { fields }

        init(_ fields: String, _ named: String) {
            self.fields = fields
            self.named = named
        }
    }

    @Test(arguments: [
        Impossible(#""latitude":90.001,"longitude":0"#, "location.latitude"),
        Impossible(#""latitude":0,"longitude":-180.001"#, "location.longitude"),
        Impossible(#""latitude":0"#, "location.longitude"),
        Impossible(#""latitude":"0","longitude":0"#, "location.latitude"),
        Impossible(#""latitude":null,"longitude":0"#, "location.latitude"),
        Impossible(#""latitude":0,"longitude":0,"horizontalAccuracy":-1"#, "location.horizontalAccuracy"),
        Impossible(#""latitude":0,"longitude":0,"verticalAccuracy":-1"#, "location.verticalAccuracy"),
        Impossible(#""latitude":0,"longitude":0,"speed":-0.1"#, "location.speed"),
        Impossible(#""latitude":0,"longitude":0,"speedAccuracy":-0.1"#, "location.speedAccuracy"),
        Impossible(#""latitude":0,"longitude":0,"course":360"#, "location.course"),
        Impossible(#""latitude":0,"longitude":0,"course":-1"#, "location.course"),
        Impossible(#""latitude":0,"longitude":0,"courseAccuracy":-1"#, "location.courseAccuracy"),
        Impossible(#""latitude":0,"longitude":0,"climbAccuracy":-1"#, "location.climbAccuracy"),
        Impossible(#""latitude":0,"longitude":0,"magneticVariation":181"#, "location.magneticVariation"),
        Impossible(#""latitude":0,"longitude":0,"satellitesUsed":-1"#, "location.satellitesUsed"),
        Impossible(#""latitude":0,"longitude":0,"hdop":-1"#, "location.hdop"),
        Impossible(#""latitude":0,"longitude":0,"vdop":-1"#, "location.vdop"),
        Impossible(#""latitude":0,"longitude":0,"pdop":-1"#, "location.pdop"),
        Impossible(#""latitude":0,"longitude":0,"mode":"fourDimensional""#, "location.mode"),
        Impossible(#""latitude":0,"longitude":0,"augmentation":"guess""#, "location.augmentation"),
        Impossible(#""latitude":0,"longitude":0,"timestamp":"yesterday""#, "location.timestamp"),
        Impossible(#""latitude":0,"longitude":0,"altitude":"high""#, "location.altitude"),
    ])
    func impossibleLocationIsRefusedByField(_ impossible: Impossible) async throws {
        try await TestServer.run { server in
            let control = try server.connect(.control)
            let message = try await control.call(
                AdminInterface.Method.simulate, "{\"location\":{\(impossible.fields)}}")
            #expect(message.error == "org.varlink.service.InvalidParameter")
            #expect(try message.explained.parameter == impossible.named)
            #expect(try message.explained.reason?.isEmpty == false)
            let status = try await control.call(LocationInterface.Method.getStatus).parameters(as: StatusReply.self)
                .status
            #expect(status.fixAge == nil)
        }
    }

    @Test func missingLocationIsNamed() async throws {
        try await TestServer.run { server in
            let message = try await server.connect(.control).call(AdminInterface.Method.simulate)
            #expect(try message.explained.parameter == "location")
        }
    }

    @Test func nothingIsInjectedWhileSwitchedOff() async throws {
        try await TestServer.run {
            $0.isEnabled = false
        } _: { server in
            let control = try server.connect(.control)
            let message = try await control.call(
                AdminInterface.Method.simulate, #"{"location":{"latitude":1,"longitude":2}}"#)
            #expect(message.text == "{\"error\":\"\(AdminInterface.Failure.disabled)\",\"parameters\":{}}")
        }
    }
}
