import Glibc
import ProgramTestSupport
import Testing

@testable import ServiceKit

/// Sockets are told by their names, in whatever order they come, and are what they should be.
@Suite struct InheritedSocketsTests {
    private let folder: TemporaryFolder
    private let required = ["location", "control"]

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(arguments: [["location", "control", "nmea"], ["nmea", "control", "location"]])
    func orderDoesNotMatter(_ names: [String]) throws {
        let passed = try PassedDescriptors(names.map { try listening($0) })
        let sockets = try InheritedSockets(names: names, required: required, optional: ["nmea"], first: passed.first)
        for (index, name) in names.enumerated() {
            #expect(sockets[name] == .init(descriptor: passed.first + Int32(index), path: folder(name)))
            #expect(passed.flags(index) == FD_CLOEXEC)
        }
        #expect(sockets.surplus.isEmpty)
    }

    @Test func nothingPassedIsNothingMissing() throws {
        let sockets = try InheritedSockets(names: [], required: required)
        #expect(sockets.sockets.isEmpty && sockets.surplus.isEmpty)
    }

    @Test func whatNobodyAskedForIsClosedAndTold() throws {
        let passed = try PassedDescriptors(["a", "b", "c", "d"].map { try listening($0) })
        let sockets = try InheritedSockets(
            names: ["other", "location", "control", "location"], required: required, first: passed.first)
        #expect(sockets.surplus == ["other", "location"])
        #expect(sockets["location"]?.path == folder("b"))
        #expect(passed.flags(0) == nil && passed.flags(3) == nil)
        #expect(passed.flags(1) == FD_CLOEXEC && passed.flags(2) == FD_CLOEXEC)
    }

    @Test func missingNameIsToldAndEverythingClosed() throws {
        let passed = try PassedDescriptors(["a", "b"].map { try listening($0) })
        let error = #expect(throws: SystemdError.self) {
            try InheritedSockets(names: ["location", "unknown"], required: required, first: passed.first)
        }
        #expect(error?.description.hasPrefix("systemd passes no socket named control, but location, unknown;") == true)
        #expect(error?.description.hasSuffix("needs FileDescriptorName=control") == true)
        #expect(passed.flags(0) == nil && passed.flags(1) == nil)
    }

    @Test(arguments: Unfit.allCases)
    func unfitSocketIsToldAndEverythingClosed(_ unfit: Unfit) throws {
        let passed = try PassedDescriptors([try listening("a"), try unfit.descriptor(folder("b"))])
        let error = #expect(throws: SystemdError.self) {
            try InheritedSockets(names: required, required: required, first: passed.first)
        }
        #expect(error?.description.hasPrefix("the socket control from systemd is not a listening Unix stream") == true)
        #expect(passed.flags(0) == nil && passed.flags(1) == nil)
    }

    @Test func abstractNameIsShownAsSystemdShowsIt() throws {
        let name = "@locationd-test-\(getpid())-\(UInt32.random(in: .min ... .max))"
        let passed = try PassedDescriptors([try unixSocket(name, SOCK_STREAM, listens: true)])
        let sockets = try InheritedSockets(names: ["location"], required: ["location"], first: passed.first)
        #expect(sockets["location"]?.path == name)
    }

    private func listening(_ name: String) throws -> Int32 {
        try unixSocket(folder(name), SOCK_STREAM, listens: true)
    }
}

/// What a mistaken unit may pass.
enum Unfit: CaseIterable {
    case datagram, packets, notListening, connected, internet, file, nothing

    func descriptor(_ path: String) throws -> Int32 {
        switch self {
        case .datagram: return try unixSocket(path, SOCK_DGRAM, listens: false)
        case .packets: return try unixSocket(path, SOCK_SEQPACKET, listens: true)
        case .notListening: return try unixSocket(path, SOCK_STREAM, listens: false)
        case .connected:
            var ends: [Int32] = [-1, -1]
            guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { throw Failure("no pair") }
            close(ends[1])
            return ends[0]
        case .internet:
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            guard listen(descriptor, 1) == 0 else { throw Failure("no listening socket") }
            return descriptor
        case .file: return open("/dev/null", O_RDONLY)
        case .nothing: return -1
        }
    }
}
