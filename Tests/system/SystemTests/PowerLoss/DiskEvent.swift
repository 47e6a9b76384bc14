/// What a program did to the files of a folder: one record of `Tests/system/disk-recorder.c`.
enum DiskEvent: Equatable {
    case open(Int32, path: String, isCreated: Bool, isEmptied: Bool, isDirectory: Bool)
    case close(Int32)
    case write(Int32, offset: Int, bytes: [UInt8])
    case truncate(Int32, size: Int)
    /// What was written before is on the disk.
    case sync(Int32)
    /// The program writes to the file through its memory from now on, unseen.
    case map(Int32)
    case unlink(path: String)
    case rename(path: String, target: String)
    /// What the program wrote to its standard error.
    case message(String)

    var isSync: Bool {
        if case .sync = self { true } else { false }
    }

    /// The records of a file. What follows the last whole one is left out: the program may have been killed.
    ///
    /// - Throws: for a record that the recorder does not write.
    static func events(of recording: [UInt8]) throws -> [DiskEvent] {
        var events: [DiskEvent] = []
        var rest = recording[...]
        while rest.count >= headerSize {
            let header = rest.prefix(headerSize)
            let length = number(header.suffix(8))
            guard rest.count >= headerSize + length else { break }
            let descriptor = Int32(truncatingIfNeeded: number(header.dropFirst(4).prefix(4)))
            let data = rest.dropFirst(headerSize).prefix(length)
            events.append(
                try event(number(header.prefix(4)), descriptor, number(header.dropFirst(8).prefix(8)), data))
            rest = rest.dropFirst(headerSize + length)
        }
        return events
    }

    private static let headerSize = 24

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reversed().reduce(0) { $0 << 8 | Int($1) } }

    private static func event(
        _ kind: Int, _ descriptor: Int32, _ offset: Int, _ data: ArraySlice<UInt8>
    ) throws -> DiskEvent {
        let text = String(decoding: data, as: UTF8.self)
        switch kind {
        case 1:
            return .open(
                descriptor, path: text, isCreated: offset & 1 != 0, isEmptied: offset & 2 != 0,
                isDirectory: offset & 4 != 0)
        case 2: return .close(descriptor)
        case 3: return .write(descriptor, offset: offset, bytes: Array(data))
        case 4: return .truncate(descriptor, size: offset)
        case 5: return .sync(descriptor)
        case 6: return .map(descriptor)
        case 7: return .unlink(path: text)
        case 8:
            let paths = text.split(separator: "\0").map(String.init)
            guard paths.count == 2 else { throw UnknownRecord(kind: kind) }
            return .rename(path: paths[0], target: paths[1])
        case 9: return .message(text)
        default: throw UnknownRecord(kind: kind)
        }
    }

    struct UnknownRecord: Error { let kind: Int }
}
