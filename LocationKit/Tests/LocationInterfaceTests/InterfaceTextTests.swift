@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Testing
import Varlink

/// The types that are sent and read are those of the interfaces' descriptions, member by member.
@Suite struct InterfaceTextTests {
    /// What a method or an error takes and gives in Swift.
    struct Types: Sendable, CustomTestStringConvertible {
        let name: String
        /// An object whose members are those of all of these.
        var input: [any (Decodable & Sendable).Type] = []
        var output: [any (Decodable & Sendable).Type] = []

        var testDescription: String { name }
    }

    /// What the services of the track and of places read by a type of their own: on whose behalf the call is.
    private struct User: Decodable, Sendable {
        let user: Int?
    }

    private static let user: any (Decodable & Sendable).Type = User.self
    private static let served: any (Decodable & Sendable).Type = ServedProgramParameters.self

    private static let location: [Types] = [
        .init(name: "GetStatus", input: [served], output: [StatusReply.self]),
        .init(name: "ListReceivers", input: [served], output: [ReceiversReply.self]),
        .init(name: "GetLocation", input: [LocationRequest.self, served], output: [LocationReply.self]),
        .init(name: "Watch", input: [WatchRequest.self, served], output: [WatchReply.self]),
        .init(name: "Monitor", input: [MonitorRequest.self, served], output: [MonitorReply.self]),
        .init(name: "ChangeRegions", input: [ChangeRegionsParameters.self, served]),
        .init(name: "ListMonitors", input: [served], output: [ListMonitorsReply.self]),
        .init(name: "RemoveMonitor", input: [MonitorName.self, served]),
        .init(
            name: "RequestAuthorization", input: [RequestAuthorizationParameters.self, served],
            output: [StatusReply.self]),
        .init(name: "WatchRequests", input: [served], output: [RequestsReply.self]),
        .init(name: "WatchUsage", input: [UsageParameters.self, served], output: [UsageReply.self]),
        .init(name: "Decide", input: [DecideParameters.self, served], output: [StatusReply.self]),
    ]

    private static let administration: [Types] = [
        .init(name: "Start"), .init(name: "Stop"), .init(name: "Suspend"), .init(name: "Resume"),
        .init(name: "SetSource", input: [SetSourceParameters.self]),
        .init(name: "ListClients", output: [ClientList.self]),
        .init(name: "Disconnect", input: [ClientID.self]),
        .init(name: "Reload", output: [ReloadReport.self]),
        .init(name: "SetLogLevel", input: [LogLevelParameters.self]),
        .init(name: "GetStatistics", output: [StatisticsReply.self]),
        .init(name: "GetMetrics", output: [MetricsReply.self]),
        .init(name: "Simulate", input: [SimulateParameters.self], output: [SimulateReply.self]),
        .init(name: "ListAuthorizations", output: [AuthorizationList.self]),
        .init(name: "SetAuthorization", input: [SetAuthorizationParameters.self], output: [AuthorizationChange.self]),
        .init(name: "ResetAuthorization", input: [PrincipalName.self], output: [AuthorizationChange.self]),
        .init(name: "GetHistory", input: [AuditParameters.self], output: [AuditReply.self]),
        .init(name: "ListMonitors", output: [AllMonitorsReply.self]),
        .init(name: "ForgetMonitors", input: [ForgetMonitorsParameters.self], output: [MonitorsForgotten.self]),
        .init(name: "CreateToken", input: [CreateTokenParameters.self], output: [CreateTokenReply.self]),
        .init(name: "RevokeToken", input: [RevokeTokenParameters.self]),
    ]

    private static let history: [Types] = [
        .init(name: "GetState", input: [user], output: [HistoryStateReply.self]),
        .init(name: "GetTrips", input: [TrackPeriod.self, user], output: [TripsReply.self]),
        .init(name: "GetStays", input: [TrackPeriod.self, user], output: [StaysReply.self]),
        .init(name: "GetTrack", input: [TrackRequest.self, user], output: [TrackReply.self]),
        .init(name: "Pause", input: [user]), .init(name: "Resume", input: [user]),
    ]

    private static let places: [Types] = [
        .init(name: "ReverseGeocode", input: [ReverseGeocodeParameters.self, user], output: [PlacemarksReply.self]),
        .init(name: "Geocode", input: [GeocodeParameters.self, user], output: [PlacemarksReply.self]),
    ]

    private static let web: [Types] = [
        .init(name: "CreateLink", input: [WebInterface.LinkRequest.self], output: [WebInterface.Link.self])
    ]

    private static let provider: [Types] = [
        .init(
            name: "Locate", input: [ProviderInterface.LocateRequest.self], output: [ProviderInterface.LocateReply.self])
    ]

    private static let nearby: [Types] = [
        .init(name: "GetState", output: [NearbyInterface.StateReply.self]),
        .init(name: "Learn", input: [NearbyInterface.LearnRequest.self], output: [NearbyInterface.Learned.self]),
        .init(name: "Forget", input: [NearbyInterface.ForgetRequest.self], output: [NearbyInterface.Forgotten.self]),
    ]

    @Test(arguments: nearby) func typesOfPlacesByAccessPointsAreTheirDescriptions(_ types: Types) throws {
        try expectSame(types, NearbyInterface.description)
    }

    @Test(arguments: provider) func typesOfProvidersAreTheirDescriptions(_ types: Types) throws {
        try expectSame(types, ProviderInterface.description)
    }

    @Test(arguments: location) func typesOfTheLocationInterfaceAreItsDescriptions(_ types: Types) throws {
        try expectSame(types, LocationInterface.description)
    }

    @Test(arguments: administration) func typesForAdministratorsAreTheirDescriptions(_ types: Types) throws {
        try expectSame(types, AdminInterface.description)
    }

    @Test(arguments: history) func typesOfTheTrackAreItsDescriptions(_ types: Types) throws {
        try expectSame(types, HistoryInterface.description)
    }

    @Test(arguments: places) func typesOfPlacesAreTheirDescriptions(_ types: Types) throws {
        try expectSame(types, PlacesInterface.description)
    }

    @Test(arguments: web) func typesOfPagesAreTheirDescriptions(_ types: Types) throws {
        try expectSame(types, WebInterface.description)
    }

    @Test func everyMethodIsCompared() throws {
        let all = [
            (LocationInterface.description, Self.location), (AdminInterface.description, Self.administration),
            (HistoryInterface.description, Self.history), (PlacesInterface.description, Self.places),
            (WebInterface.description, Self.web), (ProviderInterface.description, Self.provider),
            (NearbyInterface.description, Self.nearby),
        ]
        for (description, types) in all {
            #expect(Set(try InterfaceText(description.text).methods.keys) == Set(types.map(\.name)))
        }
    }

    @Test func everyMethodOfTheDaemonHasOneRow() throws {
        for (description, rows) in [
            (LocationInterface.description, LocationInterface.methods),
            (AdminInterface.description, AdminInterface.methods),
        ] {
            let described = try InterfaceText(description.text).methods.keys.map { "\(description.name).\($0)" }
            #expect(rows.map(\.name).sorted() == described.sorted())
        }
    }

    private func expectSame(_ types: Types, _ description: InterfaceDescription) throws {
        let text = try InterfaceText(description.text)
        let method = try #require(text.methods[types.name])
        try compare(types.input, method.input, text, types.name)
        try compare(types.output, method.output, text, "\(types.name)'s reply")
    }

    private func compare(
        _ types: [any (Decodable & Sendable).Type], _ kind: InterfaceText.Kind, _ text: InterfaceText, _ place: String
    ) throws {
        let probes = try types.map { try MemberProbe.members(of: $0) }
        let members = probes.reduce(into: [:]) { $0.merge($1.members) { first, _ in first } }
        let described = try #require(text.members(of: kind), "\(place)")
        compare(members, described, text, place)
    }

    private func compare(
        _ found: [String: (kind: MemberProbe.Kind, isOptional: Bool)], _ described: [String: InterfaceText.Member],
        _ text: InterfaceText, _ place: String
    ) {
        if Self.widerThanDescribed.contains(place) {
            #expect(Set(found.keys).isSuperset(of: described.keys), "\(place)")
        } else {
            #expect(found.keys.sorted() == described.keys.sorted(), "\(place)")
        }
        for (name, member) in described {
            guard let present = found[name] else { continue }
            // What may be absent in a later version may be read with a default.
            if !member.isOptional { #expect(!present.isOptional || Self.defaults.contains(name), "\(place).\(name)") }
            if member.isOptional { #expect(present.isOptional, "\(place).\(name) may be absent") }
            compare(present.kind, member.kind, text, "\(place).\(name)")
        }
    }

    /// A whole location is read, of which a simulated one may have some members alone.
    private static let widerThanDescribed: Set<String> = ["Simulate.location"]

    /// Members of recordings made by hand, which may lack them.
    private static let defaults: Set<String> = ["mode", "monotonicTime", "sequence", "source"]

    private func compare(
        _ found: MemberProbe.Kind, _ described: InterfaceText.Kind, _ text: InterfaceText, _ place: String
    ) {
        switch (found, described) {
        case (.bool, .bool), (.int, .int), (.float, .float), (.string, .string): break
        case (.enumeration(let allows), .enumeration(let names)):
            for name in names { #expect(allows(name), "\(place): \(name)") }
        case (.list(let found), .list(let described)): compare(found, described, text, place)
        case (.object(let probe), .object(let members)): compare(probe.members, members, text, place)
        case (_, .named(let name)):
            guard let type = text.types[name] else { return _ = Issue.record("\(place): there is no \(name)") }
            compare(found, type, text, place)
        // Its keys are nobody's names.
        case (.object(let probe), .dictionary): #expect(probe.members.isEmpty, "\(place)")
        default: Issue.record("\(place): \(found) is read, \(described) is described")
        }
    }
}
