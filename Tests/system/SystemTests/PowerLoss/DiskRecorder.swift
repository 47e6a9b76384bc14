import Foundation
import ProgramTestSupport

/// Has a program record what it does to the files of a folder, by a library that is preloaded into it.
///
/// `LOCATIOND_RECORDING` names a recording of a test that has failed, which is used in place of a new one.
struct DiskRecorder {
    /// The folder, which is empty at first.
    let folder: String
    /// Whether there is a recording already.
    let hasRecording: Bool
    private let log: String
    private let library: String

    /// - Parameter place: where the library, the recording and the folder are to be.
    init(in place: TemporaryFolder) async throws {
        library = place("disk-recorder.so")
        if let former = ProcessInfo.processInfo.environment["LOCATIOND_RECORDING"] {
            (hasRecording, log) = (true, former)
            folder = try Self.folder(of: Self.events(in: former))
            return
        }
        (hasRecording, log, folder) = (false, place("recording"), try place.makeFolder("disk"))
        let source = Repository.root.appending(path: "Tests/system/disk-recorder.c").path
        // The compiler of Swift's tool chain.
        let command = #"exec "$(command -v clang || command -v cc)" "$@""#
        let compilation = try await ChildProcess(
            "sh", ["-c", command, "sh", "-O2", "-shared", "-fPIC", "-o", library, source]
        ).outcome()
        guard compilation.code == 0 else { throw Failure("\(source) is not compiled: \(compilation.output)") }
    }

    /// For the program's environment.
    var environment: [String: String] {
        ["LD_PRELOAD": library, "DISK_RECORDER_FOLDER": folder, "DISK_RECORDER_LOG": log]
    }

    /// What the program has done.
    func events() throws -> [DiskEvent] { try Self.events(in: log) }

    private static func events(in log: String) throws -> [DiskEvent] {
        try DiskEvent.events(of: Array(Data(contentsOf: URL(filePath: log))))
    }

    private static func folder(of events: [DiskEvent]) throws -> String {
        for case .open(_, let path, _, _, isDirectory: false) in events {
            return URL(filePath: path).deletingLastPathComponent().path
        }
        throw Failure("the recording opens no file")
    }

    /// Keeps the recording after the test.
    ///
    /// - Returns: how the test is repeated.
    func keepRecording(seed: UInt64) throws -> String {
        let path = FileManager.default.temporaryDirectory.path + "/disk-recording-\(seed)"
        try Data(contentsOf: URL(filePath: log)).write(to: URL(filePath: path))
        return "LOCATIOND_SEED=\(seed) LOCATIOND_RECORDING=\(path) repeats it"
    }

    /// Compares the folder with what the calls have made of it: a call that is not recorded makes a difference.
    func expectComplete(_ events: [DiskEvent]) throws {
        guard !hasRecording else { return }
        var disk = RecordedDisk()
        for event in events { try disk.apply(event) }
        for (path, bytes) in disk.files {
            let found = try [UInt8](Data(contentsOf: URL(filePath: path)))
            guard found == bytes else { throw Failure("\(path) is not what was recorded of it") }
        }
        let unknown = try FileManager.default.contentsOfDirectory(atPath: folder).map { "\(folder)/\($0)" }
            .filter { disk.files[$0] == nil && !$0.hasSuffix("-shm") }
        guard unknown.isEmpty else { throw Failure("not recorded: \(unknown)") }
    }
}
