import Glibc
import Synchronization
@_spi(Programs) package import SystemSupport

/// A file system in memory that remembers what would be on the disk if the power failed now, and fails on demand.
///
/// Every call adds a snapshot to ``history``; ``DiskContent/survivors()`` tells what each may leave behind.
package final class ModelDisk: FileCalls {
    package enum Call: Sendable, Hashable {
        case open, openDirectory, read, write, syncFile, syncDirectory, close, rename, unlink
    }

    private struct State {
        var content: DiskContent
        var history: [DiskContent] = []
        var calls: [Call] = []
        var faults: [Int: Int32] = [:]
        var refusals: [Call: Int32] = [:]
        var descriptors: [Int32: Descriptor] = [:]
        var nextDescriptor: Int32 = 100
    }

    private struct Descriptor {
        /// `nil` for the directory.
        var file: Int?
        var offset = 0
    }

    private let state: Mutex<State>
    /// Bytes that one write or read moves at most.
    private let pieceSize: Int
    /// Calls that do nothing and say that all is well: what a wrong writer forgot.
    private let ignored: [Call]
    private let onCall: @Sendable (Call) -> Void

    package init(
        _ content: DiskContent = DiskContent(), pieceSize: Int = .max, ignoring ignored: [Call] = [],
        onCall: @escaping @Sendable (Call) -> Void = { _ in }
    ) {
        state = Mutex(State(content: content))
        self.pieceSize = pieceSize
        self.ignored = ignored
        self.onCall = onCall
    }

    /// The disk before, between and after the calls so far.
    package var history: [DiskContent] { state.withLock { $0.history + [$0.content] } }
    package var calls: [Call] { state.withLock { $0.calls } }
    package var openDescriptors: Int { state.withLock { $0.descriptors.count } }
    package var content: DiskContent { state.withLock { $0.content } }

    /// Has the call of that number from now on, from 0, fail once.
    package func fail(callsFromNow number: Int, with code: Int32) {
        state.withLock { $0.faults[$0.calls.count + number] = code }
    }

    /// Has every such call fail, until it is told otherwise by `nil`.
    package func refuse(_ call: Call, with code: Int32?) {
        state.withLock { $0.refusals[call] = code }
    }

    /// From now on the file says something else, as if the disk had always had it; `nil` removes it.
    package func place(_ bytes: [UInt8]?, at path: String) {
        state.withLock { state in
            var content = DiskContent()
            for (name, old) in state.content.files { content.add(old, at: name) }
            content.remove(path)
            if let bytes { content.add(bytes, at: path) }
            state.content = content
        }
    }

    private func perform<Value: Sendable>(
        _ call: Call, ignored value: Value? = nil, failing: (inout State, Int32) -> Void = { _, _ in },
        _ body: (inout State) -> Result<Value, CallFailure>
    ) throws(CallFailure) -> Value {
        onCall(call)
        return try state.withLock { state -> Result<Value, CallFailure> in
            state.history.append(state.content)
            let number = state.calls.count
            state.calls.append(call)
            if let code = state.faults.removeValue(forKey: number) ?? state.refusals[call] {
                failing(&state, code)
                return .failure(CallFailure(code: code))
            }
            if ignored.contains(call), let value { return .success(value) }
            return body(&state)
        }.get()
    }

    package func open(_ path: String, _ flags: Int32, mode: UInt32) throws(CallFailure) -> Int32 {
        let isDirectory = flags & O_DIRECTORY != 0
        return try perform(isDirectory ? .openDirectory : .open) { state -> Result<Int32, CallFailure> in
            var file: Int?
            if !isDirectory {
                let old = state.content.names[path]
                if old != nil, flags & O_EXCL != 0 { return .failure(CallFailure(code: EEXIST)) }
                if old == nil, flags & O_CREAT == 0 { return .failure(CallFailure(code: ENOENT)) }
                file = old ?? state.content.create(path)
                if let file, flags & O_TRUNC != 0 { state.content.truncate(file) }
            }
            defer { state.nextDescriptor += 1 }
            state.descriptors[state.nextDescriptor] = Descriptor(file: file)
            return .success(state.nextDescriptor)
        }
    }

    package func read(_ descriptor: Int32, into bytes: inout [UInt8]) throws(CallFailure) -> Int {
        let capacity = min(bytes.count, pieceSize)
        let piece = try perform(.read) { state -> Result<[UInt8], CallFailure> in
            guard let place = state.descriptors[descriptor], let file = place.file else {
                return .failure(CallFailure(code: EBADF))
            }
            let piece = state.content.bytes(of: file).dropFirst(place.offset).prefix(capacity)
            state.descriptors[descriptor]?.offset += piece.count
            return .success(Array(piece))
        }
        bytes.replaceSubrange(0..<piece.count, with: piece)
        return piece.count
    }

    package func write(_ descriptor: Int32, _ bytes: ArraySlice<UInt8>) throws(CallFailure) -> Int {
        let piece = bytes.prefix(pieceSize)
        return try perform(.write) { state in
            guard let file = state.descriptors[descriptor]?.file else { return .failure(CallFailure(code: EBADF)) }
            state.content.append(piece, to: file)
            return .success(piece.count)
        }
    }

    package func fsync(_ descriptor: Int32) throws(CallFailure) {
        guard let place = state.withLock({ $0.descriptors[descriptor] }) else { throw CallFailure(code: EBADF) }
        let call: Call = place.file == nil ? .syncDirectory : .syncFile
        // Whoever asks again after a true failure is told that all is well.
        let failing = { (state: inout State, code: Int32) in
            guard code != EINTR else { return }
            if let file = place.file { state.content.lose(file) } else { state.content.loseDirectory() }
        }
        try perform(call, ignored: (), failing: failing) { state in
            if let file = place.file { state.content.sync(file) } else { state.content.syncDirectory() }
            return .success(())
        }
    }

    package func close(_ descriptor: Int32) throws(CallFailure) {
        try perform(.close, failing: { state, _ in state.descriptors[descriptor] = nil }) { state in
            state.descriptors.removeValue(forKey: descriptor) == nil
                ? .failure(CallFailure(code: EBADF)) : .success(())
        }
    }

    package func rename(_ path: String, to newPath: String) throws(CallFailure) {
        try perform(.rename) { state in
            state.content.rename(path, to: newPath) ? .success(()) : .failure(CallFailure(code: ENOENT))
        }
    }

    package func unlink(_ path: String) throws(CallFailure) {
        try perform(.unlink, ignored: ()) { state in
            state.content.remove(path) ? .success(()) : .failure(CallFailure(code: ENOENT))
        }
    }
}
