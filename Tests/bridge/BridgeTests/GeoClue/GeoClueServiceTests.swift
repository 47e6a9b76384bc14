import DBus
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Testing

@testable import Bridge

/// What programs on the bus are answered.
struct GeoClueServiceTests {
    private var double = ServiceDouble()

    @Test mutating func callsWaitUntilTheBusNamesTheUser() {
        let first = double.call("GetClient")
        let second = double.call("GetClient")
        #expect(double.identified == [":1.1"] && double.replies.isEmpty)
        double.identify(1000)
        #expect(double.replies[first] == [.objectPath("/org/freedesktop/GeoClue2/Client/1")])
        #expect(double.replies[second] == double.replies[first], "a program has one")
        let other = double.call("GetClient", from: ":1.2")
        double.identify(nil, ":1.2")
        #expect(double.errors[other] == .accessDenied)
    }

    @Test mutating func clientIsStartedWhenTheDaemonAllowsIt() throws {
        let path = double.client()
        let start = double.call("Start", at: path)
        #expect(double.replies[start] == nil)
        #expect(double.programs[1]?.uid == 1000 && double.programs[1]?.label == "GeoClue: org.example.map")
        #expect(double.watches[1]?.reducedAccuracy == false)
        double.tell(.authorizedAlways)
        #expect(double.replies[start] == [])
        #expect(double.get("Active", of: path) == .boolean(true))
        double.forgetSignals()
        double.tell(7) { ($0.horizontalAccuracy, $0.speed, $0.course) = (4.2, 13.5, 33.8) }
        let update = try #require(double.signals.first { $0.member == "LocationUpdated" })
        #expect(update.values == [.objectPath("/"), .objectPath(path + "/Location/0")] && update.destination == ":1.1")
        // Everybody is told that the position is in use, and nothing else.
        let everybody = double.signals.filter { $0.destination != ":1.1" }
        #expect(everybody.map(\.values.first) == [.string("org.freedesktop.GeoClue2.Manager")])
        let all = double.call(
            "GetAll", [.string("org.freedesktop.GeoClue2.Location")], at: path + "/Location/0",
            interface: ServiceDouble.properties)
        #expect(
            double.replies[all] == [
                .properties([
                    "Latitude": .double(48.8584), "Longitude": .double(2.2945), "Accuracy": .double(4.2),
                    "Altitude": .double(-Double.greatestFiniteMagnitude), "Speed": .double(13.5),
                    "Heading": .double(33.8), "Description": .string(""),
                    "Timestamp": .structure([.uint64(1_700_000_000), .uint64(250_000)]),
                ])
            ])
        double.forgetSignals()
        double.tell(7)
        #expect(double.signals.isEmpty, "the same location again is no update")
        for sequence in 8..<Int64(8 + GeoClueClient.keptLocations) { double.tell(sequence) }
        #expect(double.get("Location", of: path) == .objectPath(path + "/Location/\(GeoClueClient.keptLocations)"))
        let old = double.call("Introspect", at: path + "/Location/0", interface: "org.freedesktop.DBus.Introspectable")
        #expect(double.errors[old] == .unknownObject, "the oldest is gone")
        double.call("Stop", at: path)
        #expect(double.watches.isEmpty && double.get("Active", of: path) == .boolean(false))
    }

    @Test mutating func nothingIsReadableAfterStop() {
        let path = double.client()
        double.call("Start", at: path)
        double.tell(.authorizedAlways)
        double.tell(1)
        let location = path + "/Location/0"
        #expect(double.get("Latitude", of: location, "org.freedesktop.GeoClue2.Location") == .double(48.8584))
        double.call("Stop", at: path)
        // A denial would not be known any more.
        #expect(double.get("Latitude", of: location, "org.freedesktop.GeoClue2.Location") == nil)
        #expect(double.get("Location", of: path) == .objectPath("/"))
        let read = double.call("Introspect", at: location, interface: "org.freedesktop.DBus.Introspectable")
        #expect(double.errors[read] == .unknownObject)
        double.call("Start", at: path)
        double.tell(.authorizedAlways)
        double.tell(2)
        #expect(double.get("Location", of: path) == .objectPath(path + "/Location/1"), "another object than before")
    }

    @Test mutating func whatIsPreciseIsForgottenWhenTheProgramWantsLess() {
        let path = double.client()
        double.call("Start", at: path)
        double.tell(.authorizedAlways)
        double.tell(1)
        double.set("RequestedAccuracyLevel", .uint32(4), of: path)
        #expect(double.watches[1]?.reducedAccuracy == true && double.get("Location", of: path) == .objectPath("/"))
    }

    @Test mutating func deniedProgramIsToldSo() {
        let path = double.client()
        let start = double.call("Start", at: path)
        double.tell(.denied)
        #expect(double.errors[start] == .accessDenied && double.watches.isEmpty)
        #expect(double.get("Active", of: path) == .boolean(false))
    }

    @Test mutating func decisionsReachARunningProgram() {
        let path = double.client()
        let start = double.call("Start", at: path)
        double.tell(.notDetermined)
        #expect(double.replies[start] == [] && double.requested.count == 1)
        #expect(double.get("Active", of: path) == .boolean(false))
        double.tell(.notDetermined)
        #expect(double.requested.count == 1, "once")
        double.tell(.authorizedAlways)
        double.tell(1)
        #expect(double.get("Location", of: path) == .objectPath(path + "/Location/0"))
        double.tell(.authorizedAlways, accuracy: .reduced)
        #expect(double.get("Location", of: path) == .objectPath("/"), "what was precise cannot be read any more")
        let read = double.call("Introspect", at: path + "/Location/0", interface: "org.freedesktop.DBus.Introspectable")
        #expect(double.errors[read] == .unknownObject)
        double.tell(2)
        double.tell(.denied)
        #expect(double.get("Location", of: path) == .objectPath("/"))
        #expect(double.get("Active", of: path) == .boolean(false) && double.watches.count == 1)
        double.tell(.authorizedAlways)
        #expect(double.get("Active", of: path) == .boolean(true))
    }

    @Test(
        arguments: [(0, true), (1, true), (4, true), (5, true), (6, false), (8, false), (99, false)] as [(UInt32, Bool)]
    )
    mutating func levelsBelowStreetAreReduced(_ level: UInt32, isReduced: Bool) {
        let path = double.client(level: level)
        double.call("Start", at: path)
        #expect(double.watches[1]?.reducedAccuracy == isReduced)
    }

    @Test mutating func thresholdsAreTheDaemonsFilters() {
        let path = double.client()
        double.set("DistanceThreshold", .uint32(100), of: path)
        double.call("Start", at: path)
        #expect(double.watches[1]?.distanceFilter == 100 && double.watches[1]?.minimumInterval == nil)
        double.set("TimeThreshold", .uint32(30), of: path)
        #expect(double.watches[1]?.minimumInterval == 30, "also while it runs")
        let wrong = double.set("TimeThreshold", .string("x"), of: path)
        #expect(double.errors[wrong] == .invalidArguments)
        let readOnly = double.set("Active", .boolean(true), of: path)
        #expect(double.errors[readOnly] == .propertyReadOnly)
        let unknown = double.set("Colour", .boolean(true), of: path)
        #expect(double.errors[unknown] == .unknownProperty)
    }

    @Test mutating func objectsAreTheirProgramsOwn() {
        let path = double.client()
        double.call("Start", at: path)
        double.tell(.authorizedAlways)
        double.tell(1)
        double.call("GetClient", from: ":1.2")
        double.identify(1000, ":1.2")
        for call in [
            double.call("Start", at: path, from: ":1.2"), double.set("DesktopId", .string("x"), of: path, from: ":1.2"),
            double.call(
                "Introspect", at: path + "/Location/0", interface: "org.freedesktop.DBus.Introspectable", from: ":1.2"),
        ] {
            #expect(double.errors[call] == .unknownObject)
        }
        let location = path + "/Location/0"
        #expect(double.get("Latitude", of: location, "org.freedesktop.GeoClue2.Location", from: ":1.2") == nil)
        let delete = double.call("DeleteClient", [.objectPath(path)], from: ":1.2")
        #expect(double.errors[delete] == .accessDenied && double.watches.count == 1)
    }

    private mutating func isInUse() -> Bool {
        double.get("InUse", of: ServiceDouble.manager, "org.freedesktop.GeoClue2.Manager") == .boolean(true)
    }

    @Test mutating func inUseIsWhileAProgramReceivesLocations() {
        let path = double.client()
        double.call("Start", at: path)
        for status in [AuthorizationStatus.notDetermined, .denied, .authorizedAlways] {
            double.tell(status)
            #expect(!isInUse(), "\(status)")
        }
        double.tell(1)
        #expect(isInUse())
        double.tell(.denied)
        #expect(!isInUse())
        double.tell(.authorizedAlways)
        double.tell(2)
        #expect(isInUse())
        double.perform(double.service.applyOutage(to: 1))
        #expect(!isInUse())
        double.tell(.authorizedAlways)
        double.tell(3)
        double.call("Stop", at: path)
        #expect(!isInUse())
        let signals = double.signals.filter { $0.destination == nil }.map { $0.values[1] }
        #expect(signals == (0..<6).map { .properties(["InUse": .boolean($0.isMultiple(of: 2))]) })
    }

    @Test mutating func partsOfTheDesktopAreNoUse() {
        for (number, id) in ["gnome-color-panel", "org.gnome.Shell", "xdg-desktop-portal"].enumerated() {
            let path = double.client()
            double.set("DesktopId", .string(id), of: path)
            double.call("Start", at: path)
            double.tell(.authorizedAlways, to: number + 1)
            double.tell(1, to: number + 1)
            #expect(isInUse() == (id == "xdg-desktop-portal"), "\(id)")
        }
    }

    @Test mutating func programThatLeavesTakesItsClientsAlong() {
        let path = double.client()
        double.call("Start", at: path)
        double.tell(.authorizedAlways)
        double.tell(1)
        double.forgetSignals()
        double.forget(":1.1")
        #expect(double.watches.isEmpty && double.service.isIdle)
        // The desktop's indicator is for all.
        #expect(double.signals.count == 1 && double.signals.first?.destination == nil)
        #expect(double.signals.first?.values.dropFirst().first == .properties(["InUse": .boolean(false)]))
    }

    @Test mutating func clientsOfAProgramAreLimited() {
        _ = double.client()
        var refused = 0
        for _ in 0..<10_000 {
            let call = double.call("CreateClient")
            if double.errors[call] == .limitsExceeded { refused += 1 }
        }
        #expect(double.service.clients.count == GeoClueService.clientsPerProgram)
        #expect(refused == 10_000 - GeoClueService.clientsPerProgram + 1)
        for number in 0..<200 {
            let sender = ":2.\(number)"
            double.call("CreateClient", from: sender)
            double.identify(1000, sender)
            double.call("CreateClient", from: sender)
        }
        #expect(double.service.clients.count == GeoClueService.clientsPerUser)
    }

    @Test mutating func availableAccuracyIsThatOfWhoAsks() {
        _ = double.client()
        func status(_ authorization: AuthorizationStatus, _ accuracy: AccuracyAuthorization) -> ServiceStatus {
            ServiceStatus(
                authorization: authorization, accuracy: accuracy, enabled: true, source: SourceStatus(state: .stopped),
                fixAge: nil, authorizationPending: false)
        }
        for (answer, level) in [
            (status(.authorizedAlways, .full), 8), (status(.authorizedAlways, .reduced), 4),
            (status(.denied, .full), 0),
            (nil, 0),
        ] as [(ServiceStatus?, UInt32)] {
            double.wait(StatusCalls.lifetime)
            let call = double.askAvailable()
            #expect(double.statusQuestions.last == 1000 && double.replies[call] == nil)
            double.tell(answer)
            #expect(double.replies[call] == [.variant(.uint32(level))])
        }
    }

    @Test mutating func outageIsNoRefusal() {
        let path = double.client()
        let start = double.call("Start", at: path)
        double.perform(double.service.applyOutage(to: 1))
        #expect(double.replies[start] == [] && double.watches.count == 1)
    }

    @Test mutating func requestIsMadeAgainAfterAnOutage() {
        let path = double.client()
        double.call("Start", at: path)
        for _ in 0..<2 { double.tell(.notDetermined) }
        #expect(double.requested.count == 1)
        double.perform(double.service.applyOutage(to: 1))
        double.tell(.notDetermined)
        #expect(double.requested.count == 2)
    }

    @Test mutating func desktopIDIsRequiredAndOnlyALabel() {
        let call = double.call("GetClient")
        double.identify(1000)
        let path = double.replies[call]?.first?.text ?? ""
        let start = double.call("Start", at: path)
        #expect(double.errors[start] == .accessDenied)
        let long = double.set("DesktopId", .string(String(repeating: "x", count: 120)), of: path)
        #expect(double.errors[long] == .invalidArguments)
        let longest = double.set("DesktopId", .string(String(repeating: "x", count: 119)), of: path)
        #expect(double.replies[longest] == [])
        double.call("Start", at: path)
        #expect(throws: Never.self) { try double.programs[1]?.validate() }
    }

    @Test mutating func wrongCallsAreNamed() {
        let path = double.client()
        let client = "org.freedesktop.GeoClue2.Client"
        let cases: [(Int, GeoClueError)] = [
            (double.call("Start", [.string("x")], at: path), .invalidArguments),
            (double.call("Fly", at: path), .unknownMethod),
            (double.call("Start", at: path, interface: "org.example"), .unknownInterface),
            (double.call("Start", at: path + "0"), .unknownObject), (double.call("Start", at: "/"), .unknownObject),
            (double.call("DeleteClient", [.string(path)]), .invalidArguments),
            (double.call("AddAgent"), .invalidArguments), (double.call("Fly"), .unknownMethod),
            (double.call("Get", [.string(client)], at: path, interface: ServiceDouble.properties), .invalidArguments),
            (
                double.call("Get", [.string("x"), .string("y")], at: path, interface: ServiceDouble.properties),
                .unknownInterface
            ),
            (double.call("Fly", at: path, interface: ServiceDouble.properties), .unknownMethod),
        ]
        for (index, (call, error)) in cases.enumerated() {
            #expect(double.errors[call] == error, "case \(index)")
        }
    }
}
