import ProgramTestSupport

/// Lines with mistakes in them, the same ones in every run.
struct Mutation {
    private var generator: SeededGenerator
    /// What libgps or a lenient reader may trip over.
    private static let splinters = [
        #""class":"#, #""class":"SKY","#, #"{"class":"TPV","#, "{", "}", "[", "]", ",", ":", "\"", "\\", "\\\"",
        "\\u00e9", "null",
        "true", "1e999", "-1e999", "-", "0", "99999999999999999999", "1e-400", " ", "\t", "\r", "\0", "é", "[[[[", "}}",
        #""mode":"#,
        #""satellites":["#, #"{"PRN":"#, #""time":"#, #""device":"#, "{}", "[]", #"{"class":"TPV"}"#, "0x1F", "nan",
    ].map { Array($0.utf8) }
    private static let values = [
        "0", "-1", "3", "7", "2.5", "1e999", "-1e999", "1e-400", "99999999999", "null", "true", "false", "[]", "{}",
        #""""#, #""x""#,
        #""\"class\":\"SKY\"""#, #"{"class":"SKY"}"#, #"{"class":"TPV","mode":3}"#, #"[{"PRN":5,"used":true}]"#,
        #"[[[]]]"#,
        #""\u0000\ud834\\""#, #"["class",1,null]"#, #"{"a":{"b":[{"c":1}]}}"#, #""2017-13-45T99:99:99Z""#,
    ]
    private static let keys = [
        "device", "mode", "lat", "lon", "time", "status", "altMSL", "speed", "satellites", "hdop", "uSat", "nSat",
        "heading",
        "new", "a\\\"b", "class\\u0041", "\\u0063lass", "x\\", "PRN", "toff", "verylongnameofakeythatlibgpscannothold",
    ]

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    /// A line with some bytes lost, changed, doubled or put in.
    mutating func damaged(_ line: String, _ other: String) -> [UInt8] {
        var bytes = Array(line.utf8)
        for _ in 0...Int.random(in: 0...3, using: &generator) {
            // Mostly behind the beginning, which the gate knows.
            let least = Int.random(in: 0...7, using: &generator) == 0 ? 0 : min(15, bytes.count)
            let start = Int.random(in: least...bytes.count, using: &generator)
            let end = min(bytes.count, start + Int.random(in: 0...12, using: &generator))
            switch Int.random(in: 0...5, using: &generator) {
            case 0: bytes.removeSubrange(start..<end)
            case 1: bytes.insert(contentsOf: bytes[start..<end], at: start)
            case 2: bytes.insert(contentsOf: Self.splinters.randomElement(using: &generator) ?? [], at: start)
            case 3: bytes.replaceSubrange(start..<end, with: Self.splinters.randomElement(using: &generator) ?? [])
            case 4: if start < bytes.count { bytes[start] = UInt8.random(in: 0...255, using: &generator) }
            default: bytes.replaceSubrange(start..., with: Array(other.utf8).dropFirst(start))
            }
        }
        return bytes
    }

    /// A line that is strict JSON and begins as gpsd's do, with keys and values that need not belong there.
    mutating func invented(_ name: String) -> [UInt8] {
        var text = #"{"class":"\#(name)""#
        for _ in 0...Int.random(in: 0...12, using: &generator) {
            let key = Self.keys.randomElement(using: &generator) ?? ""
            guard !key.hasSuffix("\\") else { continue }
            let blank = Int.random(in: 0...30, using: &generator) == 0 ? " " : ""
            text += #",\#(blank)"\#(key)":\#(blank)\#(Self.values.randomElement(using: &generator) ?? "0")"#
        }
        return Array((text + "}").utf8)
    }
}
