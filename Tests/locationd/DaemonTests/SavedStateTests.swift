@_spi(Programs) import LocationModel
import Testing

@testable import locationd

/// What outlives the daemon, and how old it is when it is read again.
struct SavedStateTests {
    private static let savedAt = UTCTime(seconds: 1_790_000_000)

    /// A location that was 5 s old at 1000 s of uptime, when it was kept.
    private func state() throws -> SavedState {
        var state = SavedState()
        state.enabled = false
        state.sequenceLimit = 131_072
        state.lastLocation = Location(
            coordinate: try #require(Coordinate(latitude: 52.5, longitude: -13.4)),
            monotonicTime: BootInstant(seconds: 995), source: SourceInformation(name: "gpsd", device: "/dev/ttyACM0"))
        state.lastLocation?.sequence = 70_000
        state.bootID = "before"
        state.savedAt = Self.savedAt
        state.ageWhenSaved = 5
        return state
    }

    private func age(wallSeconds: Int64, uptime: Double, bootID: String?) throws -> Double? {
        let now = BootInstant(seconds: uptime)
        let wall = UTCTime(seconds: Self.savedAt.seconds + wallSeconds)
        return try state().lastLocation(now: now, wallClock: wall, bootID: bootID)?.age(at: now)
    }

    @Test func everythingIsReadBack() throws {
        let state = try state()
        #expect(try SavedState(state.encoded()) == state)
        #expect(try SavedState(SavedState().encoded()) == SavedState())
    }

    @Test(arguments: ["", "{", "[]", "null", #"{"version":1}"#, #"{"enabled":true,"sequenceLimit":5,"version":2}"#])
    func whatIsNoStateIsRefused(text: String) {
        #expect(throws: DecodingError.self) { try SavedState(Array(text.utf8)) }
    }

    @Test func smallestStateIsRead() throws {
        let text = #"{"enabled":true,"sequenceLimit":5,"version":1,"unheardOf":[]}"#
        #expect(try SavedState(Array(text.utf8)).sequenceLimit == 5)
    }

    @Test func withinOneBootTheClockThatNeverJumpsCounts() throws {
        // Whatever the wall clock says.
        for wallSeconds: Int64 in [10, -1_000_000, 1_000_000] {
            #expect(try age(wallSeconds: wallSeconds, uptime: 1020, bootID: "before") == 25)
        }
    }

    @Test func locationFromTheFutureIsNotShown() throws {
        #expect(try age(wallSeconds: 10, uptime: 990, bootID: "before") == nil)
    }

    @Test func afterARebootTheWallClockCounts() throws {
        #expect(try age(wallSeconds: 3600, uptime: 60, bootID: "after") == 3605)
        let location = try #require(
            try state().lastLocation(
                now: BootInstant(seconds: 60), wallClock: UTCTime(seconds: Self.savedAt.seconds + 3600), bootID: "after"
            ))
        #expect(location.sequence == 70_000 && location.source.device == "/dev/ttyACM0")
    }

    @Test func withoutBootIDItCountsAsARestartOfTheMachine() throws {
        #expect(try age(wallSeconds: 3600, uptime: 60, bootID: nil) == 3605)
    }

    @Test func clockThatWentBackMakesTheAgeUnknowable() throws {
        #expect(try age(wallSeconds: -1, uptime: 60, bootID: "after") == nil)
    }

    @Test func machineWithoutAClockIsAtLeastAsOldAsItsBoot() throws {
        // It comes up with the time at which it went down.
        let age = try age(wallSeconds: 2, uptime: 300, bootID: "after")
        #expect(try #require(age) >= 300)
    }

    @Test func withoutALocationThereIsNone() {
        #expect(SavedState().lastLocation(now: BootInstant(seconds: 1), wallClock: Self.savedAt, bootID: nil) == nil)
    }

    @Test func locationThatADiskHasSpoiltIsNotShown() throws {
        var state = try state()
        state.lastLocation?.course = 720
        #expect(state.lastLocation(now: BootInstant(seconds: 1020), wallClock: Self.savedAt, bootID: "before") == nil)
        #expect(state.sequenceLimit == 131_072, "the rest is heeded")
    }

    @Test func locationWithoutTheTimeOfKeepingIsNotShown() throws {
        var state = try state()
        state.savedAt = nil
        #expect(state.lastLocation(now: BootInstant(seconds: 1), wallClock: Self.savedAt, bootID: "after") == nil)
    }
}
