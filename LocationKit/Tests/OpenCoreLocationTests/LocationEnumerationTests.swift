@_spi(Programs) import LocationKit
@_spi(Programs) import OpenCoreLocation
import Testing

@Suite struct LocationEnumerationTests {
    @Test func numbersAreApples() {
        let statuses: [CLAuthorizationStatus] = [
            .notDetermined, .restricted, .denied, .authorizedAlways, .authorizedWhenInUse,
        ]
        #expect(statuses.map(\.rawValue) == [0, 1, 2, 3, 4])
        #expect(CLAuthorizationStatus.authorized == .authorizedAlways)
        #expect(CLAccuracyAuthorization.fullAccuracy.rawValue == 0)
        #expect(CLAccuracyAuthorization.reducedAccuracy.rawValue == 1)
        let activities: [CLActivityType] = [.other, .automotiveNavigation, .fitness, .otherNavigation, .airborne]
        #expect(activities.map(\.rawValue) == [1, 2, 3, 4, 5])
        let orientations: [CLDeviceOrientation] = [
            .unknown, .portrait, .portraitUpsideDown, .landscapeLeft, .landscapeRight, .faceUp, .faceDown,
        ]
        #expect(orientations.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 6])
        #expect([CLRegionState.unknown, .inside, .outside].map(\.rawValue) == [0, 1, 2])
    }

    @Test(
        arguments: [
            (.notDetermined, .notDetermined), (.restricted, .restricted), (.denied, .denied),
            (.authorizedAlways, .authorizedAlways), (.authorizedWhenInUse, .authorizedWhenInUse),
            (.unknown, .notDetermined),
        ] as [(AuthorizationStatus, CLAuthorizationStatus)])
    func authorizationIsApples(_ status: AuthorizationStatus, _ expected: CLAuthorizationStatus) {
        #expect(CLAuthorizationStatus(status) == expected)
    }

    @Test func onlyFullAccuracyIsFull() {
        #expect(CLAccuracyAuthorization(AccuracyAuthorization.full) == .fullAccuracy)
        #expect(CLAccuracyAuthorization(AccuracyAuthorization.reduced) == .reducedAccuracy)
        #expect(CLAccuracyAuthorization(AccuracyAuthorization.unknown) == .reducedAccuracy)
    }

    @Test func everyActivityHasItsLike() {
        let activities: [CLActivityType] = [.other, .automotiveNavigation, .fitness, .otherNavigation, .airborne]
        #expect(activities.map(\.activityType) == ActivityType.allCases)
    }
}
