/// The bytes cut into pieces of 1 to 61 bytes, as they may arrive; where they are cut is up to the bytes themselves, so
/// that the fuzzer finds the cuts too.
func pieces(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var pieces: [ArraySlice<UInt8>] = []
    var rest = bytes[...]
    while let first = rest.first {
        pieces.append(rest.prefix(1 + Int(first) % 61))
        rest = rest.dropFirst(1 + Int(first) % 61)
    }
    return pieces
}
