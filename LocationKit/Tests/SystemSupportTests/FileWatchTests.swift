import Foundation
import Glibc
@_spi(Programs) import SystemSupport
import TestSupport
import Testing

/// Changes at a path are told, whatever way they are made, and those beside it are not.
@Suite struct FileWatchTests {
    private let folder: TemporaryFolder
    private var path: String { folder("place") }

    init() throws { folder = try TemporaryFolder() }

    /// A watch that expectations can look at.
    private final class Watched {
        private var watch: FileWatch

        init(_ path: String) throws {
            guard let watch = FileWatch(path: path) else { throw Failure("no watch is left") }
            self.watch = watch
        }

        func arm() -> Bool { watch.arm() }
        func consumeChange() -> Bool { watch.consumeChange() }

        /// Waits for something to happen in the folder, and returns whether it concerns the path.
        func nextChange() -> Bool {
            var entry = pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0)
            #expect(poll(&entry, 1, 20_000) == 1, "something is told")
            return watch.consumeChange()
        }
    }

    private func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    private static let changes: [(String, @Sendable (String) throws -> Void)] = [
        ("written in place", { try FileHandle(forWritingAtPath: $0)?.close() }),
        ("replaced", { try Data().write(to: URL(fileURLWithPath: $0), options: .atomic) }),
        ("removed", { unlink($0) }),
        ("moved away", { rename($0, $0 + ".old") }),
        ("forbidden", { chmod($0, 0) }),
    ]

    @Test(arguments: changes.indices)
    func changeIsTold(_ index: Int) throws {
        try write("1", to: path)
        let watch = try Watched(path)
        #expect(watch.arm())
        #expect(!watch.consumeChange())
        try Self.changes[index].1(path)
        #expect(watch.nextChange(), "\(Self.changes[index].0)")
    }

    @Test func fileThatComesIsTold() throws {
        let watch = try Watched(path)
        #expect(watch.arm())
        try write("1", to: path)
        #expect(watch.nextChange())
        #expect(watch.arm())
        // The file itself is watched from now on.
        while watch.consumeChange() {}
        chmod(path, 0o600)
        #expect(watch.nextChange())
    }

    @Test func whatHappensBesideItIsNotTold() throws {
        try write("1", to: path)
        let watch = try Watched(path)
        #expect(watch.arm())
        try write("1", to: folder("places"))
        #expect(!watch.nextChange())
        _ = try String(contentsOfFile: path, encoding: .utf8)
        #expect(!watch.consumeChange(), "reading is no change")
    }

    @Test func targetOfASymbolicLinkIsWatched() throws {
        mkdir(folder("elsewhere"), 0o700)
        let target = folder("elsewhere/place")
        try write("1", to: target)
        symlink(target, path)
        let watch = try Watched(path)
        #expect(watch.arm())
        try Data().write(to: URL(fileURLWithPath: target), options: .atomic)
        #expect(watch.nextChange())
    }

    @Test func withoutDirectoryNothingIsWatched() throws {
        let inner = folder("inner")
        mkdir(inner, 0o700)
        let watch = try Watched(inner + "/place")
        #expect(watch.arm())
        rmdir(inner)
        #expect(watch.nextChange())
        #expect(!watch.arm())
        mkdir(inner, 0o700)
        #expect(watch.arm())
        try write("1", to: inner + "/place")
        #expect(watch.nextChange())
    }
}
