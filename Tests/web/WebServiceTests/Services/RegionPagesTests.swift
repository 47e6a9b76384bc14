import ClientTestSupport
import Foundation
@_spi(Programs) import LocationInterface
import ProgramTestSupport
import Testing
import WebService

/// Regions that are drawn on the pages, at a real daemon whose machine stands at one place.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct RegionPagesTests {
    private static let standing = "[[sources]]\nkind = \"static\"\nlatitude = 48.5\nlongitude = 9.25\n"
    private static let home = #"{"identifier":"home","center":{"latitude":48.5,"longitude":9.25},"radius":500}"#

    /// What a page was told of its user's regions.
    private struct Regions: Decodable {
        struct Named: Decodable { let identifier: String }
        struct Report: Decodable { let identifier, state: String }
        let regions: [Named]
        let reports: [Report]
    }

    private func regions(_ page: LiveConnection) throws -> [Regions] {
        try page.events().filter { $0.name == "regions" }.map {
            try JSONDecoder().decode(Regions.self, from: Data($0.data.utf8))
        }
    }

    private func draw(_ bench: WebBench, _ body: String, _ cookie: String) async throws -> HTTPReply {
        try await bench.request("POST", "/regions", bench.ownHeaders(cookie), body: body)
    }

    @Test func regionIsItsUsersAlone() async throws {
        try await WebBench.run(daemon: Self.standing) { bench, daemon in
            try await daemon.decide(.authorizedAlways)
            let (user, root) = (try await bench.signIn(), try await bench.signIn(as: WebBench.administrator))
            #expect(try await draw(bench, #"{"add":[\#(Self.home)]}"#, user).status == 409, "no page is open")
            let page = try await bench.page(user)
            let other = try await bench.page(root)
            #expect(try await draw(bench, #"{"add":[\#(Self.home)]}"#, user).status == 204)
            try await page.await("the region with its state") { _ in
                try regions(page).last?.reports.map(\.state) == ["inside"]
            }
            let second = try await bench.page(user)
            try await second.await("the same") { _ in try regions(second).last?.reports.map(\.state) == ["inside"] }
            try await other.await("a location") { _ in try !other.locations().isEmpty }
            #expect(try regions(other).allSatisfy { $0.regions.isEmpty && $0.reports.isEmpty })
            #expect(try await draw(bench, #"{"remove":["home"]}"#, root).status == 204)
            #expect(try await draw(bench, #"{"remove":["home"]}"#, user).status == 204)
            try await page.await("it is gone") { _ in try regions(page).last?.regions.isEmpty == true }
        }
    }

    @Test func whatWasChangedIsNotUndoneByARestart() async throws {
        let away = #"{"identifier":"away","center":{"latitude":48.6,"longitude":9.25},"radius":500}"#
        try await WebBench.run(daemon: Self.standing) { bench, daemon in
            try await daemon.decide(.authorizedAlways)
            let user = try await bench.signIn()
            let page = try await bench.page(user)
            #expect(try await draw(bench, #"{"add":[\#(Self.home),\#(away)]}"#, user).status == 204)
            try await page.await("both") { _ in try regions(page).last?.reports.count == 2 }
            #expect(try await draw(bench, #"{"remove":["home"]}"#, user).status == 204)
            try await page.await("one") { _ in try regions(page).last?.regions.map(\.identifier) == ["away"] }
            let count = try regions(page).count
            try await daemon.end()
            try await blocking { try daemon.start() }
            try await page.await("the region's state comes again") { _ in try regions(page).count > count }
            #expect(try regions(page).last?.regions.map(\.identifier) == ["away"])
        }
    }

    /// Inside or outside is a position, too.
    @Test func revokedPermissionLeavesNoState() async throws {
        try await WebBench.run(daemon: Self.standing) { bench, daemon in
            try await daemon.decide(.authorizedAlways)
            let user = try await bench.signIn()
            let page = try await bench.page(user)
            #expect(try await draw(bench, #"{"add":[\#(Self.home)]}"#, user).status == 204)
            try await page.await("the region with its state") { _ in
                try regions(page).last?.reports.map(\.state) == ["inside"]
            }
            try await daemon.decide(.denied)
            try await page.await("the states are removed") { _ in
                try regions(page).last.map { $0.reports.allSatisfy { $0.state == "unknown" } } == true
            }
            let late = try await bench.page(user)
            try await late.await("the region") { _ in try regions(late).last?.regions.map(\.identifier) == ["home"] }
            #expect(try regions(late).allSatisfy { $0.reports.allSatisfy { $0.state == "unknown" } })
            let events = try late.events().map(\.data).joined()
            #expect(!events.contains("inside") && !events.contains("\"location\""))
        }
    }

    @Test(arguments: [
        ("[]", 400), ("{", 400), ("null", 400), (#"{"add":1}"#, 400), (#"{"remove":[1]}"#, 400),
        (#"{"add":[{}]}"#, 400),
        (#"{"add":[{"identifier":"a","center":{"latitude":91,"longitude":0},"radius":1}]}"#, 400),
        (#"{"add":[\#(home),\#(home)]}"#, 422), ("{}", 204),
    ])
    func wrongRegionsAreRefused(body: String, status: Int) async throws {
        try await WebBench.run(daemon: Self.standing) { bench, daemon in
            try await daemon.decide(.authorizedAlways)
            let user = try await bench.signIn()
            let page = try await bench.page(user)
            try await page.await("a status") { !$0.isEmpty }
            let reply = try await draw(bench, body, user)
            #expect(reply.status == status, "\(reply)")
            #expect(status == 204 || reply.body.contains("\"error\""))
        }
    }

    @Test func withoutTheDaemonItIsSaid() async throws {
        try await WebBench.run { bench in
            let user = try await bench.signIn()
            let page = try await bench.page(user)
            try await page.await("the outage") { $0.contains { $0.name == "outage" } }
            #expect(try await draw(bench, #"{"add":[\#(Self.home)]}"#, user).status == 502)
            #expect(!page.connection.isClosed)
        }
    }
}
