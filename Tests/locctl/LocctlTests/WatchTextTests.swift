@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import Testing

@testable import locctl

/// The lines of a watch, and when one with satellites ends.
@Suite struct WatchTextTests {
    private let clock = MonitorSamples.clock

    @Test func whatIsNotBelievedSaysSoBeforeItsCoordinates() throws {
        var location = try MonitorSamples.location()
        location.implausibility = .jump
        let line = Text.line(location, age: 0, namesSource: true, clock)
        let start =
            "12:04:31.2  gpsd (/dev/ttyACM0)  (implausible: too far from the fix before)  -33.856800, 151.215300  "
        #expect(line.hasPrefix(start), "\(line)")
        location.implausibility = nil
        location.isTimestampImplausible = true
        #expect(Text.line(location, age: 0, clock).hasPrefix("12:04:31.2 (implausible time)  -33.856800"))
        location.isTimestampImplausible = false
        #expect(Text.line(location, age: 0, clock).hasPrefix("12:04:31.2  -33.856800, 151.215300  ±3.2 m"))
    }

    @Test func networkPositionToldAgainIsARepetitionUntilItIsMeasuredAnew() throws {
        var first = try MonitorSamples.location()
        first.timestamp = nil
        first.source = SourceInformation(name: "nearby", method: .network)
        func repeats(_ change: (inout Location) -> Void) -> Bool {
            var second = first
            second.sequence += 1
            change(&second)
            return UpdatePrinter.repeats(second, first)
        }
        let (soon, later) = (0.02, 0.5)
        let answers = [
            repeats { $0.monotonicTime = MonitorSamples.now.advanced(bySeconds: soon) },
            repeats { $0.monotonicTime = MonitorSamples.now.advanced(bySeconds: later) },
            repeats { $0.horizontalAccuracy = 4 },
        ]
        #expect(answers == [true, false, false])
        // A receiver that stands still tells a new fix each time.
        first.source = SourceInformation(name: "gpsd", method: .gnss)
        let ofReceiver = repeats { _ in }
        #expect(!ofReceiver)
    }

    @Test(arguments: [Implausibility.nullIsland, .jump, .timeRunsBack]) func doubtsAreWords(
        doubt: Implausibility
    ) {
        #expect(Text.words(doubt).count > 10 && !Text.words(doubt).contains(doubt.rawValue))
    }

    @Test func headingsHaveATime() {
        var heading = Heading()
        heading.magneticHeading = 12.34
        #expect(HeadingText.line(Aged(heading, age: 0.5), clock) == "12:04:31.5 (arrival)  heading  magnetic 12.3°")
        heading.timestamp = UTCTime("2026-03-01T12:04:30.100Z")
        #expect(HeadingText.line(Aged(heading, age: 0.5), clock) == "12:04:30.1  heading  magnetic 12.3°")
    }

    @Test func theSatellitesOfTheLastLocationAreShown() throws {
        let fix = WatchReply(location: Aged(try MonitorSamples.location(), age: 0))
        let sky = WatchReply(satellites: MonitorSamples.sky(3))
        let lost = WatchReply(status: MonitorSamples.status(.lost))
        var ending = WatchEnding(count: 2)
        let now = MonitorSamples.now
        var shown: [WatchReply?] = []
        for reply in [fix, sky, fix] { shown.append(ending.apply(reply, at: now)) }
        #expect(shown == [fix, sky, fix] && !ending.isReached)
        #expect(ending.secondsLeft(at: now) == 4 && ending.secondsLeft(at: now.advanced(bySeconds: 9)) == 0)
        // A third location is not shown, and what the status says is.
        shown = []
        for reply in [fix, lost] { shown.append(ending.apply(reply, at: now)) }
        #expect(shown == [nil, lost] && !ending.isReached)
        let last = ending.apply(sky, at: now)
        #expect(last == sky && ending.isReached)
    }

    @Test func whoMayNotSeeSatellitesWaitsForNone() throws {
        var status = MonitorSamples.status()
        status.accuracy = .reduced
        var ending = WatchEnding(count: 1)
        let reply = WatchReply(status: status, location: Aged(try MonitorSamples.location(), age: 0))
        let shown = ending.apply(reply, at: MonitorSamples.now)
        #expect(shown == reply && ending.isReached)
    }
}
