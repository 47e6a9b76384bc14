import LocationModel
import RegionMonitoring
import SimulatedSource

/// How long the receiver runs for monitors, and how late it makes them; as `price [FIXES [CASE]]`, what a fix costs them; as
/// `interval`, how long the receiver runs for a watch with an interval; as `pause DRIVE`, for one that pauses.
@main
enum MonitorBenchmark {
    static func main() throws {
        let words = CommandLine.arguments.dropFirst()
        if words.first == "price" {
            RegionPrice(fixes: words.dropFirst().first.flatMap { Int($0) } ?? 3000)?.report(words.dropFirst(2).first)
            return
        }
        if words.first == "interval" { return IntervalShare.report() }
        if words.first == "pause" {
            let stay = 4 * 3600
            for path in words.dropFirst() {
                PauseShare.report(try Drive(path: path).betweenStays(of: stay), stay: stay)
            }
            return
        }
        print("seconds to the first fix \(ModelHub.start), linger \(ModelHub.linger)\n")
        var heldBack = report(Drive(simulated: 3600))
        for path in words {
            let drive = try Drive(path: path)
            heldBack += report(drive)
            heldBack += report(drive.betweenStays(of: 4 * 3600))
        }
        print("fixes held back as implausible: \(heldBack)")
        if heldBack > 0 { throw TrueFixesHeldBack() }
    }

    /// - Returns: how many true fixes the plausibility filter held back.
    private static func report(_ drive: Drive) -> Int {
        let length = Int(drive.length.rounded())
        print("\(drive.name): \(drive.fixes.count) s, \(length) m")
        print("| monitored | receiver on, s | share | delivered | missing | late: p50, s | max, s |")
        print("|---|---:|---:|---:|---:|---:|---:|")
        print("| (plain watch) | \(drive.fixes.count) | 1.000 | | | | |")
        var heldBack = 0
        for (name, request) in cases(of: drive) {
            let rare = ModelHub.run(request, over: drive, always: false)
            let reference = ModelHub.run(request, over: drive, always: true)
            heldBack += rare.implausible + reference.implausible
            let late = Lateness(of: rare.events, after: reference.events, request: request, drive: drive)
            let share = Double(rare.onTime) / Double(drive.fixes.count)
            print(
                "| \(name) | \(rare.onTime) | \((share * 1000).rounded() / 1000) | \(rare.events.count) | \(late.missing) |",
                "\(late.median.map(String.init) ?? "") | \(late.maximum.map(String.init) ?? "") |")
        }
        print()
        return heldBack
    }

    private struct TrueFixesHeldBack: Error {}

    /// What somebody may monitor on a drive.
    private static func cases(of drive: Drive) -> [(String, MonitorSubjects)] {
        guard let start = drive.fixes.first?.coordinate else { return [] }
        let far = [20_000.0, 35_000, 50_000, 100_000, 200_000].enumerated().compactMap { index, distance in
            circle("far \(index)", at: start.coordinate(atDistance: distance, bearing: Double(index) * 72), radius: 500)
        }
        let near = [0.4, 0.8].compactMap { part in
            let place = drive.fixes[Int(Double(drive.fixes.count - 1) * part)].coordinate
            return circle("near \(part)", at: place, radius: 150)
        }
        let change = SignificantChange()
        return [
            ("5 regions, all far", MonitorSubjects(regions: far)),
            ("5 regions, 2 on the way", MonitorSubjects(regions: near + far.dropFirst(2))),
            ("significant changes", MonitorSubjects(significantChange: change)),
            ("visits", MonitorSubjects(visits: true)),
            (
                "changes, visits, 5 far regions",
                MonitorSubjects(regions: far, significantChange: change, visits: true)
            ),
        ]
    }

    private static func circle(_ name: String, at center: Coordinate, radius: Double) -> Region? {
        guard let circle = try? RegionCircle(center: center, radius: radius) else { return nil }
        return try? Region(identifier: name, shape: .circle(circle))
    }
}
