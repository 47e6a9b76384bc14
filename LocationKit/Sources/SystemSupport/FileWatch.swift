import Glibc

/// Reports when the file at a path changes: its content after writing, its permissions, or which file it is.
///
/// Files are mostly replaced by renaming, so the directory is watched for the name, and the file too, because it may be
/// elsewhere behind a symbolic link. Changes by another machine on a shared file system are not reported.
@_spi(Programs) public struct FileWatch: ~Copyable {
    /// Readable when something may have changed.
    @_spi(Programs) public let descriptor: Int32
    private let path: String
    private let directory: String
    private let name: [UInt8]
    private var directoryWatch: Int32 = -1
    private var fileWatch: Int32 = -1

    /// - Parameter path: an absolute path; the file need not exist.
    /// - Returns: `nil` if the system provides no further inotify instance.
    @_spi(Programs) public init?(path: String) {
        descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        self.path = path
        let bytes = Array(path.utf8)
        let slash = bytes.lastIndex(of: UInt8(ascii: "/")) ?? 0
        directory = slash == 0 ? "/" : String(decoding: bytes[..<slash], as: UTF8.self)
        name = Array(bytes.dropFirst(slash + 1))
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Watches the file that is at the path now. To be called before each reading, so that no later change is missed.
    ///
    /// - Returns: false if the directory cannot be watched, because it does not exist or the system's watches are used
    ///   up; changes may then be missed.
    @_spi(Programs) public mutating func arm() -> Bool {
        let names = IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE
        let own = UInt32(IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF)
        directoryWatch = renewed(directoryWatch, directory, UInt32(names) | own | UInt32(IN_ONLYDIR))
        fileWatch = renewed(fileWatch, path, own)
        return directoryWatch >= 0
    }

    private func renewed(_ watch: Int32, _ path: String, _ events: UInt32) -> Int32 {
        let new = inotify_add_watch(descriptor, path, events)
        if watch >= 0, watch != new { inotify_rm_watch(descriptor, watch) }
        return new
    }

    /// Reads the pending events. Never blocks.
    ///
    /// - Returns: true if one may concern the path.
    @_spi(Programs) public mutating func consumeChange() -> Bool {
        var isChanged = false
        withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 8) { buffer in
            while true {
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                guard count > 0 else { return }
                var events = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                while let event = Event(takingFrom: &events) { isChanged = concerns(event) || isChanged }
            }
        }
        return isChanged
    }

    private func concerns(_ event: Event) -> Bool {
        if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { return true }
        if event.watch == fileWatch { return true }
        // An event without a name concerns the directory itself, which may have been moved together with the file.
        return event.watch == directoryWatch && (event.name.isEmpty || event.name == name)
    }

    /// One of the consecutive events in the kernel's buffer.
    private struct Event {
        let watch: Int32
        let mask: UInt32
        let name: [UInt8]

        init?(takingFrom bytes: inout UnsafeRawBufferPointer) {
            let head = MemoryLayout<inotify_event>.size
            guard bytes.count >= head else { return nil }
            let event = bytes.loadUnaligned(as: inotify_event.self)
            watch = event.wd
            mask = event.mask
            name = Array(bytes.dropFirst(head).prefix(Int(event.len)).prefix { $0 != 0 })
            bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(head + Int(event.len)))
        }
    }
}
