import Foundation
import Testing

@testable import Bridge

/// The descriptions beside the interface files that Debian's GeoClue installs.
struct IntrospectionTests {
    /// An interface's elements without comments and without the space between them.
    private func interface(_ name: String, in text: String) throws -> String {
        let plain = text.replacing(#/(?s)<!--.*?-->/#, with: "")
        let begin = try #require(plain.firstRange(of: "<interface name=\"\(name)\">"))
        let rest = plain[begin.lowerBound...]
        let end = try #require(rest.firstRange(of: "</interface>"))
        return String(rest[..<end.upperBound]).replacing(#/>\s+</#, with: "><")
    }

    @Test(arguments: ["Manager", "Client", "Location"])
    func descriptionIsThatOfDebiansFile(_ suffix: String) throws {
        let name = "org.freedesktop.GeoClue2.\(suffix)"
        let installed = try String(contentsOfFile: "/usr/share/dbus-1/interfaces/\(name).xml", encoding: .utf8)
        let served = GeoClueInterfaces.describe(name)
        #expect(try interface(name, in: served) == interface(name, in: installed))
        #expect(served.contains("org.freedesktop.DBus.Properties"))
    }
}
