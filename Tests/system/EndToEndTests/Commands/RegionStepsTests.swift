import Foundation
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Testing

/// More regions than one call takes.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct RegionStepsTests {
    private static let status = ScriptedReply.status("authorizedAlways", reason: nil, continues: true)
    private static let entered =
        String(status.dropLast(#"},"continues":true}"#.utf8.count))
        + #","region":{"identifier":"0","state":"inside","event":"entered"}},"continues":true}"#
    private static let tooMany = ScriptedReply.error("org.locationd.location.TooManyRequests", #"{"limit":100}"#)
    private static let none = #"{"parameters":{"monitors":[]}}"#

    /// So many small squares.
    private func squares(_ count: Int, in folder: TemporaryFolder) throws -> String {
        let features = (0..<count).map { number in
            let west = Double(number) / 10
            let corners = "[\(west),1],[\(west + 0.05),1],[\(west + 0.05),1.05],[\(west),1]"
            return #"{"type":"Feature","id":"\#(number)","geometry":{"type":"Polygon","coordinates":[[\#(corners)]]}}"#
        }
        let text = #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#
        return try folder.write(text, to: "squares.geojson")
    }

    private func regionsSent(to service: ScriptedService) throws -> Int {
        try service.calls.map { try json($0)["parameters"] as? [String: Any] }.reduce(0) { sum, parameters in
            sum + ((parameters?["regions"] ?? parameters?["add"]) as? [Any] ?? []).count
        }
    }

    @Test func lastEventWaitsUntilAllAreKept() throws {
        let service = try ScriptedService([
            "ListMonitors": [Self.none], "Monitor": [Self.entered], "ChangeRegions": ["{}"],
        ])
        let file = try squares(500, in: service.folder)
        let answer = try service.locctl("monitor-region", "--geojson", file, "--name", "walk", "--count", "1")
        #expect(answer.code == 0, "\(answer)")
        #expect(try regionsSent(to: service) == 500)
        #expect(service.calls.count > 3)
    }

    @Test func refusalAfterTheListIsWaitedOut() throws {
        let service = try ScriptedService([
            "ListMonitors": [Self.none], "Monitor 1": [Self.tooMany], "Monitor": [Self.entered],
            "ChangeRegions 1": [Self.tooMany], "ChangeRegions": ["{}"],
        ])
        let file = try squares(250, in: service.folder)
        let answer = try service.locctl("monitor-region", "--geojson", file, "--name", "walk", "--count", "1")
        #expect(answer.code == 0, "\(answer)")
        let methods = try service.calls.map { try json($0)["method"] as? String ?? "" }
        #expect(methods.count { $0.hasSuffix(".ListMonitors") } == 1)
        #expect(methods.count { $0.hasSuffix(".Monitor") } == 2)
        let sizes = try service.calls.suffix(2).map { call in
            ((try json(call)["parameters"] as? [String: Any])?["add"] as? [Any])?.count
        }
        #expect(sizes[0] != nil && sizes[0] == sizes[1], "the refused step is taken again")
    }

    @Test func refusalWithoutAListIsTold() throws {
        let service = try ScriptedService(["Monitor": [Self.tooMany]])
        let answer = try service.locctl("monitor-region", "1", "2", "300")
        #expect(answer.code == 1 && answer.errors.contains("too many calls"), "\(answer)")
        #expect(service.calls.count == 1)
    }
}
