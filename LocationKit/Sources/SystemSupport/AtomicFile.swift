import Glibc

/// A small file that is replaced as a whole or not at all, even if the process or the machine fails.
///
/// The new content is written next to the old one, as `PATH.new`; only one process may replace a file at a time.
@_spi(Programs) public struct AtomicFile: Sendable {
    @_spi(Programs) public let path: String
    private let calls: any FileCalls

    @_spi(Programs) public init(path: String, calls: any FileCalls = SystemFileCalls()) {
        self.path = path
        self.calls = calls
    }

    @_spi(Programs) public struct Failure: Error, CustomStringConvertible {
        /// Such as `cannot write PATH.new`.
        @_spi(Programs) public let attempt: String
        /// The system's error message.
        @_spi(Programs) public let cause: String
        /// True if the new content is in place, but a power failure may still restore the old one.
        @_spi(Programs) public var isReplaced = false
        /// True if the only error is that the file is longer than the limit.
        @_spi(Programs) public var isTooLong = false

        @_spi(Programs) public var description: String { "\(attempt): \(cause)" }
    }

    /// Writes a temporary file, syncs it, renames it, and syncs the directory. Only the daemon's user may read the
    /// file. Once this returns, the new content survives a power failure.
    ///
    /// - Throws: what failed. The old content is then still there, unless ``Failure/isReplaced`` is true.
    @_spi(Programs) public func replace(with bytes: [UInt8]) throws(Failure) {
        // Opened first: what can fail before the rename must not fail after it.
        let directory = try opened(directoryPath, O_RDONLY | O_DIRECTORY | O_CLOEXEC, "open")
        defer { try? calls.close(directory) }
        let temporary = path + ".new"
        try write(bytes, to: temporary)
        do {
            try calls.rename(temporary, to: path)
        } catch {
            throw discard(temporary, Failure(attempt: "cannot replace \(path)", cause: error.description))
        }
        do {
            try uninterrupted { () throws(CallFailure) in try calls.fsync(directory) }
        } catch {
            throw Failure(
                attempt: "\(path) is replaced, but a power failure may undo that; cannot write \(directoryPath)",
                cause: error.description, isReplaced: true)
        }
    }

    /// Removes the file, and syncs the directory.
    @_spi(Programs) public func remove() throws(Failure) {
        let directory = try opened(directoryPath, O_RDONLY | O_DIRECTORY | O_CLOEXEC, "open")
        defer { try? calls.close(directory) }
        do {
            try calls.unlink(path)
            try uninterrupted { () throws(CallFailure) in try calls.fsync(directory) }
        } catch {
            throw Failure(attempt: "cannot remove \(path)", cause: error.description)
        }
    }

    /// - Returns: `nil` if there is no such file.
    /// - Throws: why it cannot be read, or that it is longer than `limit` bytes.
    @_spi(Programs) public func content(limit: Int = 65_536) throws(Failure) -> [UInt8]? {
        let attempt = "cannot read \(path)"
        var content: [UInt8] = []
        do {
            let descriptor = try uninterrupted { () throws(CallFailure) in
                // Without O_NONBLOCK, opening a FIFO of that name would wait for a writer; this way it is empty.
                try calls.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, mode: 0)
            }
            defer { try? calls.close(descriptor) }
            var piece = [UInt8](repeating: 0, count: 16_384)
            while content.count <= limit {
                let count = try uninterrupted { () throws(CallFailure) in try calls.read(descriptor, into: &piece) }
                if count == 0 { return content }
                content += piece.prefix(count)
            }
        } catch {
            if error.code == ENOENT { return nil }
            throw Failure(attempt: attempt, cause: error.description)
        }
        throw Failure(attempt: attempt, cause: "it is longer than \(limit) bytes", isTooLong: true)
    }

    /// Creates and syncs a new file, after removing whatever a crash or another process left under the name.
    private func write(_ bytes: [UInt8], to temporary: String) throws(Failure) {
        let attempt = "cannot write \(temporary)"
        do {
            try calls.unlink(temporary)
        } catch {
            guard error.code == ENOENT else { throw Failure(attempt: attempt, cause: error.description) }
        }
        // O_EXCL: a symbolic link that appears under the name is not followed.
        let descriptor = try opened(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, "write")
        var failure: CallFailure?
        do {
            try write(bytes, to: descriptor)
            // Repeated only after EINTR: after another failure the kernel marks the lost pages as clean, and a second
            // fsync would succeed.
            try uninterrupted { () throws(CallFailure) in try calls.fsync(descriptor) }
        } catch {
            failure = error
        }
        do {
            try calls.close(descriptor)
        } catch {
            // A close that fails with EINTR has closed the descriptor, and the content is on the disk.
            if error.code != EINTR { failure = failure ?? error }
        }
        if let failure { throw discard(temporary, Failure(attempt: attempt, cause: failure.description)) }
    }

    private func write(_ bytes: [UInt8], to descriptor: Int32) throws(CallFailure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = try uninterrupted { () throws(CallFailure) in try calls.write(descriptor, rest) }
            // A regular file never writes 0 bytes without an error; repeating it could loop for ever.
            guard count > 0 else { throw CallFailure(code: EIO) }
            rest = rest.dropFirst(count)
        }
    }

    private var directoryPath: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private func opened(_ path: String, _ flags: Int32, _ verb: String) throws(Failure) -> Int32 {
        do {
            return try uninterrupted { () throws(CallFailure) in try calls.open(path, flags, mode: 0o600) }
        } catch {
            throw Failure(attempt: "cannot \(verb) \(path)", cause: error.description)
        }
    }

    private func discard(_ temporary: String, _ failure: Failure) -> Failure {
        try? calls.unlink(temporary)
        return failure
    }
}

/// Repeats a call for as long as signals interrupt it.
private func uninterrupted<Value>(_ call: () throws(CallFailure) -> Value) throws(CallFailure) -> Value {
    while true {
        do {
            return try call()
        } catch {
            guard error.code == EINTR else { throw error }
        }
    }
}
