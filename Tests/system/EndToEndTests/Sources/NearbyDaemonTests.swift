import ClientTestSupport
import Foundation
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

/// The daemon with locationd-nearby, which learns by gpsd's fixes what it answers later without.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct NearbyDaemonTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var source: String {
        "[[sources]]\nkind = \"provider\"\nname = \"nearby\"\nsocket = \"\(folder("nearby.sock"))\"\n"
    }

    /// - Parameter wrapper: the command that becomes the program.
    private func startNearby(
        _ daemon: DaemonProcess, settings: String = "", wrapper: [String] = []
    ) throws -> LoggedProcess {
        try folder.write(settings, to: "nearby.toml")
        let command = wrapper + [Products.path(of: "locationd-nearby")]
        let nearby = try LoggedProcess(
            command[0],
            command.dropFirst() + [
                "--config", folder("nearby.toml"), "--daemon", daemon.socket, "--observations", folder("observations"),
                "--socket", folder("nearby.sock"), "--control", folder("control.sock"), "--store",
                folder("places.sqlite"), "--key", folder("key"),
                "--log-level", "debug",
            ])
        try waitUntil("it knows places", details: { nearby.errors }) { nearby.errors.contains("knows places") }
        return nearby
    }

    private func nearby(_ words: String..., socket: String = "control.sock") throws -> DaemonProcess.Answer {
        let child = try LoggedProcess(Products.command, ["nearby"] + words + ["--nearby-socket", folder(socket)])
        let code = try child.wait(within: 60)
        return DaemonProcess.Answer(code: code, output: child.output, errors: child.errors)
    }

    /// Adds an observation to the file that the program reads.
    private func observe(_ devices: [Int]) throws {
        let accessPoints = devices.map { #"{"bssid": "00:1a:00:00:0\#($0):00", "signal": -60, "ssid": "secret"}"# }
        let file = try #require(FileHandle(forWritingAtPath: folder("observations")))
        try file.seekToEnd()
        try file.write(
            contentsOf: Data(#"{"accessPoints": [\#(accessPoints.joined(separator: ", "))]}"#.utf8) + Data("\n".utf8))
        try file.close()
    }

    @Test func placeThatWasLearnedIsAnsweredWithoutAReceiver() throws {
        try folder.write("", to: "observations")
        let receiver = try Receiver()
        let gpsd = try GPSD([receiver.path])
        let daemon = try DaemonProcess("\(Settings.gpsd(gpsd.port))\n\(source)")
        let nearby = try startNearby(daemon)
        let watch = try daemon.watch()
        try watch.awaitStatus(.tracking)
        try waitUntil("it learns", details: { nearby.errors }) {
            try observe([1, 2])
            return nearby.errors.components(separatedBy: "access points are learned moved=0").count > 4
        }
        nearby.signal(SIGKILL)
        _ = try nearby.wait(within: 30)

        // After the crash and without gpsd, with a daemon that has nothing else.
        let other = try DaemonProcess(source)
        let again = try startNearby(other)
        try waitUntil("it answers", details: { again.errors }) {
            try observe([1, 2])
            return try other.locctl("get", "--json", "--timeout", "5", within: 30).code == 0
        }
        let answer = try other.locctl("get", "--json", "--timeout", "30", within: 60)
        let object = try answer.object
        #expect((object["source"] as? [String: Any])?["method"] as? String == "network", "\(answer)")
        let found = try #require(
            Coordinate(
                latitude: object["latitude"] as? Double ?? 100, longitude: object["longitude"] as? Double ?? 200))
        let last = try #require(watch.locations.last)
        // It was learned on the way to the last place, at five metres a second.
        #expect(found.distance(to: last.coordinate) < 1000, "\(answer)")
        #expect((object["horizontalAccuracy"] as? Double ?? 0) >= 10)

        // Elsewhere it says why there is nothing.
        try waitUntil("it says why") {
            try observe([3, 4])
            return try other.status().reason?.contains("none of the 2 access points received is known yet") == true
        }
        #expect(!again.errors.contains("secret") && !again.errors.contains("00:1a"), "\(again.errors)")
        again.signal(SIGTERM)
        #expect(try again.wait(within: 30) == 0)
        let file = try #require(FileManager.default.contents(atPath: folder("places.sqlite")))
        for secret in [Data("secret".utf8), Data("00:1a".utf8), Data([0, 0x1A, 0, 0, 1, 0])] {
            #expect(file.range(of: secret) == nil, "\(Array(secret))")
        }
    }

    /// Without any receiver: a person says where this is, and is answered from then on.
    @Test func placeThatIsStatedIsAnsweredAtOnce() throws {
        try folder.write("", to: "observations")
        let daemon = try DaemonProcess(source)
        let program = try startNearby(daemon)
        try observe([1, 2, 3])
        let learned = try nearby("learn", "52.5", "13.4")
        #expect(learned.output == "3 access points remembered here; 3 were not known\n", "\(learned)")
        let answer = try daemon.locctl("get", "--json", "--timeout", "30", within: 60)
        let object = try answer.object
        #expect(abs((object["latitude"] as? Double ?? 0) - 52.5) < 0.00001, "\(answer)")
        #expect(abs((object["longitude"] as? Double ?? 0) - 13.4) < 0.00001)
        #expect((object["horizontalAccuracy"] as? Double ?? 0) >= 10)
        let status = try nearby("status")
        #expect(status.output.hasPrefix("the access points tell the position to "), "\(status)")
        #expect(status.output.contains("received    3 access points, 3 of them known"), "\(status)")

        // What it says itself is no reason to believe it more.
        let repeated = try nearby("learn", "--socket", daemon.socket)
        #expect(repeated.code == 5 && repeated.errors.contains("is no measured one (network); say where this is"))

        #expect(try nearby("forget").code == 2, "not all of it by an omission")
        #expect(try nearby("forget", "--within", "100", "52.6", "13.4").output == "0 access points forgotten\n")
        #expect(try nearby("forget", "--within", "100", "52.5", "13.4").output == "3 access points forgotten\n")
        let state = try nearby("--json").object["state"] as? [String: Any]
        #expect(state?["accessPoints"] as? Int == 0, "\(String(describing: state))")
        #expect((state?["reason"] as? String)?.contains("none of the 3 access points") == true)
        #expect(!program.errors.contains("00:1a"), "\(program.errors)")
    }

    /// In a network of its own, which has no routes, nothing is missing; and none of its threads makes a socket of the
    /// Internet, which it does only where a service on the network is named.
    @Test func nothingIsSentUnlessAServiceIsNamed() throws {
        let trace = ["/usr/bin/strace", "-D", "-f", "-qq", "-e", "trace=socket", "-o", folder("trace")]
        let alone = ["/usr/bin/unshare", geteuid() == 0 ? "-n" : "-rn"]
        func madeSockets() throws -> [Substring] {
            try String(contentsOfFile: folder("trace"), encoding: .utf8).split(separator: "\n")
                .filter { $0.contains("socket(") }
        }
        try folder.write("", to: "observations")
        let daemon = try DaemonProcess(source)
        let program = try startNearby(daemon, wrapper: alone + trace)
        try observe([1, 2, 3])
        #expect(try nearby("learn", "52.5", "13.4").code == 0)
        #expect(try daemon.locctl("get", "--json", "--timeout", "30", within: 60).code == 0)
        program.signal(SIGTERM)
        #expect(try program.wait(within: 30) == 0)
        let sockets = try madeSockets()
        #expect(sockets.contains { $0.contains("AF_UNIX") }, "\(sockets)")
        #expect(sockets.allSatisfy { $0.contains("AF_UNIX") || $0.contains("AF_NETLINK") }, "\(sockets)")

        let service = try HTTPStub()
        service.always { $0.answer(#"{"location": {"lat": 52.5, "lng": 13.4}, "accuracy": 60}"#) }
        let asking = try startNearby(
            daemon, settings: "[online]\nurl = \"\(service.url)\"\ncontact = \"admin@example.org\"\n", wrapper: trace)
        let watch = try daemon.watch()
        try waitUntil("the service is asked", details: { asking.errors }) {
            try observe([4, 5])
            return !service.requests.isEmpty
        }
        #expect(try madeSockets().contains { $0.contains("AF_INET") })
        withExtendedLifetime(watch) {}
    }

    /// Whoever takes it over has its capability, and behind the filter of system calls no use of it but scans.
    @Test func everyThreadIsFiltered() throws {
        let daemon = try DaemonProcess(source)
        let program = try startNearby(daemon)
        let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(program.pid)/task")
        // One may have ended meanwhile.
        let states = threads.compactMap {
            try? String(contentsOfFile: "/proc/\(program.pid)/task/\($0)/status", encoding: .utf8)
        }
        #expect(states.count > 2)
        for status in states {
            #expect(status.contains("Seccomp:\t2\n") && status.contains("NoNewPrivs:\t1\n"), "\(status)")
        }
        #expect(!program.errors.contains("system calls are not filtered"), "\(program.errors)")
    }

    /// The memory of a program that crashes, with what it received last, is written nowhere.
    @Test func crashLeavesNoCoreFile() throws {
        // Swift's runtime may print what it was doing, which is no memory.
        let allow = [
            "/usr/bin/env", "-C", folder.path, "SWIFT_BACKTRACE=enable=no", "/bin/sh", "-c",
            "ulimit -c unlimited; exec \"$@\"", "sh",
        ]
        let daemon = try DaemonProcess(source)
        let program = try startNearby(daemon, wrapper: allow)
        program.signal(SIGABRT)
        #expect(try program.wait(within: 30) == -SIGABRT)
        #expect(!program.hasLeftCoreFile)

        // Of another program this machine writes one, but where an administrator has forbidden it.
        guard try !String(contentsOfFile: "/proc/sys/kernel/core_pattern", encoding: .utf8).hasPrefix("|") else {
            return
        }
        let other = try LoggedProcess(allow[0], allow.dropFirst() + ["/bin/sleep", "600"])
        try waitUntil("it has become sleep") {
            try String(contentsOfFile: "/proc/\(other.pid)/comm", encoding: .utf8) == "sleep\n"
        }
        other.signal(SIGABRT)
        #expect(try other.wait(within: 30) == -SIGABRT)
        #expect(other.hasLeftCoreFile)
    }

    /// As on a laptop: the desktop's programs ask by GeoClue's interface.
    @Test func programsOfGeoClueGetThePlaceThatWasLearned() throws {
        try folder.write("", to: "observations")
        let daemon = try DaemonProcess(source)
        let program = try startNearby(daemon)
        let bus = try PrivateBus()
        let bridge = try bus.serveGeoClue(from: daemon)
        try observe([1, 2, 3])
        #expect(try nearby("learn", "52.5", "13.4").code == 0)
        let whereAmI = try bus.whereAmI("-a", "8")
        defer { whereAmI.signal(SIGKILL) }
        try waitUntil("the place comes", details: { whereAmI.output + bridge.errors + program.errors }) {
            whereAmI.output.contains(#/Latitude: +52\.(5000|4999)/#) && whereAmI.output.contains("Accuracy:")
        }
    }

    @Test func nothingReceivedIsSaid() throws {
        let daemon = try DaemonProcess(source)
        let program = try startNearby(daemon)
        let learned = try nearby("learn", "52.5", "13.4")
        #expect(learned.code == 5, "\(learned)")
        #expect(learned.errors.contains("nothing can be learned here: no access point was received"), "\(learned)")
        let absent = try nearby(socket: "absent.sock")
        #expect(absent.code == 3 && absent.errors.contains("locationd-nearby cannot be reached at"), "\(absent)")
        #expect(program.errors.contains("knows places"))
    }

    @Test func garbageIsSaidAndPassedOver() throws {
        try folder.write(
            "no observation\n{\"accessPoints\": [{\"bssid\": \"router\", \"signal\": -60}]}\n", to: "observations")
        let daemon = try DaemonProcess(source)
        let nearby = try startNearby(daemon)
        // One line a minute, however much of it there is.
        try waitUntil("it is said", details: { nearby.errors }) {
            nearby.errors.contains("a line that is not {") && nearby.errors.contains("count=1")
        }
        let watch = try daemon.watch()
        try waitUntil("the reason is told") {
            try daemon.status().reason?.contains("no access points were received") == true
        }
        #expect(watch.locations.isEmpty)
        #expect(!nearby.errors.contains("a bssid that is not six bytes"))
    }
}
