import ClientTestSupport
import ProgramTestSupport
import Testing

@Suite(.onOwnThreadMostlyWaiting, .timeLimit(.minutes(10)))
struct ProgramMemoryTests {
    /// Most of the program is used by its start alone, and is unmapped after it; the daemon goes on.
    @Test func pagesOfTheStartAreUnmapped() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        var most = 0
        try waitUntil("two megabytes less are mapped", within: 60) {
            let kibibytes = mappedFileKibibytes(daemon)
            most = max(most, kibibytes)
            return kibibytes < most - 2048
        }
        #expect(try daemon.locctl("get").code == 0)
    }

    private func mappedFileKibibytes(_ daemon: DaemonProcess) -> Int {
        let line = text(of: "/proc/\(daemon.process.pid)/status").split(separator: "\n").first {
            $0.hasPrefix("RssFile:")
        }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }
}
