import Authorization
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

/// Everybody's kept monitors, as the administrator sees and removes them.
@Suite(.timeLimit(.minutes(10)))
struct MonitorHoldingTests {
    private typealias Admin = AdminInterface.Method

    @Test func administratorSeesAndForgetsWhatOthersKeep() async throws {
        try await TestServer.run { server in
            let client = try await server.monitor(#"{"name":"mine","regions":[\#(circle()),\#(circle("work"))]}"#)
            let second = try await server.monitor(#"{"name":"trips","visits":true}"#)
            await second.close()
            try await server.waitUntilMonitorsAre(1)
            let principal = "uid:\(getuid())"
            #expect(
                try await server.holdings() == [
                    NamedMonitorReport(
                        principal: principal, name: "mine", active: true, authorized: true, regions: 2, weight: 2,
                        significantChange: false, visits: false),
                    NamedMonitorReport(
                        principal: principal, name: "trips", active: false, authorized: true, regions: 0, weight: 0,
                        significantChange: false, visits: true),
                ])
            let control = try server.connect(.control)
            let answer = try await control.call(
                Admin.forgetMonitors, #"{"principal":"\#(principal)","name":"mine"}"#)
            #expect(
                try answer.parameters(as: MonitorsForgotten.self)
                    == MonitorsForgotten(principal: principal, forgotten: 1))
            var end = try await client.message()
            while end.continues { end = try await client.message() }
            #expect(end.error == LocationInterface.Failure.noSuchMonitor)
            #expect(try await server.holdings().map(\.name) == ["trips"])
            #expect(
                try await control.call(Admin.forgetMonitors, #"{"principal":"\#(principal)"}"#)
                    .parameters(as: MonitorsForgotten.self).forgotten == 1)
            #expect(try await server.holdings().isEmpty)
            let nothing = try await control.call(Admin.forgetMonitors, #"{"principal":"\#(principal)"}"#)
            #expect(nothing.error == AdminInterface.Failure.noSuchMonitor)
        }
    }

    @Test func onlyUsersKeepAnything() async throws {
        try await TestServer.run { server in
            let control = try server.connect(.control)
            for principal in ["unit:some.service", "bridge:nmea", "everyone"] {
                let answer = try await control.call(Admin.forgetMonitors, #"{"principal":"\#(principal)"}"#)
                #expect(try answer.explained.parameter == "principal", "\(principal)")
            }
            let answer = try await control.call(Admin.forgetMonitors, #"{"principal":"user:no-such-user"}"#)
            #expect(answer.error == AdminInterface.Failure.noSuchPrincipal)
            #expect(try await server.connect().call(Admin.listMonitors).error != nil, "not on the public socket")
        }
    }

    @Test(.enabled(if: OtherUserClients.isPossible, "becoming other users takes root"))
    func whoMayNotKnowIsMarked() async throws {
        try await TestServer.run { server in
            let stranger = server.keep(try #require(await OtherUserClients.connect(to: server.locationPath).first))
            try await stranger.send(
                LocationInterface.Method.monitor, #"{"name":"mine","regions":[\#(circle())]}"#, flags: "\"more\":true")
            #expect(try await stranger.message().update.status?.authorization == .notDetermined)
            let holding = try #require(try await server.holdings().first)
            #expect(!holding.authorized && holding.active && holding.principal != "uid:\(getuid())")
        }
    }

    /// What it keeps makes room for others from then on, whether it is connected or not.
    @Test(.enabled(if: OtherUserClients.isPossible, "becoming other users takes root"))
    func whoIsDeniedKeepsAsOneWhoMayNotKnow() async throws {
        try await TestServer.run {
            $0.decisions = .known(
                DecisionTable(entries: [
                    .uid(OtherUserClients.uid): DecisionEntry(
                        decision: Decision(.authorizedAlways, by: "uid:0", time: UTCTime(seconds: 1)))
                ]))
        } _: { server in
            let stranger = server.keep(try #require(await OtherUserClients.connect(to: server.locationPath).first))
            try await stranger.send(
                LocationInterface.Method.monitor, #"{"name":"mine","regions":[\#(circle())]}"#, flags: "\"more\":true")
            #expect(try await stranger.message().error == nil)
            await stranger.close()
            try await server.waitUntilMonitorsAre(0)
            #expect(try await server.holdings().map(\.authorized) == [true])
            let control = try server.connect(.control)
            for (answer, isAuthorized) in [("denied", false), ("authorizedAlways", true)] {
                let decision = #"{"principal":"uid:\#(OtherUserClients.uid)","authorization":"\#(answer)"}"#
                #expect(try await control.call(Admin.setAuthorization, decision).error == nil)
                #expect(try await server.holdings().map(\.authorized) == [isAuthorized], "\(answer)")
            }
        }
    }
}
