import Authorization
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import LocationServer
import Testing

/// What becomes a record of the audit, and what does not.
struct AuditTrailTests {
    private let noon: UTCTime
    private let justBeforeMidnight: UTCTime
    private let midnight: UTCTime
    private let alice = Principal(uid: 1000, pid: 7, groups: [])
    private let navigator = Principal(uid: 1000, pid: 8, groups: [], unit: "navigator.service")

    init() throws {
        noon = try #require(UTCTime("2026-03-01T12:00:00Z"))
        justBeforeMidnight = try #require(UTCTime("2026-03-01T23:59:59.999Z"))
        midnight = try #require(UTCTime("2026-03-02T00:00:00Z"))
    }

    /// A trail whose answers the macros of tests can take.
    private final class Trail {
        private var trail: AuditTrail
        init(at time: UTCTime) { trail = AuditTrail(at: time) }

        var day: Int { trail.day }
        func advance(to time: UTCTime) { trail.advance(to: time) }
        func resume(_ records: [AuditRecord]) { trail.resume(records) }

        func delivered(
            _ principal: Principal, accuracy: AccuracyAuthorization, authorization: AuthorizationStatus? = nil,
            purpose: String? = nil, at time: UTCTime
        ) -> AuditRecord? {
            trail.delivered(
                principal, accuracy: accuracy, authorization: authorization, purpose: purpose, at: time)
        }

        func refused(
            _ principal: Principal, authorization: AuthorizationStatus, purpose: String? = nil, at time: UTCTime
        ) -> AuditRecord? {
            trail.refused(principal, authorization: authorization, purpose: purpose, at: time)
        }
    }

    @Test func firstDeliveryOfADayIsRecordedWithItsData() throws {
        let trail = Trail(at: noon)
        let record = try #require(
            trail.delivered(
                alice, accuracy: .reduced, authorization: .authorizedWhenInUse, purpose: "a map", at: noon))
        #expect(record.event == .delivered && record.principal == "uid:1000" && record.time == noon)
        #expect(record.uid == 1000 && record.pid == 7 && record.purpose == "a map" && record.by == nil)
        #expect(record.accuracy == .reduced && record.authorization == .authorizedWhenInUse)
        #expect(trail.delivered(alice, accuracy: .reduced, at: justBeforeMidnight) == nil)
        #expect(trail.delivered(alice, accuracy: .reduced, at: midnight) != nil, "another day")
    }

    @Test func eachPrincipalAndAccuracyHasARecordOfItsOwn() {
        let trail = Trail(at: noon)
        #expect(trail.delivered(alice, accuracy: .full, at: noon)?.principal == "uid:1000")
        #expect(trail.delivered(navigator, accuracy: .full, at: noon)?.principal == "unit:navigator.service")
        #expect(trail.delivered(alice, accuracy: .reduced, at: noon)?.accuracy == .reduced)
        let sameUser = Principal(uid: 1000, pid: 99, groups: [100])
        #expect(trail.delivered(sameUser, accuracy: .full, at: noon) == nil, "another process of the same principal")
    }

    @Test func refusalIsRecordedOncePerStatusAndDay() throws {
        let trail = Trail(at: noon)
        let record = try #require(trail.refused(alice, authorization: .notDetermined, purpose: "a map", at: noon))
        #expect(record.event == .refused && record.authorization == .notDetermined && record.pid == 7)
        #expect(record.purpose == "a map")
        #expect(trail.refused(alice, authorization: .notDetermined, at: justBeforeMidnight) == nil)
        #expect(trail.refused(alice, authorization: .denied, at: noon)?.authorization == .denied)
        #expect(trail.refused(alice, authorization: .notDetermined, at: midnight) != nil)
        #expect(trail.delivered(alice, accuracy: .full, at: midnight) != nil, "no delivery is no refusal")
    }

    @Test func dayIsCountedInUTC() throws {
        #expect(AuditTrail.day(of: UTCTime(seconds: 0)) == 0)
        #expect(AuditTrail.day(of: UTCTime(seconds: 86_399, nanoseconds: 999_999_999)) == 0)
        #expect(AuditTrail.day(of: UTCTime(seconds: 86_400)) == 1)
        #expect(AuditTrail.day(of: UTCTime(seconds: -1)) == -1)
        #expect(AuditTrail.day(of: UTCTime(seconds: -86_400)) == -1)
        for extreme in [UTCTime(seconds: .min), UTCTime(seconds: .max)] {
            #expect(AuditTrail(at: extreme).day == AuditTrail.day(of: extreme))
        }
        let trail = Trail(at: noon)
        #expect(CivilDate(daysSince1970: Int64(trail.day)) == CivilDate(year: 2026, month: 3, day: 1))
        trail.advance(to: midnight)
        #expect(CivilDate(daysSince1970: Int64(trail.day)) == CivilDate(year: 2026, month: 3, day: 2))
    }

    @Test func clockThatGoesBackRepeatsARecordRatherThanGrow() {
        let trail = Trail(at: noon)
        #expect(trail.delivered(alice, accuracy: .full, at: noon) != nil)
        #expect(trail.delivered(alice, accuracy: .full, at: UTCTime(seconds: 5)) != nil)
        #expect(trail.day == 0)
        #expect(trail.delivered(alice, accuracy: .full, at: noon) != nil)
    }

    @Test func marksAreForgottenWhenThereAreTooMany() {
        let trail = Trail(at: noon)
        let crowd = (1...UInt32(AuditTrail.capacity)).map { Principal(uid: $0, pid: 1, groups: []) }
        #expect(crowd.allSatisfy { trail.delivered($0, accuracy: .full, at: noon) != nil })
        #expect(crowd.allSatisfy { trail.delivered($0, accuracy: .full, at: noon) == nil }, "all have their marks")
        let onesMore = Principal(uid: 100_000, pid: 1, groups: [])
        #expect(trail.delivered(onesMore, accuracy: .full, at: noon) != nil)
        #expect(trail.delivered(onesMore, accuracy: .full, at: noon) == nil, "it has its own all the same")
        #expect(trail.delivered(crowd[0], accuracy: .full, at: noon) != nil, "the others are forgotten")
    }

    @Test func strangersFillNeitherTheHistoryNorTheMemory() {
        let trail = Trail(at: noon)
        #expect(trail.delivered(alice, accuracy: .full, at: noon) != nil)
        let crowd = (1...20_000).map { Principal(uid: 100_000 + UInt32($0), pid: 1, groups: []) }
        let records = crowd.filter { trail.refused($0, authorization: .notDetermined, at: noon) != nil }
        #expect(records.count == AuditTrail.refusalLimit)
        #expect(trail.refused(crowd[0], authorization: .notDetermined, at: noon) == nil)
        #expect(trail.delivered(alice, accuracy: .full, at: noon) == nil, "its mark is not pushed out")
        #expect(trail.delivered(navigator, accuracy: .full, at: noon) != nil, "what is delivered is recorded always")
        #expect(trail.refused(crowd[0], authorization: .notDetermined, at: midnight) != nil)
    }

    @Test func restartDoesNotRepeatTheDay() throws {
        let before = Trail(at: noon)
        let records = try [
            #require(before.delivered(alice, accuracy: .full, at: noon)),
            #require(before.refused(navigator, authorization: .denied, at: noon)),
        ]
        let after = Trail(at: justBeforeMidnight)
        after.resume(records)
        #expect(after.delivered(alice, accuracy: .full, at: justBeforeMidnight) == nil)
        #expect(after.refused(navigator, authorization: .denied, at: justBeforeMidnight) == nil)
        #expect(after.delivered(alice, accuracy: .reduced, at: justBeforeMidnight) != nil)
        #expect(after.refused(alice, authorization: .denied, at: justBeforeMidnight) != nil)
        let tomorrow = Trail(at: midnight)
        tomorrow.resume(records)
        #expect(tomorrow.delivered(alice, accuracy: .full, at: midnight) != nil)
    }

    @Test func administratorsRefusalIsNoAnswerToAProgram() {
        let decision = AuditTrail.decided(Decision(.denied, by: "uid:0", time: noon), about: .uid(1000))
        #expect(decision.event == .refused && decision.authorization == .denied && decision.by == "uid:0")
        let trail = Trail(at: noon)
        trail.resume([decision])
        #expect(trail.refused(alice, authorization: .denied, at: noon) != nil)
    }
}
