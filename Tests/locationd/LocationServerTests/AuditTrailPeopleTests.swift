import Authorization
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import LocationServer
import Testing

/// What people ask and decide is recorded each time, with who did.
struct AuditTrailPeopleTests {
    private let noon = UTCTime(seconds: 1_772_366_400)

    @Test func requestTellsWhatWasAskedAndWhatFor() throws {
        let navigator = Principal(uid: 1000, pid: 8, groups: [], unit: "navigator.service")
        let request = AuthorizationRequest(.whenInUse, purpose: "a map", time: noon)
        var trail = AuditTrail(at: noon)
        let first = trail.requested(navigator, request)
        let record = try #require(first)
        #expect(record.event == .requested && record.principal == "unit:navigator.service" && record.time == noon)
        #expect(record.authorization == .authorizedWhenInUse && record.purpose == "a map")
        #expect(record.uid == 1000 && record.pid == 8 && record.by == nil)
        let second = trail.requested(navigator, AuthorizationRequest(.always, purpose: nil, time: noon))
        let always = try #require(second)
        #expect(always.authorization == .authorizedAlways && always.purpose == nil)
        let again = AuthorizationRequest(.always, purpose: "another", time: noon)
        let third = trail.requested(navigator, again)
        #expect(third == nil, "once a day")
        var later = AuditTrail(at: noon)
        later.resume([record, always])
        let afterRestart = later.requested(navigator, again)
        #expect(afterRestart == nil, "a restart is no other day")
    }

    @Test func requestAfterADecisionIsANewOne() throws {
        let (alice, bob) = (Principal(uid: 1000, pid: 7, groups: []), Principal(uid: 1001, pid: 9, groups: []))
        let request = AuthorizationRequest(.always, purpose: nil, fullAccuracy: true, time: noon)
        var trail = AuditTrail(at: noon)
        let (first, others) = (trail.requested(alice, request), trail.requested(bob, request))
        trail.settleRequests(of: .uid(1000))
        let second = trail.requested(alice, request)
        let third = trail.requested(alice, request)
        let othersAgain = trail.requested(bob, request)
        #expect(first != nil && second != nil && others != nil)
        #expect(third == nil && othersAgain == nil, "nothing was decided since about that one")
        let requested = try #require(first)
        let denial = AuditTrail.decided(Decision(.denied, by: "uid:0", time: noon), about: .uid(1000))
        for settled in [AuditTrail.reset(.uid(1000), by: "uid:0", at: noon), denial] {
            var later = AuditTrail(at: noon)
            later.resume([requested, settled])
            let afterRestart = later.requested(alice, request)
            #expect(afterRestart != nil, "a restart remembers that something was decided")
        }
    }

    @Test func grantTellsWhatAndByWhom() {
        let decision = Decision(.authorizedWhenInUse, accuracy: .reduced, by: "uid:0", time: noon)
        let record = AuditTrail.decided(decision, about: .uid(1000))
        #expect(record.event == .granted && record.principal == "uid:1000" && record.uid == 1000 && record.pid == nil)
        #expect(record.authorization == .authorizedWhenInUse && record.accuracy == .reduced && record.by == "uid:0")
        let unit = AuditTrail.decided(decision, about: .unit("navigator.service"))
        #expect(unit.principal == "unit:navigator.service" && unit.uid == nil)
    }

    @Test(arguments: [
        (nil, AuditRecord.Event.refused), (Decision.Answer.denied, .refused), (.authorizedWhenInUse, .revoked),
        (.authorizedAlways, .revoked),
    ])
    func denialOfWhatWasGrantedIsARevocation(former: Decision.Answer?, event: AuditRecord.Event) {
        let denial = Decision(.denied, by: "uid:0", time: noon)
        let record = AuditTrail.decided(
            denial, about: .uid(1000), replacing: former.map { Decision($0, by: "uid:0", time: noon) })
        #expect(record.event == event && record.authorization == .denied && record.accuracy == nil)
    }

    @Test func newGrantIsAGrantWhateverWasBefore() {
        let former = Decision(.authorizedAlways, by: "uid:0", time: noon)
        let record = AuditTrail.decided(
            Decision(.authorizedWhenInUse, by: "uid:1", time: noon), about: .uid(1000), replacing: former)
        #expect(record.event == .granted && record.authorization == .authorizedWhenInUse && record.by == "uid:1")
    }

    @Test func forgettingAGrantIsARevocation() {
        let record = AuditTrail.revoked(.uid(1000), authorization: .notDetermined, by: "uid:0", at: noon)
        #expect(record.event == .revoked && record.principal == "uid:1000" && record.by == "uid:0")
        #expect(record.authorization == .notDetermined && record.time == noon)
    }
}
