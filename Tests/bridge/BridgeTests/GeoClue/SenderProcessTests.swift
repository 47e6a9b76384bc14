import DBus
import Glibc
@_spi(Programs) import LocationInterface
import ProgramTestSupport
import Testing

@testable import Bridge

/// The processes of programs on the bus, which the daemon is told.
@Suite(.timeLimit(.minutes(10))) struct SenderProcessTests {
    private func process(_ pid: UInt32 = 70, _ descriptor: BusDescriptor? = nil) -> SenderProcess? {
        var credentials = ["ProcessID": BusValue.uint32(pid)]
        credentials["ProcessFD"] = descriptor.map(BusValue.descriptor)
        return SenderProcess(credentials)
    }

    /// What the daemon is told of the process of a program.
    private func named(_ process: SenderProcess?, desktopID: String = "org.example.map") -> Int? {
        var double = ServiceDouble()
        double.call("CreateClient")
        double.perform(double.service.applyIdentity(1000, in: process, of: ":1.1", at: double.now))
        let path = "/org/freedesktop/GeoClue2/Client/1"
        double.set("DesktopId", .string(desktopID), of: path)
        double.call("Start", at: path)
        #expect(double.programs[1]?.uid == 1000)
        return double.programs[1]?.process
    }

    @Test func processIsNamedWithItsProgram() {
        #expect(named(process()) == 70)
        #expect(named(nil) == nil)
    }

    @Test func processOfThePortalIsNotNamed() {
        #expect(named(process(), desktopID: "xdg-desktop-portal") == nil)
    }

    @Test(arguments: [0, 1, UInt32(Int32.max) + 1]) func numbersOfNoProgramAreNone(pid: UInt32) {
        #expect(process(pid) == nil)
    }

    @Test func credentialsWithoutProcessAreNone() {
        #expect(SenderProcess(["UnixUserID": .uint32(1000), "ProcessID": .string("70")]) == nil)
    }

    @Test func processThatHasEndedIsNotNamed() throws {
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        defer { ends.forEach { close($0) } }
        // As the descriptor of a process, it is readable from some moment on.
        let descriptor = try #require(BusDescriptor(copying: ends[0]))
        #expect(process(70, descriptor)?.presentPID == 70)
        #expect(write(ends[1], "!", 1) == 1)
        #expect(process(70, descriptor)?.presentPID == nil)
    }

    @Test func busNamesTheProcess() throws {
        let bus = try PrivateBus(.session)
        let connection = try BusConnection(address: bus.address, reading: ["s", "a{sv}"])
        func reply(_ member: String, _ arguments: [BusValue]) throws -> BusValue? {
            let call = try connection.call(
                "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", member, arguments)
            return try waitUntil("the bus answers") {
                var entry = pollfd(fd: connection.descriptor, events: Int16(connection.events), revents: 0)
                poll(&entry, 1, 100)
                guard let message = try connection.receive(), case .reply(call) = message.content else { return nil }
                return message.arguments.first
            }
        }
        let own = try #require(try reply("GetNameOwner", [.string("org.freedesktop.DBus")]))
        #expect(own == .string("org.freedesktop.DBus"))
        let name = "org.example.process"
        _ = try connection.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
            [.string(name), .uint32(4)])
        guard case .properties(let credentials)? = try reply("GetConnectionCredentials", [.string(name)]) else {
            Issue.record("there are no credentials")
            return
        }
        #expect(credentials["UnixUserID"] == .uint32(geteuid()))
        #expect(SenderProcess(credentials)?.presentPID == Int(getpid()))
    }
}
