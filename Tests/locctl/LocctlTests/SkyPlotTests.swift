@_spi(Programs) import LocationKit
import Testing

@testable import locctl

/// Satellites at their azimuth and elevation.
@Suite struct SkyPlotTests {
    private func plot(_ satellites: [Satellite]) -> [[Character]] {
        SkyPlot(satellites, style: ScreenStyle(isASCII: true), isCurrent: true, columns: 41, rows: 19).lines
            .map { Array($0.text) }
    }

    private func satellite(_ id: Int, azimuth: Double?, elevation: Double?, used: Bool = true) -> Satellite {
        var satellite = Satellite(gnss: "GPS", id: id, used: used)
        (satellite.azimuth, satellite.elevation) = (azimuth, elevation)
        return satellite
    }

    /// The position of a name's first character.
    private func place(of name: String, in plot: [[Character]]) -> (x: Int, y: Int)? {
        for (y, row) in plot.enumerated() {
            if let range = String(row).firstRange(of: name) {
                return (String(row).distance(from: String(row).startIndex, to: range.lowerBound), y)
            }
        }
        return nil
    }

    @Test func northIsUpAndEastIsRight() {
        let plot = plot([])
        #expect(plot[0][20] == "N" && plot[18][20] == "S" && plot[9][2] == "W" && plot[9][38] == "E")
        #expect(plot[9][20] == "+")
    }

    @Test(arguments: [(0.0, 45.0, 20, 5), (90, 45, 29, 9), (180, 45, 20, 14), (270, 45, 11, 9), (123, 90, 20, 9)])
    func standsInItsDirectionAtItsHeight(azimuth: Double, elevation: Double, x: Int, y: Int) throws {
        let found = try #require(place(of: "G7", in: plot([satellite(7, azimuth: azimuth, elevation: elevation)])))
        #expect(abs(found.x + 1 - x) <= 1 && abs(found.y - y) <= 1, "\(found)")
    }

    @Test(arguments: [Double.greatestFiniteMagnitude, -.greatestFiniteMagnitude, .infinity, .nan, -90])
    func anyNumberMayBeADirection(degrees: Double) {
        let plot = plot([satellite(7, azimuth: degrees, elevation: 20), satellite(8, azimuth: 20, elevation: degrees)])
        #expect((place(of: "G7", in: plot) != nil) == degrees.isFinite)
        #expect((place(of: "G8", in: plot) != nil) == degrees.isFinite)
    }

    @Test func unusedSatellitesAreInLowerCase() {
        let plot = plot([satellite(7, azimuth: 30, elevation: 30, used: false)])
        #expect(place(of: "g7", in: plot) != nil && place(of: "G7", in: plot) == nil)
    }

    @Test func subscribersAreIndependent() {
        let plot = plot((1...3).map { satellite($0, azimuth: 100, elevation: 40) })
        for name in ["G1", "G2", "G3"] { #expect(place(of: name, in: plot) != nil, "\(name)") }
    }

    @Test func unknownPlacesAreLeftOut() {
        let plot = plot([
            satellite(1, azimuth: nil, elevation: 40), satellite(2, azimuth: 40, elevation: nil),
            satellite(3, azimuth: .infinity, elevation: .nan), satellite(4, azimuth: 180, elevation: -20),
        ])
        for name in ["G1", "G2", "G3"] { #expect(place(of: name, in: plot) == nil) }
        // A satellite below the horizon is drawn on it.
        #expect((place(of: "G4", in: plot)?.y ?? 0) >= 17)
    }
}
