import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import LocationServer
import ProgramTestSupport
import ServerDoubles
import Testing

/// Monitors over the wire.
@Suite(.timeLimit(.minutes(10)))
struct MonitorTests {
    private typealias Method = LocationInterface.Method

    @Test func openingIsTheStatusThenEachRegion() async throws {
        try await TestServer.run { server in
            let client = try server.connect()
            try await client.send(
                Method.monitor, #"{"regions":[\#(circle("a")),\#(circle("b"))]}"#, flags: "\"more\":true")
            #expect(
                try await client.message().text
                    == #"{"continues":true,"parameters":{"status":{"accuracy":"full","authorization":"authorizedAlways","#
                    + #""authorizationPending":false,"enabled":true,"source":"stopped"}}}"#)
            #expect(
                try await client.message().text
                    == #"{"continues":true,"parameters":{"region":{"identifier":"a","state":"unknown"}}}"#)
            #expect(try await client.reports(1) == ["b unknown"])
            #expect(try await client.message().update.status?.source == .starting)
        }
    }

    @Test func enteringAndLeavingAreToldWithTheFix() async throws {
        try await TestServer.run { server in
            let client = try await server.monitor(#"{"regions":[\#(circle())]}"#)
            try server.post(fix: 1, metresNorth: 400)
            #expect(try await client.reports(2) == ["home unknown", "home outside"])
            try server.post(fix: 2, metresNorth: 0)
            let report = try await client.report()
            #expect(report.state == .inside && report.event == .entered)
            #expect(report.location?.value.sequence == 102)
            #expect(report.location.map { $0.age >= 0 && $0.age < 600 } == true)
            try server.post(fix: 3, metresNorth: -400)
            #expect(try await client.reports(1) == ["home outside exited"])
        }
    }

    @Test func significantChangesAreLocations() async throws {
        try await TestServer.run { server in
            let watch = try await server.watcher()
            let client = try await server.monitor(#"{"significantChange":{"distance":500}}"#)
            try server.post(fix: 1, metresNorth: 0)
            #expect(try await client.location().parameters(as: MonitorReply.self).location?.value.sequence == 101)
            try server.post(fix: 2, metresNorth: 100)
            try server.post(fix: 3, metresNorth: 600)
            #expect(try await client.location().parameters(as: MonitorReply.self).location?.value.sequence == 103)
            _ = watch
        }
    }

    @Test(
        arguments: [
            ("{}", "regions"), (#"{"regions":[]}"#, "regions"), (#"{"visits":false}"#, "regions"),
            (#"{"regions":[{"identifier":"a"}]}"#, "regions[0].polygon"),
            (
                #"{"regions":[{"identifier":"a","center":{"latitude":91,"longitude":0},"radius":5}]}"#,
                "regions[0].center.latitude"
            ),
            (
                #"{"regions":[\#(circle()),{"identifier":"a","center":{"latitude":1,"longitude":0},"radius":-5}]}"#,
                "regions[1].radius"
            ),
            (#"{"regions":[{"identifier":"a","polygon":[{"latitude":1,"longitude":0}]}]}"#, "regions[0].polygon"),
            (
                #"{"regions":[{"identifier":"","center":{"latitude":1,"longitude":0},"radius":5}]}"#,
                "regions[0].identifier"
            ),
            (#"{"regions":[\#(circle()),\#(circle())]}"#, "regions[1].identifier"),
            (
                #"{"regions":[\#(circle()),{"identifier":"\u001b[2J","center":{"latitude":1,"longitude":0},"radius":5}]}"#,
                "regions[1].identifier"
            ),
            (#"{"name":"a\nb","visits":true}"#, "name"), (#"{"name":"a\u202eb","visits":true}"#, "name"),
            (#"{"regions":7}"#, "regions"), (#"{"name":"","visits":true}"#, "name"),
            (#"{"name":"\#(String(repeating: "n", count: 129))","visits":true}"#, "name"),
            (#"{"significantChange":{"distance":5}}"#, "significantChange.distance"),
            (#"{"visits":"yes"}"#, "visits"),
            (#"{"visits":true,"purpose":"\#(String(repeating: "p", count: 257))"}"#, "purpose"),
            (#"{"visits":true,"library":""}"#, "library"),
        ])
    func invalidParameterIsNamed(_ parameters: String, _ field: String) async throws {
        try await TestServer.run { server in
            let client = try server.connect()
            try await client.send(Method.monitor, parameters, flags: "\"more\":true")
            let answer = try await client.message()
            #expect(answer.error == "org.varlink.service.InvalidParameter")
            #expect(try answer.explained.parameter == field)
            #expect(try await client.call(Method.getStatus).error == nil)
        }
    }

    @Test func withoutMoreItIsRefused() async throws {
        try await TestServer.run { server in
            let answer = try await server.connect().call(Method.monitor, #"{"visits":true}"#)
            #expect(answer.error == "org.varlink.service.ExpectedMore")
        }
    }

    @Test func clientsAndStatisticsTellOfMonitors() async throws {
        try await TestServer.run { server in
            let client = try await server.monitor(#"{"regions":[\#(circle())],"purpose":"lights\u0007 ”"}"#)
            let control = try server.connect(.control)
            let list = try await control.call(AdminInterface.Method.listClients).parameters(as: ClientList.self)
            let report = try #require(list.clients.first)
            #expect(report.request == "Monitor" && report.purpose == #"lights\u{7} '"#)
            let statistics = try await control.call(AdminInterface.Method.getStatistics)
                .parameters(as: StatisticsReply.self).statistics
            #expect(statistics.monitors == 1 && statistics.watches == 0 && statistics.demand)
            await client.close()
            try await server.waitUntilMonitorsAre(0)
            let after = try await control.call(AdminInterface.Method.getStatistics)
                .parameters(as: StatisticsReply.self).statistics
            #expect(after.monitors == 0 && !after.demand)
        }
    }

    @Test func demandEndsWhereEveryBorderIsFar() async throws {
        try await TestServer.run { server in
            var demands = server.demands.makeAsyncIterator()
            let client = try await server.monitor(#"{"regions":[\#(circle())]}"#)
            #expect(await demands.next() == true)
            try server.post(fix: 1, metresNorth: 50_000)
            #expect(await demands.next() == false)
            #expect(try await client.reports(2) == ["home unknown", "home outside"])
        }
    }

    @Test func deliveryIsNotedOnceADay() async throws {
        let noted = ValueRecorder<AuditRecord>()
        try await TestServer.run {
            $0.hooks.onRecord = { noted.append($0) }
        } _: { server in
            let client = try await server.monitor(#"{"regions":[\#(circle())],"purpose":"lights"}"#)
            #expect(try await client.reports(1) == ["home unknown"])
            #expect(noted.values.isEmpty, "nothing was told of the position")
            for (number, metres) in [400.0, 0, 400].enumerated() {
                try server.post(fix: number + 1, metresNorth: metres)
                _ = try await client.report()
            }
            #expect(noted.values.map(\.event) == [.delivered])
            #expect(noted.values.first?.purpose == "lights")
        }
    }

    @Test func endOfTheServiceIsTheLastReply() async throws {
        try await TestServer.run { server in
            let client = try await server.monitor(#"{"name":"mine","regions":[\#(circle())]}"#)
            #expect(try await client.reports(1) == ["home unknown"])
            try await server.stop()
            let last = try #require(await client.messagesUntilEnd().last)
            #expect(!last.continues)
            #expect(try last.update.status?.reason == "stopping")
        }
    }

    /// A thousand states are more than the kernel holds for one client.
    @Test func readerThatComesLateMissesNoRegion() async throws {
        try await TestServer.run {
            $0.settings.limits.requestSize = 1_048_576
        } _: { server in
            let watch = try await server.watcher()
            let regions = (0..<1000).map { circle("region \($0)") }.joined(separator: ",")
            let client = try await server.monitor(#"{"regions":[\#(regions)]}"#)
            try server.post(fix: 1, metresNorth: 0)
            _ = try await watch.location()
            let reports = try await client.reports(2000)
            #expect(reports.prefix(1000).allSatisfy { $0.hasSuffix("unknown") })
            #expect(Set(reports.suffix(1000)) == Set((0..<1000).map { "region \($0) inside" }))
        }
    }
}
