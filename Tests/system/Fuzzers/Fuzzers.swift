import Glibc

/// A kind of input that others write: the environment variable FUZZER names one for the whole run.
private enum Fuzzer: String, CaseIterable {
    case gpsd, bridge, varlink, configuration, state, recording

    /// Gives the input to the code that has to cope with it, and checks what comes of it.
    func take(_ input: [UInt8]) {
        switch self {
        case .gpsd: fuzzGPSD(input)
        case .bridge: fuzzBridge(input)
        case .varlink: fuzzVarlink(input)
        case .configuration: fuzzConfiguration(input)
        case .state: fuzzState(input)
        case .recording: fuzzRecording(input)
        }
    }

    /// What it has to have checked in the end.
    private var aims: [Tally] {
        switch self {
        case .gpsd: [.locations, .skies, .headings, .failures]
        case .bridge: [.answers, .positions, .skies, .refusals]
        case .varlink: [.replies, .positions, .refusals, .sentences]
        case .configuration: [.configurations, .policies, .mistakes]
        case .state: [.decisions, .states, .monitors, .records]
        case .recording: [.entries, .positions, .damages]
        }
    }

    static let chosen: Fuzzer = {
        if let fuzzer = getenv("FUZZER").flatMap({ Fuzzer(rawValue: String(cString: $0)) }) {
            Tally.begin(fuzzer.aims)
            return fuzzer
        }
        let names = allCases.map(\.rawValue).joined(separator: ", ")
        say("set FUZZER to one of \(names); .ci/fuzz does")
        exit(2)
    }()
}

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    Fuzzer.chosen.take(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
