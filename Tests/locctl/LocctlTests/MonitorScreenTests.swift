@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import Testing

@testable import locctl

/// The live view's screen in every size.
@Suite struct MonitorScreenTests {
    /// Every kind of content, on every size of screen.
    private static func states() throws -> [MonitorModel] {
        [
            MonitorModel(), try MonitorSamples.state(satellites: 0), try MonitorSamples.state(),
            try MonitorSamples.state(satellites: 60),
            try MonitorSamples.state(
                source: .lost, reason: String(repeating: "the antenna is covered by snow; ", count: 40)),
        ]
    }

    @Test(arguments: [(80, 24), (120, 40), (40, 10), (72, 16), (60, 50), (300, 100), (20, 4), (8, 2), (1, 1), (0, 0)])
    func fitsEveryScreen(columns: Int, rows: Int) throws {
        for state in try Self.states() {
            for style in [ScreenStyle(), ScreenStyle(isASCII: true, isColoured: false)] {
                let lines = MonitorSamples.screen(state, columns, rows, style: style)
                #expect(lines.count <= rows)
                #expect(lines.allSatisfy { $0.width <= columns && $0.width == $0.text.columns })
            }
        }
    }

    @Test func aTerminalOfTheUsualSizeShowsEverything() throws {
        let text = try MonitorSamples.text(MonitorSamples.state())
        for words in [
            "● tracking", "-33.856800, 151.215300", "±3.2 m", "13.9 m/s, 50 km/h ±0.3 m/s", "87° E ±1°",
            "12.5 m ±4.8 m above sea level", "3D, dgps, HDOP 0.9", "12 in view, 8 used", "Time       12:04:31",
            "gpsd (/dev/ttyACM0)", "── Satellites", "C BeiDou", "── Clients 2", "uid:1000 (alice)", "tide tables",
            "q leaves",
        ] {
            #expect(text.contains(words), "\(words) is missing:\n\(text)")
        }
        #expect(text.split(separator: "\n")[13].contains("S"), "the sky has its south:\n\(text)")
    }

    @Test func timesThatAreNotTheReceiversOrCannotBeTrueSaySo() throws {
        var location = try MonitorSamples.location()
        location.timestamp = UTCTime("2005-06-09T14:34:52.280Z")
        location.isTimestampImplausible = true
        for (timestamp, shown) in [
            (location.timestamp, "2005-06-09 14:34:52 (implausible)"), (nil, "12:04:31 (arrival)"),
        ] {
            location.timestamp = timestamp
            var state = MonitorModel()
            let reply = WatchReply(status: MonitorSamples.status(), location: Aged(location, age: 0.5))
            state.apply(reply, at: MonitorSamples.now)
            let text = MonitorSamples.text(state)
            #expect(text.contains("Time       \(shown)"), "\(text)")
        }
    }

    @Test(arguments: [
        (87, "87° E ±1°"), (359.7, "0° N ±1°"), (-90, "270° W ±1°"), (360, "0° N ±1°"), (1e300, "–"), (-1e300, "–"),
        (.infinity, "–"), (.nan, "–"),
    ])
    func anyNumberMayBeTheCourse(degrees: Double, shown: String) throws {
        var location = try MonitorSamples.location()
        location.course = degrees
        var state = MonitorModel()
        state.apply(
            WatchReply(status: MonitorSamples.status(), location: Aged(location, age: 0)), at: MonitorSamples.now)
        var heading = Heading()
        heading.magneticHeading = degrees
        state.apply(WatchReply(heading: Aged(heading, age: 0)), at: MonitorSamples.now)
        let lines = MonitorSamples.text(state, 120, 40).split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix(" Course     \(shown)") }, "\(lines)")
    }

    @Test func aSmallTerminalKeepsWhatMatters() throws {
        let lines = try MonitorSamples.text(MonitorSamples.state(), 40, 10).split(separator: "\n")
        #expect(lines.count == 10 && lines[0].contains("tracking") && lines[9].contains("q leaves"))
        for label in ["Position", "Accuracy", "Age", "Speed"] {
            #expect(lines.contains { $0.hasPrefix(" \(label) ") })
        }
        #expect(!lines.contains { $0.contains("──") })
    }

    @Test func aLargeTerminalShowsWhereSatellitesStand() throws {
        let text = try MonitorSamples.text(MonitorSamples.state(), 120, 40)
        #expect(text.contains("elevation, azimuth"))
        #expect(text.contains("20   0   0"), "a signal, an elevation, an azimuth:\n\(text)")
    }

    @Test func anOldFixIsNeverShownAsNew() throws {
        #expect(try MonitorSamples.text(MonitorSamples.state(), after: 2).contains("2 s, not current") == false)
        #expect(
            try MonitorSamples.text(MonitorSamples.state(source: .lost), after: 2).contains(
                "Age        2 s, not current"))
        // The daemon sends nothing at all any more.
        let silent = try MonitorSamples.text(MonitorSamples.state(), after: 30)
        #expect(silent.contains("30 s, not current") && silent.contains("○ tracking, but no new location arrives"))
        var gone = try MonitorSamples.state()
        gone.connectionLost("it was killed", at: MonitorSamples.now)
        let text = MonitorSamples.text(gone, after: 3)
        #expect(text.contains("○ disconnected for 3 s, trying again") && text.contains("it was killed"))
        #expect(text.contains("3 s, not current") && text.contains("not known yet"))
    }

    @Test func afterARevocationNothingOldIsShown() throws {
        var state = try MonitorSamples.state()
        var status = MonitorSamples.status(.stopped, reason: "an administrator denied it")
        status.authorization = .denied
        state.apply(WatchReply(status: status), at: MonitorSamples.now)
        let text = MonitorSamples.text(state)
        #expect(text.contains("not authorized (denied)") && text.contains("an administrator denied it"))
        #expect(!text.contains("-33.85") && !text.contains("gpsd") && text.contains("none known"))
    }

    @Test func theReasonForMissingClientsIsShown() throws {
        var state = try MonitorSamples.state()
        state.clients = .closed(reason: "only the control socket tells")
        #expect(MonitorSamples.text(state).contains("only the control socket tells"))
    }

    @Test func aSimulationIsMarkedInEverySize() throws {
        var location = try MonitorSamples.location()
        location.source = SourceInformation(name: "simulator", method: .simulated)
        var state = try MonitorSamples.state()
        state.apply(WatchReply(location: Aged(location, age: 0)), at: MonitorSamples.now)
        for (columns, rows) in [(80, 24), (40, 10)] {
            #expect(MonitorSamples.text(state, columns, rows).contains("SIMULATED"))
        }
        #expect(MonitorSamples.text(state, 16, 3).contains("SIM"))
    }

    @Test func programOfABridgeIsShownByItsLabel() throws {
        var state = try MonitorSamples.state()
        var client = MonitorSamples.client(1)
        client.label = "GeoClue: org.mozilla.firefox"
        state.clients = .known([client])
        #expect(MonitorSamples.text(state).contains("GeoClue: org.mozilla.firefox"))
    }

    @Test func moreClientsThanFitAreCounted() throws {
        var state = try MonitorSamples.state()
        state.clients = .known((1...50).map { MonitorSamples.client($0) })
        let text = MonitorSamples.text(state)
        #expect(text.contains("Clients 50") && text.contains("4001") && text.contains(" more"), "\(text)")
    }

    @Test func whatOthersWroteCannotSteerTheTerminal() throws {
        var state = try MonitorSamples.state(reason: "\u{1b}[2J\u{9b}31m\nline\u{202e}")
        state.clients = .known([MonitorSamples.client(1, purpose: "\u{1b}]0;title\u{7}")])
        let lines = MonitorSamples.screen(state, 80, 24, style: ScreenStyle(isColoured: false)).map(\.encoded)
        #expect(lines.allSatisfy { $0.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control } })
        #expect(lines.contains { $0.contains(#"\u{1b}[2J"#) } && lines.contains { $0.contains(#"\u{1b}]0;title"#) })
    }

    @Test func asciiIsASCIIAndPlainHasNoSequences() throws {
        let style = ScreenStyle(isASCII: true, isColoured: false)
        for state in try Self.states() {
            let text = MonitorSamples.screen(state, 120, 40, style: style).map(\.encoded).joined()
            #expect(text.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
        }
        #expect(try MonitorSamples.text(MonitorSamples.state(), style: style).contains("+/-3.2 m"))
        let coloured = try MonitorSamples.screen(MonitorSamples.state(), 80, 24).map(\.encoded).joined()
        #expect(coloured.contains("\u{1b}[32m"))
    }
}
