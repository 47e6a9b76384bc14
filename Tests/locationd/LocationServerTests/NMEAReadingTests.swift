import LocationFormats
import LocationHub
@_spi(Programs) import LocationModel
import Testing

@testable import LocationServer

/// What a reader of sentences is told, by what its watch would be told.
struct NMEAReadingTests {
    /// A reading that expectations can change.
    private final class Reader {
        private var reading = NMEAReading()

        func sentences(for update: WatchUpdate, _ permission: Permission = Permission(.authorizedAlways)) -> String? {
            reading.sentences(for: update, permission: permission)
        }
    }

    private let reading = Reader()

    private func status(
        _ state: SourceState, enabled: Bool = true, _ authorization: AuthorizationStatus = .authorizedAlways
    ) -> WatchUpdate {
        WatchUpdate(
            status: ServiceStatus(
                authorization: authorization, accuracy: .full, enabled: enabled, source: SourceStatus(state: state)))
    }

    private func fix(_ number: Int = 1) throws -> WatchUpdate { WatchUpdate(location: try Sample.fix(number)) }

    @Test func fixesAreSentencesWithDilutionStated() throws {
        for number in 1...2 {
            let sentences = NMEASentences.record(for: try Sample.fix(number))
            #expect(sentences.contains("GSA,A,3,,,,,,,,,,,,,,0.88,") && sentences.contains("GST,"))
            #expect(try reading.sentences(for: fix(number)) == sentences)
        }
        var rough = try Sample.fix()
        (rough.hdop, rough.horizontalAccuracy) = (nil, 3500)
        let text = try #require(reading.sentences(for: WatchUpdate(location: rough)))
        #expect(text.contains(",99.99,"))
    }

    @Test(arguments: [SourceState.stopped, .starting, .searching, .lost, .unavailable, .unknown])
    func lossIsToldOnce(state: SourceState) throws {
        #expect(reading.sentences(for: status(state)) == NMEASentences.noFix)
        #expect(reading.sentences(for: status(.searching)) == nil)
        #expect(try reading.sentences(for: fix()) != nil)
        #expect(reading.sentences(for: status(state)) == NMEASentences.noFix)
        #expect(reading.sentences(for: status(state)) == nil)
    }

    @Test func trackingIsNoNews() throws {
        #expect(reading.sentences(for: status(.tracking)) == nil)
        _ = try reading.sentences(for: fix())
        #expect(reading.sentences(for: status(.tracking)) == nil)
        #expect(reading.sentences(for: WatchUpdate()) == nil)
    }

    @Test func openingWithAFreshLocationIsThatLocation() throws {
        var opening = status(.tracking)
        opening.location = try Sample.fix()
        let sentences = NMEASentences.record(for: try Sample.fix())
        #expect(sentences.contains("GGA,") && sentences.contains("RMC,"))
        #expect(reading.sentences(for: opening) == sentences)
    }

    @Test func openingAfterALossHasNoLocationButForWhoSeesFew() throws {
        var opening = status(.lost)
        opening.location = try Sample.fix()
        #expect(reading.sentences(for: opening) == NMEASentences.noFix)
        let sentences = NMEASentences.record(for: try Sample.fix())
        let reduced = try #require(
            Reader().sentences(for: opening, Permission(.authorizedAlways, accuracy: .reduced)))
        #expect(sentences.hasPrefix(reduced.prefix { $0 != "\r\n" }) && !reduced.contains("GST"))
        #expect(reduced.contains("GSA,A,3,,,,,,,,,,,,,,,*"))
        var paced = Permission(.authorizedAlways)
        paced.pace = Pace(principal: "bridge:nmea", interval: 3600)
        #expect(Reader().sentences(for: opening, paced) == sentences)
    }

    @Test func satellitesAreForFullAccuracyAlone() throws {
        var sky = WatchUpdate()
        sky.satellites = [Satellite(gnss: "GPS", id: 7, used: true)]
        _ = try reading.sentences(for: fix())
        #expect(reading.sentences(for: sky)?.hasPrefix("$GPGSV,1,1,01,07,,,*") == true)
        #expect(try reading.sentences(for: fix(2))?.contains("GSA,A,3,07,") == true)
        #expect(reading.sentences(for: sky, Permission(.authorizedAlways, accuracy: .reduced)) == nil)
        #expect(reading.sentences(for: sky, Permission(.denied)) == nil)
        _ = reading.sentences(for: status(.lost))
        #expect(try reading.sentences(for: fix(3))?.contains("GSA,A,3,,") == true)
    }

    @Test func whoMayNotKnowLearnsNothing() throws {
        _ = try reading.sentences(for: fix())
        #expect(reading.sentences(for: status(.tracking, .denied), Permission(.denied)) == NMEASentences.noFix)
        #expect(try reading.sentences(for: fix(), Permission(.denied)) == nil)
        var opening = status(.tracking, .denied)
        opening.location = try Sample.fix()
        let other = Reader()
        #expect(other.sentences(for: opening, Permission(.denied)) == NMEASentences.noFix)
    }

    @Test func switchedOffAndEndedAreNoFix() throws {
        _ = try reading.sentences(for: fix())
        #expect(reading.sentences(for: status(.tracking, enabled: false)) == NMEASentences.noFix)
        _ = try reading.sentences(for: fix(2))
        var last = status(.tracking)
        last.isFinal = true
        #expect(reading.sentences(for: last) == NMEASentences.noFix)
    }
}
