@_spi(Programs) import LocationModel
import LocationServer
import Logging
import Testing

@testable import locationd

/// What is said again within the minute is counted, and told once.
struct LogRepeatsTests {
    private var repeats = LogRepeats()
    private let second = { BootInstant(seconds: $0 as Double) }

    private func record(
        _ sentence: String, _ metadata: Logger.Metadata = [:], level: Logger.Level = .warning,
        event: ServiceEvent? = nil, place: String = "file:1"
    ) -> LogRecord {
        LogRecord(level, sentence, metadata, event: event, place: place)
    }

    private mutating func texts(_ record: LogRecord, at time: Double) -> [String] {
        repeats.applyRecord(record, at: second(time)).map(\.text)
    }

    private mutating func textsOfTime(_ time: Double) -> [String] {
        repeats.advance(to: second(time)).map(\.text)
    }

    @Test mutating func repeatIsCountedAndToldOnceAfterTheInterval() {
        #expect(texts(record("gone"), at: 0) == ["gone"])
        #expect(repeats.deadline == nil)
        for time in 1...50 { #expect(texts(record("gone"), at: Double(time)) == []) }
        #expect(repeats.deadline == second(60))
        #expect(textsOfTime(59.9) == [])
        #expect(textsOfTime(60) == ["gone (repeated 50 times)"])
        #expect(repeats.deadline == nil && textsOfTime(61) == [])
        // The next minute began with that line.
        #expect(texts(record("gone"), at: 62) == [])
        #expect(textsOfTime(120) == ["gone (repeated 1 time)"])
        #expect(textsOfTime(300) == [] && texts(record("gone"), at: 300) == ["gone"])
    }

    @Test mutating func whatIsNewTellsWhatWasCountedFirst() {
        #expect(texts(record("lost"), at: 0) == ["lost"])
        #expect(texts(record("found"), at: 1) == ["found"])
        for time in [2.0, 4, 6] {
            #expect(texts(record("lost"), at: time) == [])
            #expect(texts(record("found"), at: time + 1) == [])
        }
        #expect(texts(record("lost"), at: 8) == [])
        // The order is that of the latest, so that the last line says how things are.
        #expect(
            texts(record("other"), at: 9)
                == ["found (repeated 3 times)", "lost (repeated 4 times)", "other"])
        #expect(repeats.deadline == nil)
    }

    @Test mutating func otherDataOtherPlacesAndOtherWordsAreNoRepeats() {
        #expect(texts(record("gone", ["source": "a"]), at: 0) == ["gone source=a"])
        #expect(texts(record("gone", ["source": "b"]), at: 0) == ["gone source=b"])
        #expect(texts(record("gone", ["source": "a", "reason": "c"]), at: 0) == ["gone reason=c source=a"])
        #expect(texts(record("gone", ["source": "a"], place: "file:2"), at: 0) == ["gone source=a"])
        #expect(texts(record("gone", ["sourc": "ea"]), at: 0) == ["gone sourc=ea"])
    }

    @Test mutating func whoExactlyItWasMakesNoDifferenceAndTheLatestIsShown() {
        #expect(texts(record("let go", ["pid": "1", "client": "5", "reason": "r"]), at: 0).count == 1)
        #expect(texts(record("let go", ["pid": "2", "client": "6", "reason": "r"]), at: 1) == [])
        #expect(texts(record("let go", ["pid": "3", "client": "7", "reason": "r"]), at: 2) == [])
        #expect(textsOfTime(60) == ["let go client=7 pid=3 reason=r (repeated 2 times)"])
    }

    @Test(arguments: ServiceEvent.allCases.filter(\.isLoggedEachTime))
    mutating func whatAnAdministratorReliesOnIsToldEachTime(event: ServiceEvent) {
        for time in 0..<300 {
            #expect(texts(record("decided", level: event.level, event: event), at: Double(time) / 100) == ["decided"])
        }
    }

    @Test func decisionsRefusalsAndSwitchesAreToldEachTime() {
        let relied: [ServiceEvent] = [
            .authorizationRequested, .authorizationGranted, .authorizationRefused, .authorizationRevoked,
            .authorizationReset, .firstDelivery, .switchedOn, .switchedOff, .configurationRead, .decisionsUnreadable,
        ]
        #expect(relied.allSatisfy { $0.isLoggedEachTime })
    }

    @Test mutating func whatSomebodyAskedToSeeIsNotCounted() {
        for time in 0..<10 {
            #expect(texts(record("step", level: .debug), at: Double(time)) == ["step"])
        }
    }

    @Test mutating func memoryIsBoundedAndNothingCountedIsForgotten() {
        var told = 0
        for number in 0..<10_000 {
            let time = Double(number) / 1000
            for _ in 0..<2 {
                let news = repeats.applyRecord(record("flood", place: "file:\(number)"), at: second(time))
                told += news.reduce(0) { $0 + max(1, $1.repeats) }
                #expect(news.count <= 2)
            }
        }
        told += repeats.advance(to: second(1000)).reduce(0) { $0 + $1.repeats }
        #expect(told == 20_000)
        // The oldest were forgotten, and are told as if they were new.
        #expect(texts(record("flood", place: "file:0"), at: 1000.5) == ["flood"])
    }

    @Test mutating func dataThatDiffersEachTimeDoesNotFillTheLog() {
        var told: [String] = []
        for number in 0..<5000 {
            let time = Double(number) / 100
            told += texts(record("found", ["device": "\(number)"]), at: time)
            told += texts(record("lost", ["reason": "\(number)"]), at: time)
        }
        #expect(told.count <= 4 * (LogRepeats.variety + 1))
        #expect(told.contains("found device=0") && told.contains("lost reason=0"))
        #expect(texts(record("gone", ["device": "1"]), at: 50).last == "gone device=1")
        told = texts(record("found", ["device": "5000"]), at: 50.5) + textsOfTime(200)
        #expect(told == ["found device=5000 (repeated 1 time)"])
        #expect(texts(record("found", ["device": "5001"]), at: 300) == ["found device=5001"])
    }

    @Test mutating func clockThatStandsStillHoldsNothingBackForEver() {
        #expect(texts(record("gone"), at: 5) == ["gone"])
        #expect(texts(record("gone"), at: 5) == [])
        #expect(texts(record("other"), at: 5) == ["gone (repeated 1 time)", "other"])
    }
}
