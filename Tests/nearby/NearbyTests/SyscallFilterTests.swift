import Foundation
import Glibc
import ProgramTestSupport
import Testing

/// What somebody can do who has taken the program over, with its capability, and behind its filter of system calls.
@Suite struct SyscallFilterTests {
    /// Tries each by its name, and prints what comes of it: a number of the C library, or 0.
    private static let attempts = """
        import ctypes, errno, fcntl, json, mmap, os, platform, socket, struct
        libc = ctypes.CDLL(None, use_errno=True)
        def call(*words):
            ctypes.set_errno(0)
            libc.syscall.restype = ctypes.c_long
            return ctypes.get_errno() if libc.syscall(*map(ctypes.c_long, words)) < 0 else 0
        def outcome(attempt):
            try:
                return attempt() or 0
            except OSError as error:
                return error.errno
        def ask(family, request):
            with socket.socket(family, socket.SOCK_DGRAM) as some:
                return outcome(lambda: fcntl.ioctl(some, request, struct.pack("16sh14x", b"none", 1)) and 0)
        def option(family, level, name):
            with socket.socket(family, socket.SOCK_DGRAM) as some:
                return outcome(lambda: some.setsockopt(level, name, 0))
        def of_i386(number):
            # mov eax, number; int 0x80; ret
            page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
            page.write(b"\\xb8" + struct.pack("<I", number) + b"\\xcd\\x80\\xc3")
            child = os.fork()
            if child == 0:
                os._exit(max(0, -ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()))
            # A kernel without such calls ends the child.
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            return errno.EPERM if code < 0 else code
        make_socket = {"x86_64": 41, "aarch64": 198}.get(platform.machine(), 281)
        unix, four, six = socket.AF_UNIX, socket.AF_INET, socket.AF_INET6
        results = {
            "generic netlink": outcome(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 16).close()),
            "an unread count": ask(unix, 0x541B), "errors of a socket": option(four, 0, 11),
            "a name": outcome(lambda: socket.getaddrinfo("localhost", 80, flags=socket.AI_ADDRCONFIG) and 0),
            **{f"netlink {number}": outcome(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, number).close())
               for number in (0, 4, 9, 12, 15)},
            "netlink by more bits": outcome(lambda: call(make_socket, 1 << 32 | 16, 3, 0)),
            **{f"ioctl {request:x} of {int(family)}": ask(family, request) for family in (unix, four, six)
               for request in (0x8914, 0x8933, 0x890B, 0x89F1, 0x8B18)},
            "a table of IPv4's firewall": option(four, 0, 64), "a table of IPv6's firewall": option(six, 41, 64),
            "io_uring": call(425, 1, 0),
        }
        if platform.machine() == "x86_64":
            results["a call of x32"] = call(0x40000000 | 39)
            results["a call of i386"] = of_i386(20)
        print(json.dumps(results))
        """

    private func outcomes(_ command: [String]) throws -> [String: Int32] {
        let process = try LoggedProcess(command[0], command.dropFirst() + ["-c", Self.attempts])
        guard try process.wait(within: 60) == 0 else { throw Failure(process.errors) }
        return try JSONDecoder().decode([String: Int32].self, from: Data(process.output.utf8))
    }

    @Test func onlyGenericNetlinkIsLeft() throws {
        let python = "/usr/bin/python3"
        let filtered = try outcomes([Products.path(of: "ConfinedCommand"), python])
        let allowed: Set = ["generic netlink", "an unread count", "errors of a socket", "a name"]
        for (attempt, code) in filtered {
            #expect(allowed.contains(attempt) ? code == 0 : code == EPERM, "\(attempt): \(code)")
        }
        #expect(filtered.count >= 28)
        // Without the filter the same attempts do something, or fail for another reason.
        let free = try outcomes([python])
        #expect(free.keys == filtered.keys)
        for attempt in ["netlink 0", "netlink 12", "netlink by more bits"] { #expect(free[attempt] == 0, "\(attempt)") }
        if geteuid() == 0 {
            #expect(free.filter { $0.value == EPERM && !$0.key.hasPrefix("a call of") && $0.key != "io_uring" }.isEmpty)
        }
    }
}
