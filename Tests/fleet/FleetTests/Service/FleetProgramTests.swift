import ClientTestSupport
import Glibc
@_spi(Programs) import LocationInterface
import ProgramTestSupport
import Testing

/// The built program, as an administrator starts it.
@Suite(.timeLimit(.minutes(10))) struct FleetProgramTests {
    private let folder: TemporaryFolder
    private let program = Products.path(of: "locationd-fleet")

    init() throws { folder = try TemporaryFolder() }

    @Test func whatIsWrongIsSaidAtOnce() async throws {
        let wrong = try folder.write("[broker]\nurl = \"http://broker\"\n", to: "wrong.toml")
        let empty = try folder.write("", to: "empty.toml")
        let damaged = try folder.write(String(repeating: "no database\n", count: 100), to: "damaged.sqlite")
        let broker = ["--config", empty, "--broker", "mqtt://127.0.0.1:1", "--user", "anna", "--device", "boat"]
        for (arguments, code, words) in [
            (
                ["--config", wrong, "--check-config"], Int32(2),
                "wrong.toml:2: broker.url: is no address of a broker; use mqtt://"
            ),
            (["--config", empty, "--check-config"], 0, "the configuration is valid\n"),
            (["--config", folder("absent.toml")], 2, "does not exist; check the path after --config"),
            (
                ["--config", empty], 2,
                "give --broker mqtt://HOST:PORT, or broker.url in the configuration, /etc/locationd/fleet.toml unless --config"
            ),
            (["--config", empty, "--broker", "mqtt://b"], 2, "there is no user or no device; give --user NAME and"),
            (
                broker + ["--password-file", folder("absent")], 2,
                "absent: does not exist; check the path after --password-file"
            ),
            (broker + ["--outbox", damaged], 1, "is damaged (file is not a database); move it aside"),
            (
                broker + ["--outbox", folder("absent/outbox")], 1,
                "cannot be written: No such file or directory; check the owner"
            ),
            (["--version"], 0, "locationd-fleet \(Release.version)\n"),
        ] {
            let outcome = try await ChildProcess(program, arguments).outcome()
            #expect(outcome.code == code, "\(arguments) \(outcome.output)")
            #expect(outcome.output.contains(words), "\(arguments) \(outcome.output)")
        }
    }

    /// The state for `systemctl status`, and the log: why nothing is published, and that nothing is lost meanwhile.
    @Test func brokerThatIsAwayIsSaidInTheStatus() async throws {
        let machine = try await FleetMachine(broker: "mqtt://127.0.0.1:1")
        let receiver = try NotificationReceiver(folder("notify"))
        let fleet = try machine.start(environment: ["NOTIFY_SOCKET": receiver.address])
        try await eventually("messages wait", details: { "\(receiver.messages) \(fleet.errors)" }) {
            receiver.messages.contains {
                $0.hasPrefix(
                    "STATUS=degraded: nothing listens at mqtt://127.0.0.1:1 (Connection refused); start the broker")
                    && $0.wholeMatch(of: /.* ([5-9]|[1-9]\d+) messages wait/) != nil
            }
        }
        fleet.signal(SIGTERM)
        #expect(try await blocking { try fleet.wait(within: 30) } == 0, "\(fleet.errors)")
        #expect(try machine.waitingIDs().count >= 5)
    }

    /// A host that answers nothing at all, as behind a firewall: connecting blocks.
    @Test func endDoesNotWaitForAConnection() async throws {
        let listener = try LoopbackListener(listens: false)
        #expect(listen(listener.descriptor, 0) == 0)
        // The queue has room for one or two; whoever comes later gets no answer.
        let queued = try (0..<3).map { _ in
            try LoggedProcess("bash", ["-c", "exec 3<>/dev/tcp/127.0.0.1/\(listener.port); exec sleep 60"])
        }
        try await eventually("the queue is full") {
            text(of: "/proc/net/tcp").contains(":\(String(listener.port, radix: 16, uppercase: true)) 02 ")
        }
        let machine = try await FleetMachine(broker: "mqtt://127.0.0.1:\(listener.port)")
        let fleet = try machine.start()
        try await eventually("it connects to the daemon", details: { fleet.errors }) {
            FleetMachine.insertedIDs(fleet).count >= 2
        }
        fleet.signal(SIGTERM)
        #expect(try await blocking { try fleet.wait(within: 30) } == 0, "\(fleet.errors)")
        withExtendedLifetime(queued) {}
    }

    @Test func simulatedLocationsAreLeftOutUnlessAskedFor() async throws {
        let broker = try Mosquitto()
        try await broker.start()
        let machine = try await FleetMachine(broker: broker.address)
        let fleet = try LoggedProcess(
            program,
            [
                "--config", machine.folder("fleet.toml"), "--daemon", machine.daemon.socket, "--broker", broker.address,
                "--user", "anna", "--device", "boat", "--outbox", machine.outboxPath,
            ])
        try await eventually("it is connected", details: { fleet.errors }) { fleet.errors.contains("connected") }
        let subscriber = try broker.subscriber("owntracks/#")
        // The real one publishes meanwhile what this one does not.
        let other = try await FleetMachine(broker: broker.address)
        let publishing = try other.start(["--device", "other"])
        try await eventually("the other publishes", details: { publishing.errors }) {
            subscriber.received.count { $0.topic == "owntracks/anna/other" } >= 5
        }
        #expect(!subscriber.received.contains { $0.topic == "owntracks/anna/boat" })
    }

    /// What is on the disk stays; what cannot be written is not published, and said; afterwards everything goes on.
    @Test(.enabled(if: Privileges.mayMount, "mounting takes CAP_SYS_ADMIN"))
    func fullDiskIsSaidAndSurvived() async throws {
        let disk = try folder.makeFolder("disk")
        let mount = try await ChildProcess("mount", ["-t", "tmpfs", "-o", "size=1m", "none", disk]).outcome()
        try #require(mount.code == 0, "\(mount.output)")
        let broker = try Mosquitto()
        let machine = try await FleetMachine(broker: broker.address, "[outbox]\ndrain-rate = 1000")
        let path = disk + "/outbox.sqlite"
        let fleet = try machine.start(["--outbox", path])
        try await eventually("it publishes", details: { fleet.errors }) { fleet.errors.contains("publishing") }
        let filling = try await ChildProcess("sh", ["-c", "cat /dev/zero > \(disk)/filler"]).outcome()
        #expect(filling.output.contains("No space left"))
        try await eventually("it is said", details: { fleet.errors }) {
            fleet.errors.contains("the disk of the outbox \(path) is full; make room")
        }
        #expect(unlink(disk + "/filler") == 0)
        try await broker.start()
        let subscriber = try broker.subscriber("owntracks/#")
        try await eventually("it goes on", details: { fleet.errors }) { subscriber.received.count > 20 }
        fleet.signal(SIGTERM)
        #expect(try await blocking { try fleet.wait() } == 0, "\(fleet.errors)")
        #expect(try await ChildProcess("umount", ["-l", disk]).outcome().code == 0)
    }

    @Test(.enabled(if: HungDisk.isPossible, "it takes a file system of the test's own"))
    func hungDiskIsSaidAndSurvived() async throws {
        let disk = try HungDisk(on: folder.makeFolder("disk"), image: folder("image"))
        let broker = try Mosquitto()
        let machine = try await FleetMachine(broker: broker.address, "[outbox]\ndrain-rate = 1000")
        let path = folder("disk/outbox.sqlite")
        let fleet = try machine.start(["--outbox", path])
        func inserted() -> Set<String> { Set(FleetMachine.insertedIDs(fleet)) }
        try await eventually("it inserts", details: { fleet.errors }) { inserted().count >= 3 }
        try disk.freeze()
        try await eventually("it is said", details: { fleet.errors }) {
            fleet.errors.contains("the disk of the outbox \(path) does not respond; see `dmesg`")
        }
        _ = try await blocking { try machine.daemon.statistics() }
        let before = inserted()
        try disk.thaw()
        // It may not publish before there is who receives it.
        fleet.signal(SIGSTOP)
        try await broker.start()
        let subscriber = try broker.subscriber("owntracks/#")
        try await eventually("it has subscribed") { broker.log.contains("Sending SUBACK") }
        fleet.signal(SIGCONT)
        // Five fixes a second for ten seconds have waited.
        try await eventually("it goes on", details: { fleet.errors }) { inserted().count > before.count + 25 }
        try await eventually("all arrive", details: { fleet.errors }) {
            before.isSubset(of: subscriber.received.compactMap(\.id))
        }

        try disk.freeze()
        try await eventually("a write hangs") { HungDisk.holds(fleet) }
        fleet.signal(SIGTERM)
        try await eventually("it gives up", details: { fleet.errors }) {
            fleet.errors.contains("the program ends without having written all to the outbox")
        }
        // What waits for the disk cannot be ended before it responds.
        try disk.thaw()
        #expect(try await blocking { try fleet.wait() } == 1)
    }

    @Test(.enabled(if: Privileges.mayMount, "mounting takes CAP_SYS_ADMIN"))
    func diskThatMayNotBeWrittenIsSaid() async throws {
        let empty = try folder.write("", to: "empty.toml")
        let disk = try folder.makeFolder("disk")
        let script = "mount -t tmpfs -o ro none \(disk) && exec \"$@\""
        let outcome = try await ChildProcess(
            "unshare",
            [
                "--mount", "--propagation", "private", "bash", "-c", script, "bash", program, "--config", empty,
                "--broker", "mqtt://127.0.0.1:1", "--user", "anna", "--device", "boat", "--outbox",
                disk + "/outbox.sqlite",
            ]
        ).outcome()
        #expect(
            outcome.code == 1 && outcome.output.contains("cannot be written: Read-only file system; check the owner"),
            "\(outcome)")
    }

    /// As the service has it: a user of its own, whom an administrator allows to know the position.
    @Test(.enabled(if: OtherUser.canBeBecome, "becoming other users takes root"))
    func administratorDecidesWhetherItMayKnow() async throws {
        let broker = try Mosquitto()
        try await broker.start()
        let subscriber = try broker.subscriber("owntracks/#")
        let machine = try await FleetMachine(broker: broker.address)
        let receiver = try NotificationReceiver("@\(folder.path)/notify")
        let stranger = OtherUser.stranger
        let home = try folder.makeFolder("home", owner: stranger.number)
        #expect(try await ChildProcess("cp", [program, folder("locationd-fleet")]).outcome().code == 0)
        let fleet = try LoggedProcess(
            "setpriv",
            stranger.command + [
                folder("locationd-fleet"), "--config", machine.folder("fleet.toml"), "--daemon", machine.daemon.socket,
                "--broker", broker.address, "--user", "anna", "--device", "boat", "--outbox", home + "/outbox.sqlite",
                "--include-simulated",
            ], environment: ["NOTIFY_SOCKET": receiver.address])
        func locctl(_ arguments: String...) async throws -> String {
            try await ChildProcess(Products.command, arguments + ["--socket", machine.daemon.control]).outcome().output
        }
        try await eventually("it says who decides", details: { "\(receiver.messages) \(fleet.errors)" }) {
            receiver.messages.contains {
                $0.hasPrefix("STATUS=degraded: connected to the broker; not authorized (notDetermined): ")
                    && $0.contains("locctl authorize")
            }
        }
        try await eventually("its request is pending") {
            try await locctl("authorizations").contains("publishes the position to 127.0.0.1")
        }
        #expect(subscriber.received.isEmpty)
        _ = try await locctl("authorize", "uid:\(stranger.number)")
        try await eventually("it publishes", details: { fleet.errors }) { !subscriber.received.isEmpty }
        try await eventually("the state is in order", details: { "\(receiver.messages)" }) {
            receiver.messages.last == "STATUS=connected to the broker"
        }
        _ = try await locctl("deny", "uid:\(stranger.number)")
        try await eventually("it says that it may not know", details: { "\(receiver.messages)" }) {
            receiver.messages.last?.contains("not authorized (denied)") == true
        }
    }

    @Test func regionsBordersAreTransitions() async throws {
        let broker = try Mosquitto()
        try await broker.start()
        let subscriber = try broker.subscriber("owntracks/anna/boat/event")
        // The journey begins inside, and leaves within seconds.
        let machine = try await FleetMachine(
            broker: broker.address,
            "[[regions]]\nname = \"start\"\nlatitude = -0.22\nlongitude = -78.5125\nradius = 50")
        let fleet = try machine.start()
        try await eventually("it leaves", details: { fleet.errors }) {
            subscriber.received.contains { $0.member("event") as? String == "leave" }
        }
        let leave = try #require(subscriber.received.last)
        #expect(leave.member("_type") as? String == "transition" && leave.member("desc") as? String == "start")
        for number in ["acc", "tst", "wtst"] { #expect(leave.member(number) is Int, "\(number)") }
    }
}
