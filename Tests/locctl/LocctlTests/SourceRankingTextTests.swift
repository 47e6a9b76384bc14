@_spi(Programs) import LocationModel
import Testing

@testable import locctl

@Suite struct SourceRankingTextTests {
    private func passedOver(_ source: RankedSource) -> [String] {
        var tracking = SourceStatus(state: .tracking)
        tracking.name = "backup"
        tracking.ranking = [source, RankedSource(name: "backup", state: .tracking)]
        let status = ServiceStatus(
            authorization: .authorizedAlways, accuracy: .full, enabled: true, source: tracking,
            authorizationPending: false)
        return SourceRankingText.passedOver(status)
    }

    @Test func aSourceWithAFixTakesOverUnlessThereIsAReason() {
        #expect(
            passedOver(RankedSource(name: "roof", state: .tracking))
                == ["roof, which has a fix and takes over once that is stable"])
        let reason = "it is less accurate than a program desires"
        #expect(
            passedOver(RankedSource(name: "roof", state: .tracking, reason: reason))
                == ["roof, which has a fix: it is less accurate than a program desires"])
    }
}
