import Glibc
import LocationHub
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

/// An observer without authorization sees when the receiver starts and stops, exactly, by whatever means: gpsd's
/// connections, the daemon's threads and processor time. How far the machine is from another user's region is not to be
/// read from it.
struct PauseLeakTests {
    /// The receiver's pauses, in seconds, of a machine that drives at one distance around a region's middle.
    private func pauses(atDistance distance: Double, blur: UInt64?, count: Int = 12) throws -> [Double] {
        var server = ServerDouble(blur: blur)
        _ = try server.monitor()
        var (pauses, angle): ([Double], Double) = ([], 0)
        while pauses.count < count {
            // A fix a second until the receiver is switched off.
            var seconds = 0
            while server.isDemanded {
                seconds += 1
                try #require(seconds < 100, "there is no pause")
                angle += 20 / distance
                let here = Coordinate.start.coordinate(atDistance: distance, bearing: angle * 180 / .pi)
                server.fix { $0.coordinate = here }
                server.pass(1)
            }
            let stopped = server.now
            while !server.isDemanded {
                let next = try #require(server.nextDeadline)
                server.pass(max(0.001, next.seconds(since: server.now)))
            }
            pauses.append(server.now.seconds(since: stopped))
        }
        return pauses
    }

    /// Distances in metres, evenly spread by their logarithm, where there are pauses.
    private let distances = (0..<40).map { 8500 * exp(log(9.0) * Double($0) / 39) }

    /// How far off the attacker is: the root mean square of the logarithm of what it believes to what is, with the best
    /// factor, which it is given, between the longest pause it sees and the distance.
    private func error(of guesses: [(seen: Double, distance: Double)]) -> Double {
        let ratios = guesses.map { log($0.distance / $0.seen) }
        let mean = ratios.reduce(0, +) / Double(ratios.count)
        return (ratios.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / Double(ratios.count)).squareRoot()
    }

    /// The same where positions by access points come first: when each source starts and stops. The receiver runs only
    /// near a border, where it runs without a pause anyway.
    @Test func spareReceiverTellsNoMoreThanThePauses() throws {
        func switches(atDistance distance: Double) throws -> [String] {
            var server = ServerDouble(sources: 2, lowPower: ["source1"], blur: 5) {
                $0.failoverDelay = 5
                $0.linger = 4
            }
            let begin = server.now
            _ = try server.monitor()
            var seen: [String] = []
            for _ in 0..<600 {
                if server.isDemanded {
                    let rank = server.switchedOff.contains("source0") ? 1 : 0
                    server.fix(rank == 0 ? "/dev/gps0" : nil, rank: rank, metresEast: distance) {
                        $0.horizontalAccuracy = rank == 0 ? 5 : 40
                    }
                }
                server.pass(1)
                let now = "\(server.isDemanded) \(server.switchedOff.sorted())"
                if seen.last?.hasSuffix(now) != true { seen.append("\(server.now.seconds(since: begin)) \(now)") }
            }
            return seen
        }
        // Of one class of pauses.
        let (near, far) = (try switches(atDistance: 12_000), try switches(atDistance: 19_000))
        #expect(near == far)
        #expect(near.count { $0.contains("true [\"source0\"]") } > 2, "the receiver is spared: \(near)")
    }

    @Test func exactPausesTellTheDistance() throws {
        let guesses = try distances.map { (try pauses(atDistance: $0, blur: nil, count: 3).max() ?? 0, $0) }
        #expect(error(of: guesses) < 0.1)
    }

    @Test func blurredPausesDoNot() throws {
        let guesses = try distances.enumerated().map { number, distance in
            (try pauses(atDistance: distance, blur: UInt64(number)).max() ?? 0, distance)
        }
        #expect(error(of: guesses) > 0.4)
    }

    /// Whoever watches one machine move, and knows its every pause, sees pauses of few lengths.
    @Test func pausesAreOfFewClasses() throws {
        let seen = try distances.map { try pauses(atDistance: $0, blur: 1).max() ?? 0 }
        let classes = seen.map { (log2($0 / 40) / 2).rounded() }
        #expect(Set(classes).count <= 3, "\(seen)")
        #expect(zip(seen, distances).allSatisfy { $0 <= $1 / 100 }, "no pause is longer than the distance allows")
    }

    /// To begin and end monitors of one's own has no pause drawn again, of which the shortest would tell more.
    @Test func othersCannotHavePausesDrawnAgain() throws {
        func pause(asking: Bool) throws -> Double {
            var server = ServerDouble(blur: 3)
            _ = try server.monitor()
            for second in 0..<20 where server.isDemanded {
                server.fix(metresEast: 20_000 + Double(second) * 20)
                server.pass(1)
            }
            let stopped = server.now
            while !server.isDemanded {
                let next = try #require(server.nextDeadline)
                server.pass(min(1, max(0.001, next.seconds(since: server.now))))
                guard asking, !server.isDemanded else { continue }
                let other = try server.monitor([.work], owner: 2000, .denied)
                server.end(other)
            }
            return server.now.seconds(since: stopped)
        }
        #expect(try abs(pause(asking: true) - pause(asking: false)) < 0.01)
    }
}
